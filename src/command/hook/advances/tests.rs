use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const DRAFT: &str = "chapter:048:draft";
const COMMIT: &str = "chapter:048:commit";
const VOLUME: &str = "volume:commit";

fn place() -> Place<'static> {
    Place { dir: Path::new("/b").into(), home: Some(Path::new("/h")) }
}

fn steps(text: &str) -> Vec<String> {
    of_text(text, &place()).iter().map(|found| found.step.to_string()).collect()
}

fn assert_found(rows: &[(&str, &str)]) {
    for (command, step) in rows {
        assert_eq!(steps(command), [*step], "{command}");
    }
}

fn assert_passes(commands: &[&str]) {
    for command in commands {
        assert_eq!(steps(command), [""; 0], "{command}");
    }
}

#[test]
fn a_step_is_found_however_its_command_is_spelled() {
    assert_found(&[
        ("novel advance chapter:048:draft", DRAFT),
        ("novel advance chapter:48:draft", DRAFT),
        ("n''ovel adv\"ance\" chapter:48:draft", DRAFT),
        ("no\\vel com\\mit --chapter 48", COMMIT),
        ("novel advance ' chapter:0048:draft '", DRAFT),
        ("novel advance -- chapter:048:draft", DRAFT),
        ("novel commit --chapter 48", COMMIT),
        ("novel commit --chapter 048", COMMIT),
        ("novel commit --chapter=48", COMMIT),
        ("novel commit --chapter 47 --chapter ' +48th'", COMMIT),
        ("novel commit --volume 2", VOLUME),
        ("novel commit --volume=02 --json", VOLUME),
        ("novel advance quickstart:world", "quickstart:world"),
        ("novel advance volume:validate", "volume:validate"),
        ("novel advance review:transition", "review:transition"),
        // Options, and how words are written.
        ("novel --json --project X commit --chapter 48", COMMIT),
        ("novel --project=X commit --json --chapter 48", COMMIT),
        ("novel commit --chapter 48 --project X --json", COMMIT),
        ("novel commit --project \"$PWD\" --chapter 48", COMMIT),
        ("novel commit --project $(pwd) --chapter 48", COMMIT),
        ("\"novel\" 'advance' \"chapter:048\":dr'af't", DRAFT),
        ("\\novel advance chapter\\:048:draft", DRAFT),
        ("novel \\\n  advance \\\n  chapter:048:draft", DRAFT),
        ("novel advance chapter:048:draft\r\n", DRAFT),
        ("novel\tadvance\tchapter:048:draft", DRAFT),
        ("novel advance chapter:048:draft # for the author", DRAFT),
        ("novel advance chapter:048:draft >/dev/null 2>&1", DRAFT),
        ("novel advance chapter:048:draft 2> errors &> all >> log < /dev/null <<< text", DRAFT),
        ("novel advance chapter:048:draft &", DRAFT),
        ("> log novel advance chapter:048:draft", DRAFT),
        ("novel advance chapter:048:draft <<A <<-'B'\nA\n\tB\n", DRAFT),
    ]);
    let several = "novel advance chapter:048:draft && novel commit --chapter 48; novel commit --volume 1";
    assert_eq!(steps(several), [DRAFT, COMMIT, VOLUME]);
}

#[test]
fn a_step_is_found_wherever_its_command_stands() {
    assert_found(&[
        ("cd . && novel advance chapter:048:draft", DRAFT),
        ("cd .;novel advance chapter:048:draft;", DRAFT),
        ("novel validate chapter:048:draft || novel advance chapter:048:draft", DRAFT),
        ("yes | novel advance chapter:048:draft | tee log", DRAFT),
        ("novel next\nnovel advance chapter:048:draft\n", DRAFT),
        ("echo $(novel advance chapter:048:draft)", DRAFT),
        ("echo \"a $(novel advance \"chapter:048:draft\") b\"", DRAFT),
        ("x=`novel advance chapter:048:draft`", DRAFT),
        ("(novel advance chapter:048:draft)", DRAFT),
        ("{ novel advance chapter:048:draft; }", DRAFT),
        ("! (cd x; (novel advance chapter:048:draft))", DRAFT),
        ("for i in 1 2; do novel advance chapter:048:draft; done", DRAFT),
        ("for ((i=0; i < 2; i++)); do novel advance chapter:048:draft; done", DRAFT),
        ("echo $((1 << 2))\nnovel advance chapter:048:draft", DRAFT),
        ("while read -r line; do novel advance chapter:048:draft; done < list", DRAFT),
        ("until novel advance chapter:048:draft; do sleep 1; done", DRAFT),
        ("if novel validate chapter:048:draft; then novel advance chapter:048:draft; fi", DRAFT),
        ("if [ -f a ]; then :; else novel advance chapter:048:draft; fi", DRAFT),
        ("case $x in a|b) novel advance chapter:048:draft;; esac", DRAFT),
        ("f() { novel advance chapter:048:draft; }; f", DRAFT),
        ("diff <(novel next) <(novel advance chapter:048:draft)", DRAFT),
        ("cat <<EOF > a\nit's\nEOF\nnovel advance chapter:048:draft", DRAFT),
        ("cat <<-\"E F\"\n\tx\n\tE F\nnovel advance chapter:048:draft", DRAFT),
        ("git commit -m \"$(cat <<'EOF'\nit's (\nEOF\n)\" && novel advance chapter:048:draft", DRAFT),
        ("all=(a 'b)' c) && novel advance chapter:048:draft", DRAFT),
        ("echo ${x:-)} $'it\\'s' $\"a\" it\\'s && novel advance chapter:048:draft", DRAFT),
        ("[[ $x =~ ^(a|b)$ ]] && novel advance chapter:048:draft", DRAFT),
    ]);
}

