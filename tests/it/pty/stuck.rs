//! A terminal that takes no output: stopped by a key, or at the end of a dead line.

use super::{JOB, Signal, wait_stopped};
use crate::loop_program::RunningProbe;

#[test]
fn a_terminal_that_takes_no_output_holds_up_no_key() {
    let mut probe = RunningProbe::start();
    probe.terminal.stop_reading();
    probe.terminal.send_keys("起");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn a_late_answer_to_a_question_holds_up_no_key_either() {
    let mut probe = RunningProbe::start_claiming(0);
    probe.terminal.stop_reading();
    // Where the cursor is: nothing may be asked again now.
    probe.terminal.send_keys("\x1b[1;3R");
    probe.terminal.send_keys("起");
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn a_signal_ends_it_in_order_though_the_terminal_takes_no_output() {
    let mut probe = RunningProbe::start();
    probe.terminal.stop_reading();
    probe.terminal.send_keys("起");
    probe.terminal.signal(Signal::TERM);
    assert_eq!(probe.terminal.wait_exit().code, Some(143));
    assert_eq!(probe.log(), ["flush"], "the main loop itself has ended");
}

#[test]
fn a_panic_ends_it_though_the_terminal_takes_no_output() {
    let mut probe = RunningProbe::start();
    probe.terminal.stop_reading();
    probe.terminal.press("f2");
    assert_eq!(probe.terminal.wait_exit().code, Some(101));
    assert_eq!(probe.log(), ["flush"]);
}

#[test]
fn what_happened_meanwhile_is_shown_in_one_frame_and_in_order() {
    let mut probe = RunningProbe::start_under(JOB);
    let pid = probe.pid();
    let frames = |probe: &RunningProbe| {
        // The last line of a frame may still be on its way.
        probe.terminal.wait_for_frame();
        let text = probe.terminal.screen_text();
        text.rsplit_once("count ").and_then(|(_, count)| count.trim().parse::<usize>().ok()).expect(&text)
    };
    let before = frames(&probe);
    probe.terminal.stop_reading();
    for at in 1..=20 {
        probe.terminal.send_keys("起");
        // The second frame can be begun only when the first is taken.
        probe.terminal.press(&format!("alt+{}", ["a", "b"][at % 2]));
    }
    // A stop and what follows it wait their turn too.
    probe.terminal.press("ctrl+z");
    wait_stopped(pid);
    probe.terminal.read_again();
    probe.terminal.wait_for_text("the shell has it");
    probe.terminal.send_keys("x\r");
    probe.terminal.wait_for_text("continued 1");
    probe.terminal.wait_for_text("typed 20 ending 起起起");
    assert!(frames(&probe) <= before + 3, "{}", probe.terminal.screen_text());
    probe.terminal.press("ctrl+q");
    assert_eq!(probe.terminal.wait_exit().code, Some(7));
    probe.assert_given_back();
}
