//! A malformed packet's own text: in the author's editor, or mended where it can only mean one thing. The old text goes into the
//! history.

use super::came_back;
use crate::ask::JsString;
use crate::ask::syntax::SyntaxKind;
use crate::ask::{decode_packet, mend_packet};
use crate::console::files::Files;
use crate::console::inbox::detail::Mended;
use crate::console::inbox::loading::load_selected;
use crate::console::model::Tone;
use crate::console::prompt::Prompt;
use crate::console::screen::{Cx, Effect, FromEditor};
use crate::console::sentences as s;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::drafts::loan::Loan;
use crate::store::gate::{LoadFault, Loaded, Status, read_file};
use crate::store::history::HistoryEntry;
use crate::store::record;
use crate::store::safe_path::Refusal;
use crate::store::sha256;
use crate::text::encoding::decode;
use crate::text::{Sentence, say};
use std::path::{Path, PathBuf};

/// Changes that the question shows one by one.
const SHOWN: usize = 6;

/// A packet's text as the editor gets it, and the hash of the file that it is to replace.
#[derive(Clone)]
struct Lent {
    path: PathBuf,
    seen: String,
    bytes: Vec<u8>,
}

/// What a packet's file became.
struct Rewritten {
    entry: HistoryEntry,
    /// Why it still cannot be used.
    remains: Option<Message>,
}

/// Opens a packet's file in the author's editor.
pub(crate) fn begin(path: PathBuf, cx: &mut Cx<'_>) {
    cx.ask(
        move |files| files.lend_packet(path),
        |(lent, text), cx| {
            let before = text.clone();
            let loan = Loan { packet: lent.path.clone(), answer_path: key(&lent.path), field: None };
            let then = Box::new(move |back: FromEditor, cx: &mut Cx<'_>| {
                let (text, well) = came_back(back, cx);
                let Some(text) = text.filter(|text| *text != before) else { return };
                // What was typed is kept until it is in its place.
                cx.do_next(Effect::KeepEdited(key(&lent.path), text.clone()));
                if well {
                    write(Lent { bytes: text.into_bytes(), ..lent }, cx);
                }
            });
            cx.do_next(Effect::Edit { text, loan, then });
        },
    );
}

/// Shows what mending would change, and does it if the author says so.
pub(crate) fn ask_to_mend(path: PathBuf, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&path);
    cx.ask(
        move |files| files.mend_packet(path),
        move |(lent, changes, count), cx| {
            let asks = Message::new(say("Mend {0}? It becomes:", "修补 {0}？改动如下："), &[&title]);
            let means = say(
                "The mended text takes the packet's place; the old one goes into the history.",
                "修补后的文本取代原文件，原文存入历史。",
            );
            let mut warnings: Vec<Message> = changes;
            if count > warnings.len() {
                let rest = (count - warnings.len()).to_string();
                warnings.push(Message::new(
                    say(
                        "and {0} more; {prompt.refuse} and then {expand} shows each.",
                        "另有 {0} 处；先按 {prompt.refuse}，再按 {expand} 可逐处查看。",
                    ),
                    &[&rest],
                ));
            }
            let prompt = Prompt::new(asks, means, move |cx| write(lent.clone(), cx));
            cx.cover(Prompt { warnings, ..prompt });
        },
    );
}

fn write(lent: Lent, cx: &mut Cx<'_>) {
    let (path, now) = (lent.path.clone(), sha256(&lent.bytes));
    cx.ask(
        move |files| files.rewrite_packet(&lent),
        move |Rewritten { entry, remains }, cx| {
            // Of one text there is one entry.
            cx.model.inbox.mended.retain(|known| known.entry.sha256 != entry.sha256);
            cx.model.inbox.mended.push(Mended { path, entry, now });
            match remains {
                None => {
                    let says = say(
                        "The packet can be read now; its old text is in the history. {undo-redo} puts it back.",
                        "指令包现在可以读取；原文已存入历史，按 {undo-redo} 放回。",
                    );
                    cx.say(Tone::Good, says);
                }
                Some(why) => {
                    let says = say(
                        "The text is in its place, the old one in the history. What remains: {0}",
                        "文本已写入，原文存入历史。仍有问题：{1}",
                    );
                    cx.say(Tone::Warn, Message::with(says, move |lang| why.text(lang)));
                }
            }
            cx.do_next(Effect::Look);
            load_selected(cx);
        },
    );
}

