// Asks the reference's own parser for the QuestionSpecs in files.
//
//     node specs.mjs FILE...
//
// Prints a line for each: the spec as the reference reads it, or {"message":…}.
import { readFileSync } from "node:fs";
import { parseNovelAskQuestionSpec } from "novel-writer-cli/dist/novel-ask.js";

function spec(file) {
  try {
    return parseNovelAskQuestionSpec(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    return { message: error.message };
  }
}

console.log(process.argv.slice(2).map((file) => JSON.stringify(spec(file))).join("\n"));