#[test]
fn a_step_is_found_whatever_hands_its_command_on() {
    assert_found(&[
        ("FOO=1 BAR=$(date) novel advance chapter:048:draft", DRAFT),
        ("env novel advance chapter:048:draft", DRAFT),
        ("env -i -u A PATH=/bin novel advance chapter:048:draft", DRAFT),
        ("time -p novel advance chapter:048:draft", DRAFT),
        ("timeout 60 novel advance chapter:048:draft", DRAFT),
        ("timeout -s KILL -k 5 --foreground 60s novel advance chapter:048:draft", DRAFT),
        ("nohup nice -n 5 novel advance chapter:048:draft &", DRAFT),
        ("command novel advance chapter:048:draft", DRAFT),
        ("exec novel advance chapter:048:draft", DRAFT),
        ("sudo -u x novel advance chapter:048:draft", DRAFT),
        ("sudo -Eu x -- FOO=1 novel advance chapter:048:draft", DRAFT),
        ("xargs novel advance chapter:048:draft", DRAFT),
        ("yes | xargs -0 -n1 -I {} novel advance chapter:048:draft", DRAFT),
        ("stdbuf -oL setsid ionice -c 3 novel advance chapter:048:draft", DRAFT),
        ("npx novel advance chapter:048:draft", DRAFT),
        ("npx -y novel-writer-cli advance chapter:048:draft", DRAFT),
        ("npx --yes novel-writer-cli@0.5.0 advance chapter:048:draft", DRAFT),
        ("npx -p novel-writer-cli@latest novel advance chapter:048:draft", DRAFT),
        ("npm exec -- novel advance chapter:048:draft", DRAFT),
        ("npm --silent exec --yes --package=novel-writer-cli -- novel advance chapter:048:draft", DRAFT),
        ("npm x -- novel advance chapter:048:draft", DRAFT),
        ("npm run novel -- advance chapter:048:draft", DRAFT),
        ("pnpm exec novel advance chapter:048:draft", DRAFT),
        ("pnpm dlx novel-writer-cli advance chapter:048:draft", DRAFT),
        ("yarn novel advance chapter:048:draft", DRAFT),
        ("yarn dlx novel-writer-cli advance chapter:048:draft", DRAFT),
        ("bunx novel-writer-cli advance chapter:048:draft", DRAFT),
        ("bash -c 'novel advance chapter:048:draft'", DRAFT),
        ("sh -lc \"cd /b && novel advance chapter:048:draft\"", DRAFT),
        ("/bin/bash -euo pipefail -c \"cd $HOME; novel advance chapter:048:draft\" x", DRAFT),
        ("zsh -c \"bash -c 'novel advance \\\"chapter:048:draft\\\"'\"", DRAFT),
        ("eval \"novel advance\" chapter:048:draft", DRAFT),
        ("./bin/novel advance chapter:048:draft", DRAFT),
        ("/usr/local/bin/novel advance chapter:048:draft", DRAFT),
        ("$HOME/.npm/bin/novel advance chapter:048:draft", DRAFT),
        ("node_modules/.bin/novel-writer-cli advance chapter:048:draft", DRAFT),
        ("node /opt/novel-writer-cli/dist/cli.js advance chapter:048:draft", DRAFT),
        ("node --no-warnings -r ./x ../novel-writer-cli/dist/cli.js advance chapter:048:draft", DRAFT),
        ("novel-writer-cli/dist/cli.js advance chapter:048:draft", DRAFT),
    ]);
}

