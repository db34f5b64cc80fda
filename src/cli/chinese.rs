//! What the command line says in Chinese: help and usage errors, every word that clap would say in English.

use clap::builder::Command;
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction};

/// Help lines: command (empty: the program itself), argument (empty: the command's own line), words.
#[rustfmt::skip]
const CHINESE: &[(&str, &str, &str)] = &[
    ("", "", "回答小说的下一步等着你定的问题。"),
    ("", "project", "小说所在目录 [默认：最近的含 .checkpoint.json 的目录，其次含 staging/ 的]"),
    ("", "state_dir", "草稿与历史的存放位置 [默认：见 novel-gate paths]"),
    ("", "config", "使用的设置文件 [默认：见 novel-gate paths]"),
    ("", "lang", "界面语言：auto、en、zh-CN [默认：auto，取自 LC_ALL、LC_MESSAGES、LANG]"),
    ("", "theme", "控制台主题：名称或文件"),
    ("", "color", "颜色：auto、always、never [默认：auto，即在终端上且未设置 NO_COLOR 时]"),
    ("", "json", "输出一个 JSON 对象"),
    ("console", "", "在全屏控制台中回答（默认）"),
    ("console", "packet", "直接打开这个门控的表单"),
    ("demo", "", "在一次性的示例项目上试用控制台"),
    ("list", "", "列出所有门控及其状态"),
    ("list", "status", "只列出这些状态：open、waiting、blocked、malformed、sent-back"),
    ("list", "all", "也列出没有门控的指令包和失去门控的草稿"),
    ("list", "watch", "持续运行，每有变化输出一行"),
    ("attach", "", "把这一步之前要问的常设提问挂到指令包上"),
    ("attach", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("propose", "", "给需要执行器出备选的提问给出备选"),
    ("propose", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("propose", "question", "给哪个问题，写它的 id；只有一个问题要备选时可以不写"),
    ("propose", "option", "一个备选及其含义；多个可重复给出"),
    ("propose", "from", "JSON 文件，内容是备选的列表，每项有 label 和 description；- 表示标准输入"),
    ("decisions", "", "打印要告诉这一步的代理的内容：作者作出的决定"),
    ("decisions", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("show", "", "显示一个门控：问题、记录、错误、本步产出"),
    ("show", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("check", "", "给出一个门控的结论：退出码 0 放行，3 等待，4 受阻，5 指令包有误"),
    ("check", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("questions", "", "列出全书的常设提问：在哪些步骤之前问什么；可添加、开关、移除、预览"),
    ("questions", "action", "做什么：templates（列出模板）、add（添加）、on（提问）、off（保留但不问）、remove（移入历史）、set（换成一套）、preview（预览）；不写则列出书中的常设提问"),
    ("questions", "name", "对什么做：add TEMPLATE|FILE，on|off|remove NAME，set light|steady|close，preview STEP"),
    ("questions", "steps", "与 add 合用：在哪些步骤之前问，例如 chapter:*:draft；多个可重复给出"),
    ("questions", "once_per", "与 add 合用：多久问一次：step、chapter、volume、book，或者章数"),
    ("wait", "", "等到门控放行，再打印记录"),
    ("wait", "packets", "路径、不带扩展名的文件名，或步骤 id"),
    ("wait", "test", "改为在控制台中提一个测试问题，并打印回答"),
    ("wait", "timeout", "最多等这么久：500ms、90、90s、5m、2h"),
    ("wait", "any", "任意一个放行即可，不必全部"),
    ("answer", "", "不用控制台，直接回答一个门控"),
    ("answer", "packet", "路径、不带扩展名的文件名，或步骤 id"),
    ("answer", "from", "含 answers 对象的 JSON 文件；- 表示标准输入"),
    ("answer", "set", "一个回答，原样采用；多个条目可重复给出；优先于 --from"),
    ("answer", "defaults", "其余未回答的问题采用默认值"),
    ("answer", "notes", "对某个问题回答的备注，写进记录；可重复给出"),
    ("answer", "by", "由谁回答（也可写作 --answered-by）；不在终端上时必须给出"),
    ("answer", "replace", "先把已有记录移入历史；给出 SHA256 时，仅当它就是那一份。--send-back 不用它也会移走"),
    ("answer", "dry_run", "只检查回答并打印记录，不写入"),
    ("answer", "send_back", "不作回答，只说理由：退回这一步；- 表示从标准输入读取"),
    ("answer", "does_not_apply", "因为这个问题不适用而退回"),
    ("answer", "ahead", "提前回答还没有指令包的步骤的常设提问：PACKET 写步骤 id"),
    ("answer", "question", "与 --ahead 合用：哪一个提问，写它的名字；不写则取第一个未回答的"),
    ("answer", "take_back", "收回退回：门控重新等待回答"),
    ("redo", "", "把记录移入历史，使门控重新等待回答"),
    ("redo", "target", "指令包，或记录文件本身"),
    ("redo", "question", "针对这一步的另一个常设提问，写它的名字"),
    ("redo", "undo", "把最近移走的记录逐字节放回原处"),
    ("history", "", "显示问过什么、答了什么、谁在何时作答；可恢复、导出或清除"),
    ("history", "packet", "只看这个门控：指令包、它的记录，或步骤 id"),
    ("history", "search", "只看含有这些文字的条目：回答、问题、主题、步骤"),
    ("history", "question", "只看问过或答过这个问题 id 的条目"),
    ("history", "since", "从何时起：2026-02-27、完整时间，或多久以前，如 7d、12h"),
    ("history", "until", "到何时为止：2026-02-27（含当天）、完整时间，或多久以前"),
    ("history", "show", "只看这个条目，完整显示"),
    ("history", "raw", "与 --show 合用：只输出其记录的原样字节；--json 仍输出条目"),
    ("history", "restore", "把这个条目的记录逐字节放回原处"),
    ("history", "replace", "与 --restore 合用：先把已有记录移入历史；给出 SHA256 时，仅当它就是那一份"),
    ("history", "forget", "清除历史：给出 PACKET 时只清除该门控的，否则全部"),
    ("history", "export", "把各项决定写成 Markdown 文件；- 表示标准输出"),
    ("lint", "", "找出指令包、QuestionSpec、答案记录和 Canonical Prompt 文档中的所有错误"),
    ("lint", "files", "要检查的文件或目录，AskUserQuestion 输入和协议文件也可以；- 表示标准输入"),
    ("schema", "", "打印一种格式的 JSON Schema"),
    ("schema", "name", "格式：question-spec（门控的问题）、standing-question（questions/ 中的文件）、answer-spec（答案记录）、packet（指令包）、canonical-prompt（文档）；check-output 是 check --json 的输出，其余命令同理；error-output 是命令失败时的输出"),
    ("schema", "packet", "用于 answer-spec：只接受能打开这个指令包（或 QuestionSpec）门控的记录"),
    ("next", "", "通过执行器自己的对话框提问：打印下一次调用，接收回复，写入记录"),
    ("next", "packet", "指令包、单独的 QuestionSpec 或 canonical prompt 文档；- 表示标准输入"),
    ("next", "executor", "由谁的对话框提问：claude-code、codex、json-contract"),
    ("next", "replies", "到目前为止的回复，每行一个 JSON；有第一条回复时创建"),
    ("next", "reply", "再来一条回复：含 \"call\" 和 \"output\"、\"text\"、\"escape\" 或 \"unavailable\" 的对象；- 表示标准输入"),
    ("next", "call", "--answer、--none、--text、--output、--escape、--unavailable 所回复的调用"),
    ("next", "answer", "按 id 给出某个问题选中或输入的内容；多个可重复给出"),
    ("next", "text", "收到的消息；- 表示标准输入"),
    ("next", "output", "工具的输出，JSON 原样；- 表示标准输入"),
    ("next", "none", "问到的问题都没有得到回答"),
    ("next", "escape", "作者按了 Esc，或调用被取消、拒绝、超时"),
    ("next", "unavailable", "这里无法调用该工具：余下的问题改用 JSON 约定来问"),
    ("next", "resume", "作者退出或停止之后继续：收回最后一条回复"),
    ("next", "write", "全部回答后写入记录"),
    ("next", "answered_at", "作答时间 [默认：现在]"),
    ("next", "by", "由谁回答（也可写作 --answered-by）[默认：claude_code、codex、human]"),
    ("next", "max_questions", "一次调用最多几个问题：claude-code 为 1 到 4，codex 为 1 到 3"),
    ("next", "exact_options", "每一屏恰好这么多选项：2 到 9，仅用于 codex"),
    ("next", "on_escape", "按 Esc 时怎么办：terminate、return_previous、defer [默认：terminate]"),
    ("compile", "", "打印某个执行器会怎样提问，但不提问"),
    ("compile", "packet", "指令包、单独的 QuestionSpec、AskUserQuestion 输入或协议文件；- 表示标准输入"),
    ("compile", "target", "为谁编译：claude-code、codex、canonical、json-contract"),
    ("compile", "source", "canonical 文档的问题来源，以 .md 结尾"),
    ("compile", "protocol", "canonical 文档的协议名"),
    ("compile", "max_questions", "一次调用最多几个问题：claude-code 为 1 到 4，codex 为 1 到 3"),
    ("compile", "exact_options", "每一屏恰好这么多选项：2 到 9，仅用于 codex"),
    ("compile", "on_escape", "按 Esc 时怎么办：terminate、return_previous、defer [默认：terminate]"),
    ("plan", "", "把门控或执行器的任务转成计划工具的输入"),
    ("plan", "packets", "路径、不带扩展名的文件名，或步骤 id；- 表示从标准输入读取指令包"),
    ("plan", "events", "改为读取任务事件，每行一个 JSON 对象；- 表示标准输入"),
    ("plan", "canonical", "按这份 canonical 文档的 task_sync 处理"),
    ("plan", "no_update_plan", "无法调用 update_plan：只保留内部状态"),
    ("skill", "", "打印执行器提问门控时须知的说明"),
    ("hook", "", "充当执行器的 hook：把它的提问带到控制台，拦住代理和记录"),
    ("hook", "executor", "哪个执行器的 hook：claude-code、codex"),
    ("hook", "always", "即使没有打开控制台来回答，也接管提问"),
    ("hook", "strict", "hook 无法判断时拒绝调用，而不是放行"),
    ("mcp", "", "在标准输入输出上为 MCP 客户端服务：把它们的提问带到控制台"),
    ("doctor", "", "说明执行器是否接通，以及有什么挡着；有则以 3 退出"),
    ("init", "", "显示把本程序接入项目执行器所需的文件；--write 写入"),
    ("init", "executors", "哪个执行器：claude-code、codex、gemini、opencode；多个可重复给出 [默认：claude-code 和 codex；与 --undo 一起时为全部]"),
    ("init", "mcp", "连同 MCP 服务器的条目"),
    ("init", "absolute", "以路径指明本程序，用于它不在 PATH 中的情况"),
    ("init", "undo", "只移除 init 写入的内容"),
    ("init", "write", "写入这些文件，而不只是显示"),
    ("keys", "", "显示控制台的所有按键"),
    ("themes", "", "列出主题，或打印其中一个的内容"),
    ("themes", "name", "打印这个主题的内容，供你在此基础上修改"),
    ("paths", "", "打印项目、状态、设置与主题的位置"),
    ("completions", "", "打印某个 shell 的脚本，用来补全命令、参数和指令包"),
    ("completions", "shell", "哪个 shell：bash、zsh、fish、powershell"),
    ("man", "", "打印手册页"),
];

const PROGRAM: &str = "{about}\n\n用法：{usage}\n\n命令：\n{subcommands}\n\n选项：\n{options}{after-help}";
const WITH_ARGUMENTS: &str =
    "{about}\n\n用法：{usage}\n\n参数：\n{positionals}\n\n选项：\n{options}{after-help}";
const WITHOUT_ARGUMENTS: &str = "{about}\n\n用法：{usage}\n\n选项：\n{options}{after-help}";

/// The command line with all its help.
pub(super) fn help(command: Command) -> Command {
    let command = CHINESE.iter().fold(command, |command, &(name, argument, words)| match (name, argument) {
        ("", "") => command.about(words),
        ("", argument) => command.mut_arg(argument, |arg| arg.help(words)),
        (name, "") => command.mut_subcommand(name, |sub| sub.about(words)),
        (name, argument) => command.mut_subcommand(name, |sub| sub.mut_arg(argument, |arg| arg.help(words))),
    });
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .help("显示版本")
        .display_order(999);
    dress(command.mut_subcommands(dress)).help_template(PROGRAM).disable_version_flag(true).arg(version)
}

/// Headings, and `--help` itself. Which values there are is said in the help lines.
fn dress(command: Command) -> Command {
    let template =
        if command.get_positionals().next().is_some() { WITH_ARGUMENTS } else { WITHOUT_ARGUMENTS };
    command
        .help_template(template)
        .subcommand_value_name("命令")
        .mut_args(|arg| {
            let takes = arg.get_action().takes_values();
            if takes { arg.hide_possible_values(true).hide_default_value(true) } else { arg }
        })
        .disable_help_flag(true)
        .arg(
            Arg::new("help")
                .short('h')
                .long("help")
                .action(ArgAction::Help)
                .help("显示帮助")
                .display_order(998),
        )
}

/// What is wrong with a command line, without a full stop.
pub fn usage(error: &clap::Error) -> String {
    let word = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (argument, value) = (word(ContextKind::InvalidArg), word(ContextKind::InvalidValue));
    match error.kind() {
        ErrorKind::InvalidSubcommand => format!("没有命令 {}", word(ContextKind::InvalidSubcommand)),
        ErrorKind::UnknownArgument => format!("没有参数 {argument}"),
        ErrorKind::MissingRequiredArgument => format!("缺少参数 {argument}"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if value.is_empty() => {
            format!("{argument} 需要一个值")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let valid = word(ContextKind::ValidValue);
            let valid = match &*argument {
                _ if !valid.is_empty() => format!("；可用的有 {valid}"),
                named => legal(named).map(|legal| format!("；应为{legal}")).unwrap_or_default(),
            };
            format!("{argument} 的值 {value} 不可用{valid}")
        }
        ErrorKind::NoEquals => format!("{argument} 的值要用 = 给出"),
        ErrorKind::TooManyValues => format!("{argument} 不接受值 {value}"),
        ErrorKind::ArgumentConflict => {
            let other = word(ContextKind::PriorArg);
            if other == argument || other.is_empty() {
                format!("{argument} 只能给出一次")
            } else {
                format!("{argument} 不能与 {other} 同时给出")
            }
        }
        ErrorKind::InvalidUtf8 => "有参数不是有效的 UTF-8".to_owned(),
        _ => "参数不对".to_owned(),
    }
}

/// What a value that is no word of a list may be.
fn legal(argument: &str) -> Option<&'static str> {
    match argument.split([' ', '[', '=']).next()? {
        "--timeout" => Some("一个数，可带 ms、s、m 或 h，例如 90s"),
        "--since" | "--until" => Some("一天（如 2026-02-27）、带时区的时刻，或多久以前（7d、12h、30m）"),
        "--replace" => Some("所看到的记录的 sha256，64 个十六进制数字"),
        _ => None,
    }
}
