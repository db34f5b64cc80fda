// Asks the reference's own gate functions for their verdict on many projects.
//
//     node verdicts.mjs DIRECTORY COUNT
//
// DIRECTORY holds the projects 0 to COUNT - 1, each with `packet.json`. Prints a line for each:
// {"verdict":"open"}, or "waiting", "blocked" or "malformed" with the reference's message; "no gate" counts as open.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extractNovelAskGate, loadNovelAskAnswerIfPresent } from "novel-writer-cli/dist/instruction-gates.js";
import { resolveProjectRelativePath } from "novel-writer-cli/dist/safe-path.js";

async function verdict(root) {
  let gate;
  try {
    gate = extractNovelAskGate(JSON.parse(readFileSync(join(root, "packet.json"), "utf8")));
    if (gate === null) return { verdict: "open" };
    resolveProjectRelativePath(root, gate.answer_path, "answer_path");
  } catch (error) {
    return { verdict: "malformed", message: error.message.toWellFormed() };
  }
  try {
    const answer = await loadNovelAskAnswerIfPresent(root, gate);
    return { verdict: answer === null ? "waiting" : "open" };
  } catch (error) {
    return { verdict: "blocked", message: error.message.toWellFormed() };
  }
}

const [directory, count] = process.argv.slice(2);
const lines = [];
for (let number = 0; number < Number(count); number += 1) {
  lines.push(JSON.stringify(await verdict(join(directory, String(number)))));
}
console.log(lines.join("\n"));
