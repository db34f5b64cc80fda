//! The inbox: moving, filtering, opening.
//!
//! Contract:
//! * The selection stays with its gate while the list changes; before the author moves, it is the first waiting gate.
//! * Whatever is typed filters the list, and Enter opens the gate under the cursor at once.
//! * Enter opens a waiting gate for answering, one that is sent back too, and a blocked one for repair; it shows any other one whole.

use super::detail::Undo;
use super::loading::{find_untold, load_selected};
use super::{ListFilter, Selected, kept, later, needs_author, redo, removal};
use crate::ask::SIGNATURE;
use crate::console::action::{Action, Target};
use crate::console::copy;
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::edit;
use crate::console::form;
use crate::console::form::guard::{PAUSE, acts, prolong};
use crate::console::history;
use crate::console::input::keymap::Context;
use crate::console::model::{Entry, Model, Notice, Place, Status, Tone};
use crate::console::page::Page;
use crate::console::questions;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::console::sentences as s;
use crate::console::story;
use crate::error::Message;
use crate::store::drafts::kept::Why;
use crate::text::say;

/// The list of gates, [`Model::inbox`].
#[derive(Clone, Copy, Debug)]
pub struct InboxScreen;

impl Screen for InboxScreen {
    fn context(&self, model: &Model) -> Context {
        ListFilter::context(model.inbox.filter.as_ref(), Context::Inbox, Context::InboxFilter)
    }

