//! States of a form: what is offered, what was set aside, and what is said above its last row.

use super::prepare::{same_packet, tell};
use super::{RECORD, State};
use crate::screens::stage::Stage;
use novel_gate::console::action::Action as A;
use novel_gate::console::app::{Console, EffectRunner};
use novel_gate::console::input::key::KeyPress;
use novel_gate::console::input::settings;
use novel_gate::console::look::Look;
use novel_gate::console::screen::{Effect, Then};
use novel_gate::console::terminal::event::{Event, Input};
use novel_gate::console::terminal::run_loop::App;
use novel_gate::console::theme::Theme;
use novel_gate::store::FixedClock;
use novel_gate::store::config::{ConfigProblem, KeySetting, Position};
use novel_gate::store::drafts::autosave::Unsaved;
use novel_gate::store::drafts::loan::Loan;
use novel_gate::text::Lang;
use std::path::PathBuf;
use std::sync::Arc;

/// Chapter 13 is answered, and chapter 21 asks the same.
fn last_time(stage: &mut Stage) {
    stage.open("chapter-013-draft").act(A::Down).act(A::Accept).act(A::Submit).act(A::Back);
    same_packet(stage, "021");
    stage.open("chapter-021-draft");
}

/// Chapter 14, with a long text for its last question.
fn long_answers(stage: &mut Stage) {
    stage.open("chapter-014-draft").act(A::Next).act(A::Next).act(A::Pick);
    stage.act(A::Note).write("编辑来信问过这一处，改动前先回信。").act(A::Accept);
    stage.act(A::Next).act(A::All).act(A::Next);
    stage.write(&"结尾停在雨声里，不解释。\n".repeat(24)).act(A::Review);
}

/// A runner of a console that only changes its theme.
struct NoEffects;

impl EffectRunner for NoEffects {
    fn run(&mut self, _: Effect) -> Option<Then> {
        None
    }
    fn flush(&mut self) -> Option<Unsaved> {
        None
    }
    fn write_editor_file(&mut self, _: &str, _: Loan) -> Option<PathBuf> {
        None
    }
    fn read_editor_file(&mut self) -> Result<String, Option<PathBuf>> {
        Err(None)
    }
}

fn next_theme(stage: &mut Stage) {
    stage.open("chapter-013-draft");
    let clock = Arc::new(FixedClock(stage.stack.model.now));
    let mut console = Console::new(stage.stack.model.clone(), Look::fixed(Theme::plain()), NoEffects, clock);
    console.stack = stage.stack.clone();
    console.look.next = Some(Box::new(|_| ("high-contrast".to_owned(), Ok(Theme::plain()))));
    console.update(Event::Input(vec![Input::Key(KeyPress::parse("ctrl+t").expect("a key"))]));
    stage.stack = console.stack;
}

/// Two mistakes in the author's keys.
fn mistaken_settings(stage: &mut Stage) {
    let setting = |(name, key, line): (&str, &str, usize)| KeySetting {
        name: name.to_owned(),
        keys: vec![key.to_owned()],
        place: Position { file: "/home/a/.config/novel-gate/config.toml".to_owned(), line, column: 1 },
    };
    let settings = [("inbox.rdo", "F8", 4), ("choice.review", "Ctrl+Enterr", 7)].map(setting);
    let (_, problems) = settings::apply(&settings);
    stage.stack.model.tell_problems(problems.iter().map(ConfigProblem::message).collect());
}

pub(super) const FORM: &[State] = &[
    ("story-beside", |stage| {
        let is_english = stage.stack.model.lang == Lang::En;
        stage.open(if is_english { "chapter-012-judge" } else { "chapter-012-refine" });
    }),
    ("last-time", last_time),
    ("last-time-taken", |stage| {
        last_time(stage);
        stage.act(A::OtherAnswer);
    }),
    ("filter-none", |stage| {
        stage.open("chapter-012-refine").act(A::Filter).write("没有这个");
    }),
    ("filter-described", |stage| {
        stage.open("volume-outline").act(A::Filter).write("雨夜");
    }),
    ("all", |stage| {
        stage.open("chapter-012-refine").act(A::All);
    }),
    ("cleared", |stage| {
        stage.open("chapter-012-title-fix").act(A::Pick).act(A::Last).act(A::Accept);
        stage.write("泵房来电").act(A::Accept).act(A::Clear);
    }),
    ("new-gates", |stage| {
        stage.open("chapter-015-draft").write("雨停之前，");
        same_packet(stage, "021");
        same_packet(stage, "022");
    }),
    ("new-gate-inbox", |stage| same_packet(stage, "021")),
    ("next-theme", next_theme),
    ("mistaken-settings", mistaken_settings),
    ("mistaken-settings-help", |stage| {
        mistaken_settings(stage);
        stage.act(A::Help);
    }),
    ("review-more", long_answers),
    ("review-more-below", |stage| {
        long_answers(stage);
        stage.act(A::Last);
    }),
    ("note-answered", |stage| {
        stage.open("chapter-013-draft").act(A::Note).write("先试一卷，再换。").act(A::Accept);
        stage.act(A::Next).act(A::Submit).act(A::Back);
        stage.rescan().select("chapter-013-draft");
    }),
    ("receipt-note", |stage| {
        stage.open("chapter-013-draft").act(A::Note).write("先试一卷，再换。").act(A::Accept);
        stage.act(A::Next).act(A::Submit);
    }),
    ("receipt-made", |stage| {
        stage.open("chapter-014-draft").act(A::Next).act(A::Next).act(A::Pick);
        stage.act(A::Next).act(A::Next).act(A::Next).act(A::Submit);
        tell(stage, &["\"chapter-writer\""]);
        stage.make("staging/chapters/chapter-014.md");
    }),
    ("receipt-untold", |stage| {
        stage.open("chapter-014-draft").act(A::Next).act(A::Next).act(A::Pick);
        stage.act(A::Next).act(A::Next).act(A::Next).act(A::Submit).make("staging/chapters/chapter-014.md");
    }),
    ("receipt-told", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        tell(stage, &["\"chapter-writer\"", "null"]);
    }),
    ("receipt-told-whole", |stage| {
        stage.open("chapter-013-draft").act(A::Next).act(A::Submit);
        tell(stage, &["\"chapter-\\u001b[31mwriter\\n✓\\u202e\"", "null"]);
        stage.act(A::Expand);
    }),
    ("inbox-untold", |stage| {
        stage.delete("staging/novel-ask/chapter-012-draft.rounds.jsonl");
        stage.select("chapter-012-draft");
    }),
    ("undo", |stage| {
        stage.redo("chapter-012-draft");
    }),
    ("review-late", |stage| {
        stage.open("chapter-013-draft").act(A::Down).act(A::Accept);
        let theirs = r#"{"version": 1, "topic": "平台绑定", "answered_by": "codex",
            "answered_at": "2026-02-27T10:11:00.000Z", "answers": {"platform": "qidian"}}"#;
        stage.put(RECORD, theirs);
        stage.act(A::Submit);
    }),
];
