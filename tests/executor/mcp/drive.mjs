// The official MCP client, moved by a test.
//
//     node drive.mjs PROGRAM ARGUMENT…
//
// Starts the program as an MCP server. Each line of standard input is one move, each line of standard output what happened:
//
//     {"call": ID, "tool": NAME, "arguments": {…}}   {"result": ID, "value": {…}} or {"error": ID, "message": …},
//                                                    {"progress": ID, "value": {…}} before it
//     {"cancel": ID}                                 {"error": ID, …}, by the client itself
//     {"tools": true}                                {"tools": […]}
//     {"elicit": RESULT}                             how the next form is answered; {"elicited": {…}} when it comes
//     {"judge": MESSAGE}                             {"judged": […]}, as if the server had sent it
//
// The end of standard input closes the client. Every message of the server is held against the published schema;
// {"invalid": MESSAGE, "problems": […]} says that one does not fit. With `--forms` before the program, the client can show forms.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const LONG = 600_000;
const schema = JSON.parse(readFileSync(new URL("schema-2025-11-25.json", import.meta.url), "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(schema, "mcp");

const RESULTS = { initialize: "InitializeResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult", ping: "EmptyResult" };
const asked = new Map();

function problems(name, value) {
  const validate = ajv.getSchema(`mcp#/$defs/${name}`);
  return validate(value) ? [] : validate.errors.map((error) => `${name}${error.instancePath}: ${error.message}`);
}

// Names every definition that a message must fit.
function judge(message) {
  if (message.method !== undefined) {
    const kind = message.id === undefined ? "Notification" : "Request";
    return [...problems(`JSONRPC${kind}`, message), ...problems(`Server${kind}`, message)];
  }
  if (message.error !== undefined) return problems("JSONRPCErrorResponse", message);
  const name = RESULTS[asked.get(message.id)];
  if (name === undefined) return [`no request has the id ${JSON.stringify(message.id)}`];
  return [...problems("JSONRPCResultResponse", message), ...problems(name, message.result)];
}

function say(event) {
  process.stdout.write(JSON.stringify(event) + "\n");
}

// Remembers what was asked, to know what an answer must be.
class Watched extends StdioClientTransport {
  send(message) {
    if (message.method !== undefined && message.id !== undefined) asked.set(message.id, message.method);
    return super.send(message);
  }

  setProtocolVersion(revision) {
    this.revision = revision;
  }
}

const words = process.argv.slice(2);
const forms = words[0] === "--forms";
const [command, ...args] = forms ? words.slice(1) : words;
const capabilities = forms ? { elicitation: { form: {} } } : {};
const client = new Client({ name: "tester", version: "1" }, { capabilities });
const calls = new Map();
let reply = { action: "cancel" };

if (forms) {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    say({ elicited: params });
    return reply;
  });
}

async function call({ call: id, tool, arguments: given }) {
  const cancel = new AbortController();
  calls.set(id, cancel);
  const onprogress = (value) => say({ progress: id, value });
  const options = { signal: cancel.signal, timeout: LONG, onprogress };
  try {
    say({ result: id, value: await client.callTool({ name: tool, arguments: given }, undefined, options) });
  } catch (error) {
    say({ error: id, message: String(error.message) });
  }
}

async function move(line) {
  if (line.call !== undefined) return call(line);
  if (line.cancel !== undefined) return calls.get(line.cancel).abort("not needed any more");
  if (line.elicit !== undefined) reply = line.elicit;
  if (line.judge !== undefined) say({ judged: judge(line.judge) });
  if (line.tools) say(await client.listTools());
}

const transport = new Watched({ command, args, env: process.env, stderr: "inherit" });
transport.onmessage = (message) => {
  const found = judge(message);
  if (found.length > 0) say({ invalid: message, problems: found });
};
client.onclose = () => say({ closed: true });
client.onerror = (error) => say({ fault: String(error.message) });
await client.connect(transport);
say({
  pid: transport.pid,
  revision: transport.revision,
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
});
const moves = createInterface({ input: process.stdin });
moves.on("line", (line) => move(JSON.parse(line)));
moves.on("close", () => client.close());
