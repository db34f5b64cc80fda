//! The console's edge on a real terminal: the probe runs in one, and is typed at, signalled, stopped and cut off.

mod reports;
mod stuck;

use std::fs;
use std::time::Duration;

use crate::system::{Signal, kill_process};
use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::loop_program::{self, RunningProbe};
use crate::screen::wait_stopped;

/// All the processor time that starting, ending and waiting between may take. Spinning takes more in less than a second.
const LITTLE_CPU: Duration = Duration::from_millis(500);
/// A shell that has the program as a job, and gets it back with a line.
const JOB: &str = "set -m; \"$@\"; echo the shell has it; read -r line; fg";
/// The leader of the session gets the hang-up signal and ignores it; the program gets none.
const NO_SIGNAL: &str = "trap '' HUP; \"$@\"; exit $?";

/// Not a test: the program that the tests below run.
#[test]
#[ignore = "the program that the other tests run in a terminal"]
fn child_app() {
    if loop_program::is_wanted() {
        std::process::exit(loop_program::main());
    }
}

#[test]
fn quit_gives_the_terminal_back() {
    let mut probe = RunningProbe::start();
    assert!(probe.terminal.modes() != "" && !probe.terminal.modes().contains("ICANON"), "raw while it runs");
    assert_eq!(probe.terminal.cursor(), None, "no text field, no cursor");
    probe.terminal.send_keys("起");
    probe.terminal.wait_for_text("typed 1 ending 起");
    assert_eq!(probe.terminal.cursor(), Some((6, 1)));
    probe.terminal.press("ctrl+q");
    // `wait_exit` compares the modes of the line with those before the start.
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    assert_eq!(probe.assert_given_back(), "", "nothing is printed after the screen");
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn every_frame_is_one_whole_update() {
    let mut probe = RunningProbe::start();
    probe.terminal.send_keys("x");
    probe.terminal.wait_for_text("typed 1");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    let raw = String::from_utf8_lossy(&probe.terminal.raw_output()).into_owned();
    let mut frames = raw.split("\x1b[?2026h");
    frames.next();
    let whole = frames.clone().filter(|frame| frame.contains("\x1b[?2026l")).count();
    assert!(whole >= 2 && whole == frames.count(), "{raw:?}");
}

#[test]
fn a_panic_in_update_ends_with_101_and_its_words() {
    panics_with("f2", "asked to panic \\u{1b}[31min 起点");
}

#[test]
fn a_panic_in_draw_ends_with_101_and_its_words() {
    panics_with("f3", "asked to panic \\u{1b}[31mwhile drawing");
}

fn panics_with(key: &str, words: &str) {
    let mut probe = RunningProbe::start();
    probe.terminal.press(key);
    assert_eq!(probe.terminal.wait_exit().code, Some(101));
    let after = probe.assert_given_back();
    assert!(after.contains(words), "{after:?}");
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn a_panic_in_a_worker_keeps_quiet_until_the_end() {
    let mut probe = RunningProbe::start();
    probe.terminal.press("f4");
    probe.terminal.wait_for_text("key F4");
    probe.terminal.send_keys("a");
    probe.terminal.wait_for_text("typed 1 ending a");
    assert!(!probe.terminal.screen_text().contains("asked to panic"));
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    let after = probe.assert_given_back();
    assert!(after.contains("asked to panic in a worker"), "{after:?}");
}

#[test]
fn a_frame_does_not_wait_for_ever_for_a_result() {
    let mut probe = RunningProbe::start();
    probe.terminal.press("f8");
    probe.terminal.wait_for_text("key F8");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
}

#[test]
fn signals_end_it_in_order() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let mut probe = RunningProbe::start();
        probe.terminal.signal(signal);
        let exit = probe.terminal.wait_exit();
        assert_eq!((exit.code, exit.signal), (Some(code), None), "{signal:?}");
        assert_eq!(probe.assert_given_back(), "");
        assert_eq!(probe.log(), ["flush"]);
    }
}

#[test]
fn a_hung_main_loop_is_ended_by_the_last_resort() {
    let mut probe = RunningProbe::start();
    probe.hang();
    probe.terminal.signal(Signal::TERM);
    assert_eq!(probe.terminal.wait_exit().code, Some(143));
    probe.assert_given_back();
    assert_eq!(probe.log(), ["hanging", "rescue"]);
}

/// Closes the terminal under the program: it ends as a hang-up ends it, and without spinning.
fn close_and_expect_the_end(probe: &mut RunningProbe) {
    probe.terminal.close_master();
    let exit = probe.terminal.wait_exit();
    assert_eq!(exit.code, Some(129), "{exit:?}");
    assert!(exit.cpu < LITTLE_CPU, "{exit:?}");
}

