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
  const flags = [...process.argv.join("\n").matchAll(/^--lang[=\n](en|zh)/gim)];
  const isChinese = /^zh/i.test(flags.pop()?.[1] || LC_ALL || LC_MESSAGES || LANG || "");
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
      `${name} is not there or not whole; run npm uninstall novel-gate, then npm install novel-gate --include=optional, with -g if it was installed so.`,
      `${name} 没有安装或不完整；请先运行 npm uninstall novel-gate，再运行 npm install novel-gate --include=optional；原来是全局安装的，都加上 -g。`,
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
    `cannot start ${program} (${code}); run npm uninstall novel-gate, then npm install novel-gate, with -g if it was installed so.`,
    `无法启动 ${program}（${code}）；请先运行 npm uninstall novel-gate，再运行 npm install novel-gate；原来是全局安装的，都加上 -g。`,
  );
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.exitCode = 128 + constants.signals[signal];
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
