//! What the author does to the files of standing questions.

use super::change::{Done, blocked_warning, change, has_room, put_back};
use super::edit;
use super::view::{QuestionsView, Row, Section, SetRow};
use crate::ask::standing::Span;
use crate::console::action::Action;
use crate::console::files::Files;
use crate::console::prompt::Prompt;
use crate::console::screen::Cx;
use crate::error::Message;
use crate::store::questions::{NewQuestion, Questions, SetAction, TEMPLATES, Template, blocked_by, path_of};
use crate::text::say;
use std::sync::Arc;

impl QuestionsView {
    pub(super) fn act_on_row(&mut self, action: &Action, cx: &mut Cx<'_>) {
        let file = self.selected_file().map(|row| (row.file.name.clone(), row.is_on()));
        match (action, self.selected(), file) {
            (Action::UndoRedo, ..) => self.put_back(cx),
            (Action::Redo, Some(Row::Step(row)), _) => row.clone().ask_to_take_back(cx),
            (_, Some(Row::Step(row)), _) => row.clone().decide(cx),
            (_, Some(Row::Gate(new)), _) => ask_to_add(new.clone(), cx),
            (_, Some(Row::Set(set)), _) => choose(set.clone(), cx),
            (_, Some(Row::Template(template)), _) => add_template(template, cx),
            (Action::Editor, _, Some((name, _))) => edit::begin(name, cx),
            (Action::Redo, _, Some((name, _))) => ask_to_remove(name, cx),
            (_, _, Some((name, is_on))) => switch(name, !is_on, cx),
            _ => {}
        }
    }

    fn put_back(&mut self, cx: &mut Cx<'_>) {
        if let Some(path) = self.taken.clone() {
            return QuestionsView::put_decision_back(path, cx);
        }
        match (self.removed.clone(), self.selected_file().filter(|row| row.is_edited)) {
            (Some((entry, now)), _) => put_back(entry, now, cx),
            (None, Some(row)) => edit::ask_to_drop(row.file.name.clone(), cx),
            (None, None) => {}
        }
    }
}

fn switch(name: String, is_on: bool, cx: &mut Cx<'_>) {
    let do_it = |name: String, is_on: bool, cx: &mut Cx<'_>| {
        let work = move |files: &Files, questions: &Questions| {
            questions.switch(&files.project, &name, is_on).map_err(|error| error.whole())?;
            let says = if is_on {
                say("{0} is asked from now on.", "{0} 从现在起会提问。")
            } else {
                say(
                    "{0} is kept, and not asked any more; its answers stay.",
                    "{0} 保留，但不再提问；已有的回答不变。",
                )
            };
            Ok(Done::new(says, &[&name]))
        };
        change(work, cx);
    };
    if !is_on {
        return do_it(name, is_on, cx);
    }
    let of = name.clone();
    cx.ask(
        move |files| Ok(files.blocked_by_switching_on(&[&of])),
        move |blocked, cx| {
            let Some(warning) = blocked_warning(&blocked) else { return do_it(name, is_on, cx) };
            let asks = Message::new(say("Switch {0} on?", "打开 {0}？"), &[&name]);
            let yes = move |cx: &mut Cx<'_>| do_it(name.clone(), is_on, cx);
            let prompt = Prompt::new(
                asks,
                say(
                    "Nothing is removed; {editor} changes what is asked.",
                    "不会移走任何内容；可用编辑器改问法。",
                ),
                yes,
            );
            cx.cover(Prompt { warnings: vec![warning], ..prompt });
        },
    );
}

fn add_template(template: &'static Template, cx: &mut Cx<'_>) {
    let lang = cx.model.lang;
    let work = move |files: &Files, questions: &Questions| {
        has_room(questions)?;
        let bytes = template.text(lang).as_bytes();
        questions.put(&files.project, template.name, bytes).map_err(|error| error.whole())?;
        let says =
            say("{0} is asked from now on; it is yours to change.", "{0} 从现在起会提问，可以随意修改。");
        Ok(Done::new(says, &[template.name]))
    };
    change(work, cx);
}