#[test]
fn what_changes_nothing_or_is_refused_passes() {
    assert_passes(&[
        "",
        "ls",
        // What changes nothing.
        "novel commit --chapter 48 --dry-run",
        "novel --json commit --dry-run --volume 2",
        "novel next",
        "novel instructions chapter:048:draft --json --write-manifest",
        "novel validate chapter:048:draft",
        "novel commit --help --chapter 48",
        "novel advance chapter:048:draft --version",
        "novel help commit",
        "command -v novel advance chapter:048:draft",
        // What the executor refuses.
        "novel advance chapter:048:commit",
        "novel advance chapter:048:review",
        "novel advance volume:commit",
        "novel advance chapter:000:draft",
        "novel advance chapter:4x:draft",
        "novel advance chapter:048:drafts",
        "novel advance chapter:048:draft chapter:049:draft",
        "novel advance chapter:048:draft --force",
        "novel advance",
        "novel commit",
        "novel commit --chapter",
        "novel commit --chapter 0",
        "novel commit --chapter -48",
        "novel commit --chapter x48",
        "novel commit --chapter 48 --volume 2",
        "novel --chapter 48 commit",
        "novel commit -- --chapter 48",
        "novel commit 48",
        "novel --project ../b commit --chapter 48",
        "novel -- --json advance chapter:048:draft",
        "novel advance 'chapter:048:draft",
        "(novel advance chapter:048:draft",
        "$(novel advance chapter:048:draft",
    ]);
}

#[test]
fn what_only_speaks_of_it_passes() {
    assert_passes(&[
        "echo novel advance chapter:048:draft",
        "printf '%s\\n' novel advance chapter:048:draft",
        "timeout 60 echo novel advance chapter:048:draft",
        "grep 'novel advance chapter:048:draft' f",
        "echo 'a; novel advance chapter:048:draft'",
        "echo \"a; novel advance chapter:048:draft\"",
        "echo a\\; novel advance chapter:048:draft",
        "# novel advance chapter:048:draft",
        "ls # && novel advance chapter:048:draft",
        "cat <<EOF\nnovel advance chapter:048:draft\nEOF",
        "cat > a <<-'E' && ls\n\tnovel advance chapter:048:draft\n\tE\n",
        "cat <<A <<B\nnovel advance chapter:048:draft\nA\nnovel advance chapter:048:draft\nB",
        "git commit -m \"$(cat <<'EOF'\nnovel commit --chapter 48; it's (done\nnovel commit --chapter 48\nEOF\n)\" && ls",
        "all=(novel advance chapter:048:draft)",
        "echo $((novel advance chapter:048:draft))",
        "echo ${x:-novel advance chapter:048:draft}",
        "x='novel advance chapter:048:draft'",
        "git commit -m \"novel commit --chapter 48\"",
        "git commit -am 'x' && echo novel",
        "novel-gate wait chapter:048:draft && echo advance",
        "novel-gate advance chapter:048:draft",
        "my-novel advance chapter:048:draft",
        "novel.sh advance chapter:048:draft",
        "node other/dist/cli.js advance novel",
        "node my-novel-writer-cli/dist/cli.js advance chapter:048:draft",
        "for s in novel advance chapter:048:draft; do ls; done",
    ]);
}

#[test]
fn what_only_a_shell_can_tell_passes() {
    assert_passes(&[
        "novel advance $STEP",
        "novel advance chapter:048:$STAGE",
        "novel advance chapter:048:draft $FLAGS",
        "novel commit --chapter 48 \"$@\"",
        "novel commit --chapter $(cat n)",
        "echo chapter:048:draft | xargs novel advance",
        "$NOVEL advance chapter:048:draft",
        "bash -c \"$NOVEL advance chapter:048:draft\"",
        "bash -c $'novel advance chapter:048:draft'",
    ]);
}

