//! Examples of every command, shown below its help and in the manual page. The tests read each line with the real
//! command line and run it in the sample project.

use crate::text::{Lang, Sentence, say};
use clap::builder::Command;

/// One line to type, and what for.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The command it stands below; empty for the program itself.
    pub command: &'static str,
    /// The line as a POSIX shell takes it.
    pub line: &'static str,
    /// What it does.
    pub says: Sentence,
}

const fn example(command: &'static str, line: &'static str, says: Sentence) -> Example {
    Example { command, line, says }
}

/// All of them, in the order of the commands.
#[rustfmt::skip]
pub const EXAMPLES: &[Example] = &[
    example("", "novel-gate", say("Open the console on the novel around you", "在所在的小说项目中打开控制台")),
    example("", "novel-gate demo", say("Try it without a novel", "没有小说项目时先试用")),
    example("", "novel-gate list --status waiting", say("What is waiting for me?", "有哪些门控在等我回答？")),
    example("console", "novel-gate console chapter:013:draft", say("Go straight to the form of this gate", "直接打开这个门控的表单")),
    example("console", "novel-gate --theme light --lang zh-CN", say("On a light ground, in Chinese", "浅色背景，用中文")),
    example("demo", "novel-gate demo", say("Nothing of yours is touched", "不会动你的任何文件")),
    example("demo", "novel-gate demo --theme high-contrast", say("See another theme", "看看另一个主题")),
    example("list", "novel-gate list", say("Every gate with its state", "所有门控及其状态")),
    example("list", "novel-gate list --status waiting,blocked --json", say("What holds the novel up, for a script", "拦住小说的门控，供脚本使用")),
    example("list", "novel-gate list --watch --json", say("One line for each change, until you stop it", "每有变化输出一行，直到你停止它")),
    example("attach", "novel-gate attach chapter:013:draft", say("Before an executor reads the packet", "在执行器读取指令包之前")),
    example("propose", "novel-gate propose chapter:013:draft --option 'Turn back=The letter stays sealed.'", say("An option for the author to choose", "给作者一个备选")),
    example("decisions", "novel-gate decisions chapter:013:draft", say("What its agent must know", "这一步的代理要知道什么")),
    example("questions", "novel-gate questions set light", say("Be asked for the book's contract and its viewpoint, once", "本书约定和叙事视角，各问一次")),
    example("questions", "novel-gate questions add end_hook --steps 'chapter:10-20:draft'", say("And for the hook of each of eleven chapters", "再给十一章各选一次章末钩子")),
    example("questions", "novel-gate questions preview chapter:013:draft", say("What will this step ask, and what is its agent told?", "这一步会问什么，又会告诉代理什么？")),
    example("show", "novel-gate show volume:validate", say("Why is this step blocked?", "这一步为什么受阻？")),
    example("show", "novel-gate show staging/manifests/chapter-013-draft.packet.json", say("The packet by its path", "用路径指定指令包")),
    example("check", "novel-gate check chapter:012:draft", say("May the step run? Exit 0 says yes", "这一步可以执行吗？退出码 0 表示可以")),
    example("check", "novel-gate check chapter:013:draft --json", say("The verdict for a script", "给脚本的结论")),
    example("wait", "novel-gate wait chapter:013:draft", say("Sleep until the author has answered, then print the record", "等到作者回答为止，然后打印记录")),
    example("wait", "novel-gate wait --test", say("Does a question reach the console? Nothing of the book is touched", "问题能到达控制台吗？不动书的任何内容")),
    example("wait", "novel-gate wait --any --timeout 30m chapter:013:draft chapter:014:draft", say("Whichever opens first; give up after half an hour", "哪个先放行都行；半小时后放弃")),
    example("answer", "novel-gate answer chapter:013:draft --set platform=qidian --by human", say("Answer one question and write the record", "回答一个问题并写入记录")),
    example("answer", "novel-gate answer chapter:013:draft --defaults --by human --dry-run", say("What would be written if every default were taken?", "全部采用默认值会写下什么？")),
    example("answer", "echo '{\"answers\":{\"platform\":\"web\"}}' | novel-gate answer chapter:013:draft --from - --by human", say("Answers from a script", "由脚本给出回答")),
    example("answer", "novel-gate answer chapter:013:draft --send-back 'too early for this' --by human", say("Give no answer, but a reason: the step is sent back", "不作回答，只说理由：退回这一步")),
    example("redo", "novel-gate redo chapter:012:draft", say("Take the decision back: the gate waits again", "收回这个决定，门控重新等待回答")),
    example("redo", "novel-gate redo chapter:012:draft && novel-gate redo chapter:012:draft --undo", say("And put it back, byte for byte", "再逐字节放回原处")),
    example("history", "novel-gate history chapter:012:draft", say("What was decided here, by whom and when", "这里决定过什么、由谁、在何时")),
    example("history", "novel-gate history --since 7d", say("The decisions of the last week", "最近一周的决定")),
    example("history", "novel-gate history --export decisions.md", say("All decisions as a document", "把全部决定写成文档")),
    example("lint", "novel-gate lint staging/manifests/chapter-013-draft.packet.json", say("Every problem of a packet, with line and column", "指令包的所有错误，带行号和列号")),
    example("lint", "novel-gate lint canonical", say("Every document below a directory", "一个目录下的所有文档")),
    example("schema", "novel-gate schema answer-spec --for chapter:013:draft", say("The records that open one gate, and no others", "恰好能打开一个门控的那些记录")),
    example("schema", "novel-gate schema canonical-prompt > canonical-prompt.schema.json", say("For an editor that checks while you type", "供编辑器边写边检查")),
    example("next", "novel-gate next chapter:013:draft --for claude-code --replies 013.jsonl --write", say("The next call to make; with the last reply the record is written", "接下来该做的调用；收到最后一条回复时写入记录")),
    example("compile", "novel-gate compile chapter:013:draft --for codex", say("What would Codex be asked?", "Codex 会被问到什么？")),
    example("compile", "novel-gate compile chapter:013:draft --for canonical", say("The gate as a Canonical Prompt document", "把门控写成 Canonical Prompt 文档")),
    example("plan", "novel-gate plan chapter:013:draft chapter:014:draft", say("Two gates as the steps of a plan", "把两个门控写成计划里的步骤")),
    example("skill", "novel-gate skill > novel-gate.md", say("Instructions to give to any executor", "交给任何执行器的说明")),
    example("hook", "echo '{}' | novel-gate hook claude-code", say("It lets every call pass that it does not know: no output, exit 0", "凡它不认识的调用一律放行：不作表态，退出码 0")),
    example("mcp", "novel-gate mcp --project ~/novel", say("What an MCP client is to start; by itself it serves nobody", "供 MCP 客户端启动；单独运行没有用处")),
    example("doctor", "novel-gate doctor", say("Is my executor connected?", "执行器接通了吗？")),
    example("init", "novel-gate init", say("What would be written, and where?", "会写什么、写到哪里？")),
    example("init", "novel-gate init --for claude-code --write", say("A skill, a hook and a permission for Claude Code", "给 Claude Code 的 skill、hook 和权限")),
    example("keys", "novel-gate keys", say("Every key, screen by screen", "逐屏列出所有按键")),
    example("themes", "novel-gate themes", say("Which themes there are, and what is wrong with yours", "有哪些主题，你自己的主题有什么错误")),
    example("themes", "novel-gate themes dark > mine.toml", say("A copy to change, for the directory themes/ of your settings", "复制一份来修改，放进设置目录的 themes/")),
    example("paths", "novel-gate paths", say("Where drafts and history are kept", "草稿与历史放在哪里")),
    example("completions", "novel-gate completions bash > novel-gate.bash", say("For bash: source it in ~/.bashrc", "bash：在 ~/.bashrc 中 source 它")),
    example("completions", "novel-gate completions zsh > _novel-gate", say("For zsh: put it into a directory of $fpath", "zsh：放进 $fpath 中的目录")),
    example("completions", "novel-gate completions fish > novel-gate.fish", say("For fish: put it into ~/.config/fish/completions", "fish：放进 ~/.config/fish/completions")),
    example("man", "novel-gate man > novel-gate.1", say("Read it with: man ./novel-gate.1", "用 man ./novel-gate.1 阅读")),
];

/// The examples of one command.
pub fn of(command: &str) -> impl Iterator<Item = &'static Example> {
    EXAMPLES.iter().filter(move |example| example.command == command)
}

/// The command line with the examples below the help of each command.
pub(super) fn append(command: Command, lang: Lang) -> Command {
    let below = |sub: Command| {
        let text = text(sub.get_name(), lang);
        sub.after_help(text)
    };
    command.mut_subcommands(below).after_help(text("", lang))
}

fn text(command: &str, lang: Lang) -> String {
    let mut out = say("Examples:", "示例：").text(lang).to_owned();
    for example in of(command) {
        out.push_str("\n  ");
        out.push_str(example.line);
        out.push_str("\n      ");
        out.push_str(example.says.text(lang));
    }
    out
}