fn ask_to_add(new: Arc<NewQuestion>, cx: &mut Cx<'_>) {
    let name = new.standing.name.clone();
    let rules = new.standing.rules.clone();
    let asks = Message::in_both(|lang| {
        let says = say("Ask this before {0}, as {1}?", "{0} 之前都问这个，存为 {1}？");
        says.fill(lang, &[&rules.before(lang), &path_of(&name)])
    });
    let yes = move |cx: &mut Cx<'_>| {
        let new = new.clone();
        let work = move |files: &Files, questions: &Questions| {
            has_room(questions)?;
            let name = &new.standing.name;
            questions.put(&files.project, name, &new.bytes).map_err(|error| error.whole())?;
            let says = say(
                "{0} is asked from now on. {editor} opens it: there you can say how often, and why.",
                "{0} 从现在起会提问。按 {editor} 打开，可以写明多久问一次、为什么问。",
            );
            Ok(Done { to: Some((Section::Files, path_of(name))), ..Done::new(says, &[name]) })
        };
        change(work, cx);
    };
    let means = say("The gate itself stays as it is.", "这个门控本身不变。");
    cx.cover(Prompt::new(asks, means, yes).unread(cx.model.now));
}

fn ask_to_remove(name: String, cx: &mut Cx<'_>) {
    let asks = Message::new(say("Remove {0} from the book?", "把 {0} 移出本书？"), &[&path_of(&name)]);
    let yes = move |cx: &mut Cx<'_>| {
        let name = name.clone();
        let work = move |files: &Files, questions: &Questions| {
            let removed = questions.remove(&files.history(), &files.project, &name);
            let (entry, _) = removed.map_err(|error| error.whole())?;
            let says = say(
                "{0} was moved to the history; its answers stay. {undo-redo} puts it back.",
                "{0} 已移入历史；已有的回答不变。按 {undo-redo} 放回。",
            );
            Ok(Done { removed: Some((entry, None)), ..Done::new(says, &[&name]) })
        };
        change(work, cx);
    };
    let means = say(
        "The file goes into the history, gates that wait for an answer go; answers that are there stay.",
        "文件移入历史，等待回答的门控随之撤下；已有的回答不变。",
    );
    cx.cover(Prompt::new(asks, means, yes));
}

/// Takes a set; what it switches off is named first.
fn choose(set: SetRow, cx: &mut Cx<'_>) {
    let plan = set.plan.clone();
    cx.ask(
        move |files| {
            let on =
                plan.iter().filter(|(_, action)| *action == SetAction::On).map(|(template, _)| template.name);
            Ok(files.blocked_by_switching_on(&on.collect::<Vec<_>>()))
        },
        move |blocked, cx| {
            let off = (!set.switched_off(cx.model.lang).is_empty()).then(|| {
                let says = say("Switched off: {0}.", "将关闭：{1}。");
                Message::with(says, |lang| set.switched_off(lang).join(lang.comma()))
            });
            let name = set.name;
            let warnings: Vec<Message> = off.into_iter().chain(blocked_warning(&blocked)).collect();
            if warnings.is_empty() {
                return take_set(name, cx);
            }
            let asks = say("Take the set {0}?", "采用“{1}”这一套？");
            let asks = Message::with(asks, |lang| set.says().text(lang).to_owned());
            let means = say(
                "What is switched off stays in the book, with its answers.",
                "关闭的提问仍留在书中，已有的回答不变。",
            );
            let prompt = Prompt::new(asks, means, move |cx| take_set(name, cx)).unread(cx.model.now);
            cx.cover(Prompt { warnings, ..prompt });
        },
    );
}

fn take_set(set: &'static str, cx: &mut Cx<'_>) {
    let lang = cx.model.lang;
    let work = move |files: &Files, questions: &Questions| {
        for (template, action) in questions.plan(set) {
            let done = questions.carry_out(&files.project, (template, action), lang);
            done.map_err(|error| error.whole())?;
        }
        let says = say("The book asks the set {0} from now on.", "书中从现在起用 {0} 这一套。");
        // What it asks is seen at once.
        let first = TEMPLATES.iter().find(|template| template.sets.contains(&set));
        let to = first.map(|first| (Section::Files, path_of(first.name)));
        Ok(Done { to, ..Done::new(says, &[set]) })
    };
    change(work, cx);
}

impl Files {
    /// The parts of the book whose answers would be refused if these were asked as their files are now.
    fn blocked_by_switching_on(&self, names: &[&str]) -> Vec<Span> {
        let questions = Questions::read(&self.project);
        let all = names.iter().filter_map(|name| questions.standing(name));
        all.flat_map(|standing| blocked_by(&self.project, &questions, standing)).collect()
    }
}
