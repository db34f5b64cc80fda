// The official MCP client, moved by a test.
//
//     node drive.mjs REVISION CAPABILITIES PROGRAM ARGUMENT…
//
// Starts the program as an MCP server and speaks this revision of the protocol, 2025-11-25 or 2026-07-28. Each line of
// standard input is one move, each line of standard output what happened:
//
//     {"call": ID, "tool": NAME, "arguments": {…}}   {"result": ID, "value": {…}} or {"error": ID, "message": …},
//                                                    {"progress": ID, "value": {…}} before it
//     {"cancel": ID}                                 {"error": ID, …}, by the client itself
//     {"tools": true}                                {"tools": […]}
//     {"elicit": RESULT}                             what comes of the form that {"elicited": {…}} has shown
//     {"judge": MESSAGE}                             {"judged": […]}, as if the server had sent it
//
// The end of standard input closes the client and says {"closed": COUNT}: so many messages of the server were held against the
// published schema of the revision. {"invalid": MESSAGE, "problems": […]} says that one does not fit.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const LONG = 600_000;
const OLD = "2025-11-25";
const [revision, declared, command, ...args] = process.argv.slice(2);
const capabilities = JSON.parse(declared);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(readFileSync(new URL(`schema-${revision}.json`, import.meta.url), "utf8")), "mcp");

const RESULTS = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  ping: "EmptyResult",
};
const asked = new Map();

function problems(name, value) {
  const validate = ajv.getSchema(`mcp#/$defs/${name}`);
  if (validate === undefined) return [`${revision} has no ${name}`];
  return validate(value) ? [] : validate.errors.map((error) => `${name}${error.instancePath}: ${error.message}`);
}

// What is wrong with a message of the server.
function judge(message) {
  if (message.method !== undefined) {
    const kind = message.id === undefined ? "Notification" : "Request";
    return [...problems(`JSONRPC${kind}`, message), ...problems(`Server${kind}`, message)];
  }
  if (message.error !== undefined) return problems("JSONRPCErrorResponse", message);
  const name = message.result?.resultType === "input_required" ? "InputRequiredResult" : RESULTS[asked.get(message.id)];
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
}

const mode = revision === OLD ? "legacy" : { pin: revision };
const client = new Client({ name: "tester", version: "1" }, { capabilities, versionNegotiation: { mode } });
const calls = new Map();
let reply;

if (capabilities.elicitation !== undefined) {
  client.setRequestHandler("elicitation/create", ({ params }) => {
    return new Promise((resolve) => {
      reply = resolve;
      say({ elicited: params });
    });
  });
}

async function call({ call: id, tool, arguments: given }) {
  const cancel = new AbortController();
  calls.set(id, cancel);
  const onprogress = (value) => say({ progress: id, value });
  try {
    const options = { signal: cancel.signal, timeout: LONG, onprogress };
    say({ result: id, value: await client.callTool({ name: tool, arguments: given }, options) });
  } catch (error) {
    say({ error: id, message: String(error.message) });
  }
}

async function move(line) {
  if (line.call !== undefined) return call(line);
  if (line.cancel !== undefined) return calls.get(line.cancel).abort("not needed any more");
  if (line.elicit !== undefined) reply(line.elicit);
  if (line.judge !== undefined) say({ judged: judge(line.judge) });
  if (line.tools) say(await client.listTools());
}

const transport = new Watched({ command, args, env: process.env, stderr: "inherit" });
// Whoever listens, also while the revision is negotiated, hears a message after it was looked at, once.
let heard;
const looked = new Set();
Object.defineProperty(transport, "onmessage", {
  get: () => heard,
  set: (listen) => {
    heard = listen && ((message, ...more) => {
      const found = looked.has(message) ? [] : judge(message);
      looked.add(message);
      if (found.length > 0) say({ invalid: message, problems: found });
      listen(message, ...more);
    });
  },
});
client.onclose = () => say({ closed: looked.size });
await client.connect(transport);
say({
  revision: client.getNegotiatedProtocolVersion(),
  pid: transport.pid,
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
});
const moves = createInterface({ input: process.stdin });
moves.on("line", (line) => move(JSON.parse(line)));
moves.on("close", () => client.close());