/// Puts the old text of a packet back.
pub(crate) fn put_back(mended: Mended, cx: &mut Cx<'_>) {
    let id = mended.entry.id();
    let work = move |files: &Files| {
        let bytes = mended.entry.bytes().map_err(|error| error.whole())?;
        let path = files.root_path(&mended.path);
        let done = files.history().rewrite(&path, &mended.now, (&bytes, Some(&mended.entry)));
        done.map(drop).map_err(|fault| fault.error().whole())
    };
    cx.ask(work, move |(), cx| {
        cx.model.inbox.mended.retain(|mended| mended.entry.id() != id);
        cx.say(
            Tone::Good,
            say("The old text of the packet is back, byte for byte.", "已原样放回指令包的原文。"),
        );
        cx.do_next(Effect::Look);
        load_selected(cx);
    });
}

/// Where the author's text of a packet is kept while it is not in its place.
fn key(path: &Path) -> JsString {
    path.shown().into_owned().into()
}

/// What keeps the gate of a packet that can be read from being opened.
fn hitch(loaded: &Loaded) -> Option<Message> {
    let sentence = say("The record that lies there is not valid.", "那里的记录无效。");
    let is_bad = (loaded.status() == Status::Blocked).then_some(sentence);
    let sentence = is_bad.or(loaded.refusal.map(Refusal::sentence)).map(Message::from);
    sentence.or_else(|| {
        let problem = loaded.packet.misspelt.first()?.clone();
        Some(Message::in_both(|lang| problem.sentence(lang)))
    })
}

impl Files {
    fn lend_packet(&self, path: PathBuf) -> Result<(Lent, String), Message> {
        let bytes = read_file(&self.root_path(&path)).map_err(|fault| s::not_loaded(&fault))?;
        let kept = self.edited(&key(&path));
        let decoded = || decode(&bytes).map(|(text, _)| text);
        let text = kept.or_else(decoded).map_or_else(|| String::from_utf8(bytes.clone()), Ok);
        let text = text.map_err(|_| Message::from(NOT_UTF8))?;
        Ok((Lent { path, seen: sha256(&bytes), bytes }, text))
    }

    fn mend_packet(&self, path: PathBuf) -> Result<(Lent, Vec<Message>, usize), Message> {
        let bytes = read_file(&self.root_path(&path)).map_err(|fault| s::not_loaded(&fault))?;
        let mending =
            mend_packet(&bytes).filter(|mending| mending.is_certain).ok_or(Message::from(UNCERTAIN))?;
        let shown = mending.changes.iter().take(SHOWN).cloned();
        let mut changes: Vec<Message> =
            shown.map(|change| Message::in_both(|lang| s::change(&change, lang))).collect();
        let gate = decode_packet(mending.text.as_bytes()).ok().and_then(|packet| packet.gate);
        let record = gate.and_then(|gate| record::read(&self.project, &gate).ok());
        let is_renamed = mending.changes.iter().any(|change| change.slip.kind == SyntaxKind::Misspelt);
        if record.as_ref().is_some_and(|record| record.valid().is_some()) {
            let says = say(
                "A valid record lies there already: once it is mended, the step is open.",
                "那里已有一份有效的记录：修补之后这一步就放行了。",
            );
            changes.insert(0, says.into());
        } else if is_renamed {
            let says = say(
                "Once it is mended, the gate asks, and the step waits for your answers.",
                "修补之后门控开始提问，这一步等你回答。",
            );
            changes.insert(0, says.into());
        }
        let lent = Lent { path, seen: sha256(&bytes), bytes: mending.text.into_bytes() };
        Ok((lent, changes, mending.count))
    }

    fn rewrite_packet(&self, lent: &Lent) -> Result<Rewritten, Message> {
        let path = self.root_path(&lent.path);
        let entry = self.history().rewrite(&path, &lent.seen, (&lent.bytes, None));
        let entry = entry.map_err(|fault| fault.error().whole())?;
        self.drop_edited(&key(&lent.path));
        let remains = match self.load(&lent.path) {
            Err(fault @ LoadFault::Malformed(_)) => Some(fault.error().whole()),
            Err(LoadFault::Unreadable(_)) => None,
            Ok(loaded) => hitch(&loaded),
        };
        Ok(Rewritten { entry, remains })
    }
}

const NOT_UTF8: Sentence =
    say("The file is not UTF-8; save it as UTF-8 first.", "文件不是 UTF-8，请先另存为 UTF-8。");
const UNCERTAIN: Sentence = say(
    "The file has changed, or can mean several things: nothing was mended.",
    "文件已变化，或可能有几种意思：没有修补。",
);