#[test]
fn closing_the_terminal_ends_a_session_leader() {
    let mut probe = RunningProbe::start();
    probe.warm_up();
    close_and_expect_the_end(&mut probe);
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn closing_the_terminal_ends_it_though_the_signal_was_ignored() {
    let mut probe = RunningProbe::start_under("trap '' HUP; exec \"$@\"");
    probe.warm_up();
    close_and_expect_the_end(&mut probe);
}

#[test]
fn closing_the_terminal_ends_it_though_no_signal_comes() {
    let mut probe = RunningProbe::start_under(NO_SIGNAL);
    probe.warm_up();
    close_and_expect_the_end(&mut probe);
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn a_hung_main_loop_does_not_outlive_its_terminal() {
    let mut probe = RunningProbe::start_under(NO_SIGNAL);
    probe.warm_up();
    probe.hang();
    close_and_expect_the_end(&mut probe);
    assert_eq!(probe.log(), ["hanging", "rescue"]);
}

#[test]
fn ctrl_z_stops_it_and_continuing_paints_all_of_it() {
    stops_and_continues(JOB, |probe| probe.terminal.press("ctrl+z"));
}

#[test]
fn a_stop_signal_from_outside_does_the_same() {
    stops_and_continues(JOB, |probe| kill_process(probe.pid(), Signal::TSTP).expect("sent"));
}

/// It waits for its program, and knows nothing of one that is stopped: the shell would wait for ever.
#[test]
fn a_script_that_has_started_it_stops_and_continues_with_it() {
    let script = JOB.replace("\"$@\"", "sh -c '\"$@\"; exit $?' sh \"$@\"");
    stops_and_continues(&script, |probe| probe.terminal.press("ctrl+z"));
}

fn stops_and_continues(job: &str, stop: impl FnOnce(&RunningProbe)) {
    let mut probe = RunningProbe::start_under(job);
    let (before, pid) = (probe.terminal.modes(), probe.pid());
    stop(&probe);
    wait_stopped(pid);
    probe.terminal.wait_for_bytes(b"\x1b[?1049l");
    probe.terminal.wait_for_text("the shell has it");
    assert!(probe.terminal.modes().contains("ICANON"), "{}", probe.terminal.modes());
    assert_eq!(probe.log(), ["flush"]);
    let already = probe.terminal.raw_output().len();
    probe.terminal.send_keys("x\r");
    probe.terminal.wait_for_text("continued 1");
    let repainted = String::from_utf8_lossy(&probe.terminal.raw_output()[already..]).into_owned();
    for part in ["\x1b[?1049h", "\x1b[?2004h", "\x1b[2J", "probe", "stored"] {
        assert!(repainted.contains(part), "{part:?} in {repainted:?}");
    }
    assert_eq!(probe.terminal.modes(), before);
    probe.terminal.send_keys("起");
    probe.terminal.wait_for_text("typed 1 ending 起");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    probe.assert_given_back();
}

#[test]
fn where_no_shell_could_continue_it_ctrl_z_stops_nothing() {
    for script in [None, Some("\"$@\"; exit $?")] {
        let mut probe = RunningProbe::start_in(script, |_, _| {});
        probe.terminal.press("ctrl+z");
        probe.terminal.send_keys("起");
        probe.terminal.wait_for_text("typed 1 ending 起");
        kill_process(probe.pid(), Signal::TSTP).expect("sent");
        probe.terminal.send_keys("承");
        probe.terminal.wait_for_text("typed 2 ending 起承");
        probe.terminal.press("ctrl+q");
        assert_eq!(probe.terminal.wait_exit().code, Some(7));
    }
}

#[test]
fn half_a_sequence_before_it_is_stopped_swallows_no_key_behind_it() {
    for half in ["\x1b[200~half a paste", "\x1b[<0;1"] {
        let mut probe = RunningProbe::start_under(JOB);
        let pid = probe.pid();
        probe.terminal.send_bytes(format!("a{half}").as_bytes());
        probe.terminal.wait_for_text("typed 1 ending a");
        kill_process(pid, Signal::TSTP).expect("sent");
        wait_stopped(pid);
        probe.terminal.wait_for_text("the shell has it");
        probe.terminal.send_keys("x\r");
        probe.terminal.wait_for_text("continued 1");
        probe.terminal.send_keys("b");
        probe.terminal.wait_for_text("typed 2 ending ab");
        probe.terminal.press("ctrl+q");
        assert_eq!(probe.terminal.wait_exit().code, Some(7), "{half:?}");
    }
}

/// `bg` on a console: it must neither take the terminal from the shell nor be lost for `fg`.
#[test]
fn continued_in_the_background_it_leaves_the_terminal_alone() {
    let mut probe = RunningProbe::start_under(&JOB.replace("; echo", "; bg; echo"));
    let pid = probe.pid();
    probe.terminal.press("ctrl+z");
    probe.terminal.wait_for_text("the shell has it");
    wait_stopped(pid);
    assert!(probe.terminal.modes().contains("ICANON"), "{}", probe.terminal.modes());
    probe.terminal.send_keys("x\r");
    probe.terminal.wait_for_text("continued 1");
    probe.terminal.wait_for_text("typed 0");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    probe.assert_given_back();
}

#[test]
fn a_stopped_program_still_ends_by_a_signal() {
    let mut probe = RunningProbe::start_under(JOB);
    let pid = probe.pid();
    probe.terminal.press("ctrl+z");
    wait_stopped(pid);
    kill_process(pid, Signal::TERM).expect("sent");
    probe.terminal.wait_for_text("the shell has it");
    probe.terminal.send_keys("x\r");
    assert_eq!(probe.terminal.wait_exit().code, Some(143));
    probe.assert_given_back();
}

#[test]
fn a_burst_of_chinese_arrives_whole() {
    let mut probe = RunningProbe::start();
    let text = "起承转合".repeat(500);
    probe.terminal.send_keys(&text);
    probe.terminal.press("ctrl+s");
    probe.terminal.wait_for_text("saves 1");
    probe.terminal.wait_for_text("typed 2000 ending 承转合");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
}

#[test]
fn a_bracketed_paste_of_chinese_arrives_whole() {
    let mut probe = RunningProbe::start();
    let text = format!("\x1b[200~{}\x1b[201~", "起承转合".repeat(500));
    probe.terminal.send_keys(&text);
    probe.terminal.wait_for_text("pasted 2000 ending 承转合");
    probe.terminal.press("ctrl+s");
    probe.terminal.wait_for_text("saves 1");
    probe.terminal.wait_for_text("typed 0");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
}

#[test]
fn a_paste_that_holds_its_own_end_presses_no_key() {
    let probe = RunningProbe::start();
    // Ctrl+S, Enter, and the end that the terminal sends itself.
    probe.terminal.send_keys("\x1b[200~起承\x1b[201~\x13转\r合\x1b[201~");
    probe.terminal.wait_for_text("pasted 5 ending");
    probe.terminal.press("ctrl+s");
    probe.terminal.wait_for_text("saves 1");
    probe.terminal.wait_for_text("typed 0");
}

#[test]
fn half_a_character_before_a_paste_turns_none_of_it_into_keys() {
    for half in [&b"\xc3"[..], b"\xe8\xb5", b"\xf0\x9f\x98"] {
        let mut probe = RunningProbe::start();
        probe.terminal.send_bytes(half);
        // Ctrl+Q would end it, Ctrl+S save.
        probe.terminal.send_bytes(b"\x1b");
        probe.terminal.send_bytes(b"[200~ab\x11\x13\rc\x1b[201~");
        probe.terminal.wait_for_text("pasted 6 ending");
        probe.terminal.press("ctrl+s");
        probe.terminal.wait_for_text("saves 1");
        probe.terminal.wait_for_text("typed 0");
        probe.terminal.press("ctrl+q");
        assert_eq!(probe.terminal.wait_exit().code, Some(7));
    }
}

#[test]
fn a_line_end_inside_a_burst_is_told_from_enter() {
    let probe = RunningProbe::start();
    probe.terminal.send_keys("第一行\r第二行\r第三行");
    probe.terminal.wait_for_text("typed 9 ending 第三行");
    probe.terminal.wait_for_text("line ends 2 enters 0");
    probe.terminal.press("enter");
    probe.terminal.wait_for_text("line ends 2 enters 1");
}

#[test]
fn a_new_size_is_told_and_drawn() {
    let probe = RunningProbe::start();
    probe.terminal.resize(40, 12);
    probe.terminal.wait_for_text("size Some((40, 12))");
    probe.terminal.resize(120, 40);
    probe.terminal.wait_for_text("size Some((120, 40))");
    probe.terminal.wait_for_text("stored 3");
}

#[test]
fn no_size_is_survived() {
    let probe = RunningProbe::start();
    for (width, height) in [(1, 1), (20, 5), (1000, 400), (80, 24)] {
        probe.terminal.resize(width, height);
    }
    probe.terminal.wait_for_text("size Some((80, 24))");
}

#[test]
fn the_terminal_says_how_wide_ambiguous_characters_are() {
    for (column, cells) in [(3, 2), (2, 1), (77, 1)] {
        let probe = RunningProbe::start_claiming(column);
        probe.terminal.wait_for_text(&format!("ambiguous {cells}"));
        probe.terminal.send_keys("雨夜");
        probe.terminal.wait_for_text("typed 2 ending 雨夜");
        probe.terminal.wait_for_text(&format!("ambiguous {cells}"));
    }
}

#[test]
fn a_terminal_that_does_not_answer_holds_up_no_key() {
    let probe = RunningProbe::start_claiming(0);
    probe.terminal.send_keys("雨");
    probe.terminal.wait_for_text("typed 1 ending 雨");
    probe.terminal.wait_for_text("ambiguous 1");
    assert_eq!(questions(&probe), 1, "it is asked once");
}

#[test]
fn the_answer_is_found_behind_and_between_keys() {
    for keys in ["雨\x1b[1;3R", "雨\x1b[1;3R夜", "\x1b[1;3R夜"] {
        let probe = RunningProbe::start_claiming(0);
        probe.terminal.send_keys(keys);
        probe.terminal.wait_for_text("ambiguous 2");
        // The cursor is elsewhere by then.
        probe.terminal.send_keys("\x1b[7;2R");
        probe.terminal.send_keys("止");
        probe.terminal.wait_for_text("ending");
        probe.terminal.wait_for_text("止");
        probe.terminal.wait_for_text("ambiguous 2");
    }
}

/// How often the terminal was asked where its cursor is.
fn questions(probe: &RunningProbe) -> usize {
    probe.terminal.raw_output().windows(4).filter(|bytes| bytes == b"\x1b[6n").count()
}

#[test]
fn clicks_have_cells() {
    let probe = RunningProbe::start();
    probe.terminal.send_bytes(b"\x1b[<0;11;4M\x1b[<0;11;4m");
    probe.terminal.wait_for_text("clicked Some((10, 3))");
}

#[test]
fn the_editor_gets_every_key_and_the_screen_comes_back() {
    let script = "#!/bin/sh\necho editing\nIFS= read -r line\nprintf '%s' \"$line\" > \"$1\"\n";
    let mut probe = RunningProbe::start_in(None, |command, dir| edit_with(command, dir, script));
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("editing");
    probe.terminal.send_keys("q改\r");
    probe.terminal.wait_for_text("edited Well");
    assert_eq!(fs::read_to_string(probe.dir.path().join("text")).unwrap(), "q改");
    probe.terminal.wait_for_text("typed 0");
    probe.terminal.send_keys("后");
    probe.terminal.wait_for_text("typed 1 ending 后");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    probe.assert_given_back();
}

/// Many editors stop their whole group on Ctrl-Z. If the console did not stop with it, the shell would wait for ever.
#[test]
fn an_editor_that_stops_takes_the_console_with_it() {
    let script = "#!/bin/sh\nkill -TSTP 0\nprintf done > \"$1\"\n";
    let mut probe = RunningProbe::start_in(Some(JOB), |command, dir| edit_with(command, dir, script));
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("the shell has it");
    probe.terminal.send_keys("x\r");
    probe.terminal.wait_for_text("edited Well");
    assert_eq!(fs::read_to_string(probe.dir.path().join("text")).unwrap(), "done");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
}

#[test]
fn an_editor_that_fails_is_reported() {
    let probe = RunningProbe::start_in(None, |command, dir| edit_with(command, dir, "#!/bin/sh\nexit 3\n"));
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("edited Badly");
}

#[test]
fn an_editor_that_does_not_exist_is_reported() {
    let probe = RunningProbe::start_in(None, |command, dir| {
        edit_with(command, dir, "");
        command.env("VISUAL", "/nonexistent/editor --wait");
    });
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("edited NotFound");
}

#[test]
fn a_signal_ends_the_editor_too() {
    let mut probe = RunningProbe::start_in(None, |command, dir| {
        edit_with(command, dir, "#!/bin/sh\necho editing\nread -r line\n");
    });
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("editing");
    probe.terminal.signal(Signal::TERM);
    assert_eq!(probe.terminal.wait_exit().code, Some(143));
    probe.assert_given_back();
}

#[test]
fn a_panic_behind_the_editor_costs_no_last_save() {
    let mut probe = RunningProbe::start_in(None, |command, dir| {
        edit_with(command, dir, "#!/bin/sh\necho editing\nread -r line\n");
    });
    probe.terminal.press("f7");
    probe.terminal.wait_for_text("key F7");
    probe.terminal.press("f6");
    probe.terminal.wait_for_text("editing");
    probe.terminal.signal(Signal::TERM);
    assert_eq!(probe.terminal.wait_exit().code, Some(101));
    let after = probe.assert_given_back();
    assert!(after.contains("asked to panic behind the editor"), "{after:?}");
    assert_eq!(probe.log(), ["flush", "flush"], "before the editor, and at the end");
}

fn edit_with(command: &mut CommandBuilder, dir: &TempDir, script: &str) {
    let editor = dir.path().join("editor");
    fs::write(&editor, script).expect("the editor is written");
    command.env("VISUAL", format!("sh {}", editor.display()));
    command.env(loop_program::FILE, dir.path().join("text"));
}
