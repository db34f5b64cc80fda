// Asks the reference's own gate functions for their verdict on one packet of a project.
//
//     node gate.mjs ROOT PACKET
//
// Prints one JSON object: {"verdict":"open","answer":…}, {"verdict":"refused","message":…} or {"verdict":"no gate"}.
import { readFileSync } from "node:fs";
import { extractNovelAskGate, requireNovelAskAnswer } from "novel-writer-cli/dist/instruction-gates.js";

async function verdict(root, packet) {
  const gate = extractNovelAskGate(JSON.parse(readFileSync(packet, "utf8")));
  if (gate === null) return { verdict: "no gate" };
  return { verdict: "open", answer: await requireNovelAskAnswer(root, gate) };
}

const [root, packet] = process.argv.slice(2);
const result = await verdict(root, packet).catch((error) => ({ verdict: "refused", message: error.message }));
console.log(JSON.stringify(result));