#[test]
fn a_command_is_run_where_it_says() {
    for (command, dir, project) in [
        ("novel advance volume:outline", "/b", None),
        ("cd c && novel advance volume:outline", "/b/c", None),
        ("cd c; cd -P -- d\nnovel advance volume:outline", "/b/c/d", None),
        ("if cd /cc; then novel advance volume:outline; fi", "/cc", None),
        ("(cd c; ls); novel advance volume:outline", "/b", None),
        ("cd c && (cd d; novel advance volume:outline)", "/b/c/d", None),
        ("cd ~/c && novel advance volume:outline", "/h/c", None),
        ("cd ~ && novel advance volume:outline", "/h", None),
        ("cd ~c && novel advance volume:outline", "/b/~c", None),
        ("cd \"$DIR\" && novel advance volume:outline", "/b", None),
        ("cd && novel advance volume:outline", "/b", None),
        ("cd - && novel advance volume:outline", "/b", None),
        ("echo cd c && novel advance volume:outline", "/b", None),
        ("cd c && bash -c 'cd d; novel advance volume:outline'", "/b/c/d", None),
        ("novel --project c advance volume:outline", "/b", Some("/b/c")),
        ("cd c && novel --project=d advance volume:outline --project e", "/b/c", Some("/b/c/e")),
        ("novel advance volume:outline --project '/c d'", "/b", Some("/c d")),
        ("novel advance volume:outline --project ~/c", "/b", Some("/h/c")),
        ("novel advance volume:outline --project $(pwd)", "/b", None),
        ("novel advance volume:outline --project ''", "/b", None),
    ] {
        let found = of_text(command, &place());
        let [Advance { dir: found, project: named, .. }] = &found[..] else { panic!("{command}: {found:?}") };
        assert_eq!((&**found, named.as_deref()), (Path::new(dir), project.map(Path::new)), "{command}");
    }
    let long = "cd a; ".repeat(100_000) + "novel advance volume:outline";
    assert!(of_text(&long, &place())[0].dir.as_os_str().len() < 5_000);
}

#[test]
fn a_command_in_words_is_one_without_a_shell() {
    let found = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        of_words(&words, &place()).iter().map(|found| found.step.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["bash", "-lc", "cd . && novel commit --chapter 48"]), [COMMIT]);
    assert_eq!(found(&["novel", "advance", "chapter:048:draft"]), [DRAFT]);
    assert_eq!(found(&["echo", "a;", "novel", "advance", "chapter:048:draft"]), [""; 0]);
    assert_eq!(found(&[]), [""; 0]);
}

/// In a debug build on a machine that is busy; what grows with the square of the length takes minutes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_megabyte_of_anything_is_read_in_one_go() {
    let begin = "novel commit --chapter 48;";
    for part in [
        "(",
        ")",
        "((",
        "$(",
        "$((",
        "${",
        "`",
        "\"",
        "'",
        "\\",
        "\"$(",
        "$'",
        "<<a ",
        "<<a\n",
        "a <<b\nb\n",
        "<(",
        "x=(",
        "cd aaaaaaaaaaaaaaaaaaaa;",
        "(cd a;",
        "(cd a);",
        "a ",
        ";",
        "\n",
        "# ",
        "{ ",
        "env ",
        "--json ",
        "novel advance ",
        "bash -c 'novel commit';",
        "eval novel commit ",
        "eval ",
        "章",
    ] {
        let text = begin.to_owned() + &part.repeat((1 << 20) / part.len());
        let start = Instant::now();
        of_text(&text, &place());
        assert!(start.elapsed() < SOON, "{part:?}: {:?}", start.elapsed());
    }
}

fn parts() -> impl Strategy<Value = String> {
    let parts = [
        "novel",
        " advance ",
        DRAFT,
        " commit --chapter ",
        "48",
        "$(",
        ")",
        "(",
        "((",
        "`",
        "\"",
        "'",
        "$'",
        "${",
        "}",
        "\\",
        "\n",
        ";",
        "&",
        "|",
        ">",
        "<",
        "<<",
        "<<-",
        "a",
        " ",
        "#",
        "=",
        "cd ",
        "bash -c ",
        "eval ",
        "env ",
        "-",
        "章",
        "\0",
        "\r",
        "\t",
    ];
    proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..60)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn what_is_quoted_is_no_command_and_hides_none(text in prop_oneof![parts(), any::<String>()]) {
        let quoted = format!("'{}'", text.replace('\'', "'\\''"));
        prop_assert_eq!(steps(&format!("echo {quoted} && novel commit --chapter 48")), [COMMIT]);
        prop_assert_eq!(steps(&format!("bash -c {quoted}")), steps(&text));
    }

    #[test]
    fn what_stands_before_a_text_counts_whatever_the_text_is(text in prop_oneof![parts(), any::<String>()]) {
        let found = steps(&format!("novel commit --chapter 47\n{text}"));
        prop_assert_eq!(found.first().map(String::as_str), Some("chapter:047:commit"));
    }
}