    fn place(&self) -> Option<Place> {
        Some(Place::Inbox)
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let model = view.model;
        let (inbox, empty) = (&model.inbox, model.inbox.is_empty());
        match action {
            Action::Accept | Action::Expand | Action::Next | Action::Previous if empty => {
                No(s::NOTHING_LISTED)
            }
            Action::Expand if offer_on_gate(model, &Action::Accept, true) == As(s::DETAILS_KEY) => Unlisted,
            Action::Back if inbox.filter.is_none() => No(say(
                "This is the list of gates: nothing is open over it. {quit} quits.",
                "这里是门控列表，没有可以返回的地方。按 {quit} 退出。",
            )),
            Action::Later => match inbox.selected() {
                None if empty => No(s::NOTHING_LISTED),
                Some(entry) if inbox.later(entry).is_some() => As(say("bring back", "取回")),
                Some(entry) if needs_author(entry) && !entry.past => Yes,
                Some(_) | None => No(s::NOTHING_TO_PUT_OFF),
            },
            Action::Copy if inbox.status() != Some(Status::Malformed) => Unlisted,
            action if is_on_gate(action) => offer_on_gate(model, action, true),
            _ => Yes,
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        let inbox = &view.model.inbox;
        if self.context(view.model) != Context::Inbox {
            return Vec::new();
        }
        match inbox.selected() {
            None if inbox.is_empty() => vec![Action::Back, Action::Questions],
            Some(entry) if inbox.later(entry).is_some() => vec![Action::Accept, Action::Later],
            Some(_) if inbox.is_packet_at_fault() => {
                vec![Action::Redo, Action::Editor, Action::Copy]
            }
            // The details are nowhere to be seen.
            _ if super::draw::panes(view.model).detail.is_empty() => vec![Action::Accept, Action::Expand],
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        let inbox = &mut cx.model.inbox;
        match action {
            Action::Point(Target::Row(row)) if row == inbox.row && inbox.moved => open(cx),
            Action::Next => to_section(true, cx),
            Action::Previous => to_section(false, cx),
            Action::Accept => {
                ListFilter::leave(&mut inbox.filter);
                open(cx);
            }
            Action::Edit(edit) => {
                let is_blank = |filter: &Option<ListFilter>| {
                    filter.as_ref().is_none_or(|filter| filter.field.text().is_empty())
                };
                if is_blank(&inbox.filter) {
                    inbox.from = inbox.selection();
                }
                if ListFilter::edit(&mut inbox.filter, edit) {
                    inbox.refilter();
                    let from = inbox.from.as_ref().filter(|_| is_blank(&inbox.filter));
                    let row = from.and_then(|from| inbox.place_of(from)).unwrap_or(0);
                    move_to(row, cx);
                }
            }
            Action::Filter => ListFilter::focus(&mut inbox.filter),
            Action::Back => close_filter(cx),
            Action::Redo => match inbox.selected_kept().cloned() {
                Some(kept) => kept::ask_to_drop(kept, cx),
                None => match inbox.selected_path().filter(|_| inbox.is_mendable()) {
                    Some(packet) => edit::packet::ask_to_mend(packet, cx),
                    None => removal::redo(cx),
                },
            },
            Action::UndoRedo => redo::undo(cx),
            Action::SendBack => {
                if let Some(packet) = inbox.selected_path() {
                    inbox.moved = true;
                    form::open::open_reason(packet, cx);
                }
            }
            Action::History => history::open(cx),
            Action::Questions => questions::open(cx),
            Action::Later => later::toggle(cx),
            Action::Editor => {
                let is_at_fault = inbox.is_packet_at_fault();
                if let Some(packet) = inbox.selected_path() {
                    inbox.moved = true;
                    if is_at_fault {
                        edit::packet::begin(packet, cx);
                    } else {
                        edit::begin(packet, None, cx);
                    }
                }
            }
            action => {
                if let Some(row) = action.row_from(inbox.row, inbox.scroll.rows()) {
                    move_to(row, cx);
                }
            }
        }
    }

    fn offer_on_page(&self, action: &Action, model: &Model) -> Option<Available> {
        let drops = *action == Action::Clear && model.inbox.selected_kept().is_some();
        (drops || is_on_gate(action)).then(|| offer_on_gate(model, action, false))
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        if matches!(action, Action::Redo | Action::UndoRedo) {
            cx.uncover();
        }
        match action {
            Action::Clear => self.act(Action::Redo, cx),
            action if is_on_gate(&action) => self.act(action, cx),
            _ => {}
        }
    }

    fn copied(&self, view: View<'_>) -> Option<String> {
        copy::of_selected(view.model)
    }

    fn is_guarded(&self, action: &Action, view: View<'_>) -> bool {
        // Words only filter.
        let harmless = matches!(action, Action::Quit | Action::Edit(_));
        view.model.inbox.guarded_until.is_some() && !harmless && acts(action, true)
    }

    fn touch(&mut self, _action: &Action, model: &mut Model) {
        prolong(&mut model.inbox.guarded_until, model.now);
    }

    fn look(&mut self, listed: bool, cx: &mut Cx<'_>) {
        kept::look(listed, cx);
        if listed || cx.model.place == Place::Inbox {
            find_untold(cx);
        }
        if cx.model.place == Place::Inbox {
            load_selected(cx);
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        super::draw::draw(view.model, painter);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        super::draw::write(model, sheet);
    }

    fn pane<'a>(&'a self, model: &'a Model) -> Option<&'a Scroll> {
        Some(&model.inbox.detail_scroll)
    }
}

/// Whether it is done to the selected gate, in the list or on the page of its details.
fn is_on_gate(action: &Action) -> bool {
    matches!(action, Action::Accept | Action::Redo | Action::UndoRedo | Action::Editor | Action::SendBack)
}

fn offer_on_gate(model: &Model, action: &Action, listed: bool) -> Available {
    let (inbox, readable) = (&model.inbox, !model.inbox.is_unreadable());
    let status = inbox.status();
    match (action, status) {
        (Action::UndoRedo, _) => offer_to_undo(model),
        (_, None) if inbox.selected_kept().is_some() => kept::offer(model, action, listed),
        (_, None) => No(s::NOTHING_LISTED),
        (Action::SendBack, Some(status)) => offer_to_send_back(model, status, listed),
        (Action::Accept, Some(Status::Waiting | Status::SentBack)) => As(s::ANSWER),
        (Action::Accept, Some(Status::Blocked)) if readable => As(say("repair", "修复")),
        (Action::Accept, Some(_)) if listed => As(s::DETAILS_KEY),
        (Action::Accept, _) => No(s::NOTHING_HERE),
        (Action::Editor, Some(_)) if inbox.gate().is_some_and(|gate| gate.edited) => Yes,
        (Action::Editor, Some(Status::Answered)) if listed => Unlisted,
        (Action::Editor, Some(_)) if inbox.is_packet_at_fault() => {
            let is_ours = inbox.selected().is_some_and(Entry::is_question_file);
            As(if is_ours {
                say("edit the file", "编辑文件")
            } else {
                say("edit the packet", "编辑指令包")
            })
        }
        (Action::Redo, Some(_)) if inbox.is_mendable() => As(say("mend it", "修补")),
        (Action::Redo, Some(_)) if inbox.is_packet_at_fault() => No(match inbox.current_detail() {
            Some(detail) if detail.mending.is_some() => s::MENDED_BY_HAND,
            _ => say(
                "Nothing here can be mended by itself: {editor} opens the file in your editor.",
                "这些错误无法自动修补：按 {editor} 用编辑器打开文件。",
            ),
        }),
        (_, Some(Status::Answered | Status::Blocked)) if readable => Yes,
        (_, Some(Status::Answered | Status::Blocked)) => Unlisted,
        (Action::Editor, _) => No(s::NOTHING_TO_EDIT),
        (_, Some(_)) => No(s::NOTHING_TO_REDO),
    }
}

fn offer_to_send_back(model: &Model, status: Status, listed: bool) -> Available {
    let is_past = model.inbox.selected().is_some_and(|entry| entry.past);
    match status {
        _ if is_past => No(say(
            "The checkpoint has passed this step: nobody would hear that it is sent back.",
            "检查点已越过这一步：退回也没有谁会看到。",
        )),
        Status::Answered if model.relayed().is_some() => No(s::RELAY_IS_ANSWERED),
        Status::Malformed | Status::NoGate => No(s::MALFORMED_HINT),
        Status::SentBack => As(say("change the reason", "改写理由")),
        Status::Answered if listed => Unlisted,
        // That it can be answered there is to be seen first.
        Status::Waiting if model.relayed().is_some() => Unlisted,
        Status::Waiting | Status::Blocked | Status::Answered => Yes,
    }
}

fn offer_to_undo(model: &Model) -> Available {
    let inbox = &model.inbox;
    if inbox.is_sent_back() {
        return As(s::TAKE_BACK);
    }
    let here = inbox.redone.is_some() && inbox.redone == inbox.selected_path();
    let unknown = inbox.selected().is_some() && inbox.current_detail().is_none();
    if inbox.dropped_here().is_some() {
        return As(kept::PUT_BACK);
    }
    // No gate is to be seen.
    if inbox.is_empty() && inbox.filter.is_some() {
        return No(s::NOTHING_LISTED);
    }
    if inbox.mended_here().is_some() {
        return As(say("put the old text back", "恢复原文"));
    }
    match (inbox.undo(), model.redone()) {
        (Some(Undo::Written { entry, .. } | Undo::Replaced(entry)), _) => match &entry.answered_by {
            Some(by) if *by != SIGNATURE => As(say("put theirs back", "放回对方的记录")),
            _ => As(s::CTRL_U_PUTS_BACK),
        },
        (None, None) if here || unknown => Unlisted,
        (None, None) if !inbox.kept.dropped.is_empty() => Unlisted,
        (None, None) => No(s::NOTHING_TO_UNDO),
        // Of another gate: the question names it.
        (None, Some(_)) if !here => Unlisted,
        _ => As(say("put back", "放回回答")),
    }
}

fn move_to(row: usize, cx: &mut Cx<'_>) {
    let inbox = &mut cx.model.inbox;
    inbox.row = row.min(inbox.len().saturating_sub(1));
    inbox.moved = true;
    inbox.detail_scroll.reset();
    load_selected(cx);
}

/// The first row of the next or previous run of gates in one state.
fn to_section(forward: bool, cx: &mut Cx<'_>) {
    let inbox = &cx.model.inbox;
    let starts: Vec<usize> = (0..inbox.len()).filter(|&row| row == 0 || inbox.starts_section(row)).collect();
    let found = if forward {
        starts.iter().find(|&&start| start > inbox.row).or(starts.first())
    } else {
        starts.iter().rev().find(|&&start| start < inbox.row).or(starts.last())
    };
    if let Some(&row) = found {
        move_to(row, cx);
    }
}

fn open(cx: &mut Cx<'_>) {
    let ahead = cx.model.inbox.selected_kept().filter(|kept| kept.why == Why::Ahead);
    if let Some(path) = ahead.and_then(|kept| kept.packet.clone()) {
        return form::open::open(path, cx);
    }
    let Some(entry) = cx.model.inbox.selected() else { return show_details(cx) };
    let packet = entry.path.to_path_buf();
    let status = cx.model.inbox.status().unwrap_or(entry.status);
    match status {
        Status::Waiting | Status::SentBack => form::open::open(packet, cx),
        Status::Blocked if !cx.model.inbox.is_unreadable() => form::open::open(packet, cx),
        Status::Blocked | Status::Answered | Status::Malformed | Status::NoGate => {
            if status == Status::Malformed {
                let says = say(
                    "The packet {0} has errors: nothing can be answered until the executor writes it again.",
                    "指令包 {0} 有误：执行器重新生成之前无法作答。",
                );
                let title = entry.title().into_owned();
                cx.say(Tone::Warn, Message::new(says, &[&title]));
            }
            show_details(cx);
        }
    }
}

/// Shows what is selected on a page; it stays selected, whatever comes.
pub(crate) fn show_details(cx: &mut Cx<'_>) {
    cx.model.inbox.moved = true;
    cx.cover(Page::of(cx.model.inbox.selection()));
}

fn close_filter(cx: &mut Cx<'_>) {
    let inbox = &mut cx.model.inbox;
    let selected = inbox.from.take().or(inbox.selection());
    inbox.filter = None;
    inbox.refilter();
    if let Some(row) = selected.and_then(|selected| inbox.place_of(&selected)) {
        inbox.row = row;
    }
    load_selected(cx);
}

/// What keys in the inbox act on, and what it is called; nothing before the first look at the files has ended.
pub(crate) fn aim(model: &Model) -> Option<(Selected, String)> {
    let inbox = Some(&model.inbox).filter(|inbox| model.place == Place::Inbox && inbox.complete)?;
    let kept = || Some(inbox.selected_kept()?.title());
    let title = inbox.selected().map(|entry| entry.title().into_owned()).or_else(kept)?;
    Some((inbox.selection()?, title))
}

/// A guard begins if another gate came under the cursor than the one of before; one that has gone is named.
pub(crate) fn watch(before: Option<(Selected, String)>, cx: &mut Cx<'_>) {
    let selected = cx.model.inbox.selection();
    let moved = |(before, _): &(Selected, String)| selected.as_ref() != Some(before);
    let Some((before, title)) = before.filter(moved).filter(|_| cx.model.place == Place::Inbox) else {
        return;
    };
    let inbox = &mut cx.model.inbox;
    inbox.guarded_until = selected.is_some().then(|| cx.model.now + PAUSE);
    inbox.detail_scroll.reset();
    // It would become the story of another gate.
    cx.screens.retain(|screen| !screen.is::<story::StoryScreen>());
    let urgent = |notice: &Notice| matches!(notice.tone, Tone::Warn | Tone::Bad);
    let inbox = &cx.model.inbox;
    let says = match &before {
        _ if cx.model.notice.as_ref().is_some_and(urgent) => return,
        Selected::Gate(path) if inbox.row_of(path).is_some() => return,
        Selected::Gate(path) if inbox.drafts.contains_key(path) => say(
            "{0} is no longer in the list. What you typed there is kept: see the end of the list.",
            "{0} 已不在列表中。你在其中写的内容已留存，见列表末尾。",
        ),
        Selected::Kept(..) if inbox.place_of(&before).is_some() => {
            say("{0} is back, and your draft is with it.", "{0} 又回来了，草稿已回到其中。")
        }
        Selected::Gate(_) | Selected::Kept(..) => say("{0} is no longer in the list.", "{0} 已不在列表中。"),
    };
    cx.say(Tone::Plain, Message::new(says, &[&title]));
}
