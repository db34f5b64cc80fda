#!/usr/bin/env node
// Starts the novel-gate that npm has installed for this platform, and is as if it were that program.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { optionalDependencies: packages } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const name = `@novel-gate/${platform}`;

// The language is chosen as the program chooses it.
function fail(english, chinese) {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  const isChinese = /^zh/i.test(LC_ALL || LC_MESSAGES || LANG || "");
  process.stderr.write(`novel-gate: ${isChinese ? chinese : english}\n`);
  process.exit(1);
}

function find() {
  try {
    return require.resolve(name);
  } catch {
    if (!packages[name]) {
      fail(
        `there is no package for ${platform}; build it from its source instead, with cargo install --path .`,
        `没有适用于 ${platform} 的包；请改用源代码构建：cargo install --path .`,
      );
    }
    return fail(
      `npm has not installed ${name}; run npm install -g novel-gate --include=optional, without --omit=optional or --no-optional.`,
      `npm 没有安装 ${name}；请运行 npm install -g novel-gate --include=optional，不要加 --omit=optional 或 --no-optional。`,
    );
  }
}

const program = find();
// This process outlives the program, and hands on what was meant for it. On Windows Ctrl+C reaches both, and a kill would be no question.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"]) {
  process.on(signal, () => process.platform === "win32" || child.kill(signal));
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", ({ code }) => {
  fail(
    `cannot start ${program} (${code}); install it anew with npm install -g novel-gate.`,
    `无法启动 ${program}（${code}）；请用 npm install -g novel-gate 重新安装。`,
  );
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.exitCode = 128 + constants.signals[signal];
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
