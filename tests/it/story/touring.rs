//! The tour of the two READMEs, walked as it stands there: each sentence has a proof on the screen or on the disk.

mod tour;

use super::asking::to;
use super::clicking::click;
use crate::docs::read;
use crate::pictures::compare_picture;
use novel_gate::ask::Kind;
use novel_gate::console::form::Form;
use novel_gate::console::input::key::KeyPress;
use novel_gate::console::model::{Place, Size, Status};
use novel_gate::console::prompt::Prompt;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::text::Lang;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tour::Tour;

const VALIDATE: &str = "staging/novel-ask/vol-02-validate.answers.json";
const DRAFT_12: &str = "staging/novel-ask/chapter-012-draft.answers.json";
const DRAFT_13: &str = "staging/manifests/chapter-013-draft.packet.json";

/// A sentence of README.md, the same of README.zh-CN.md, and what shows that it is true.
type Proof = (&'static str, &'static str, fn(&mut Tour));

const TOUR: &[Proof] = &[
    (
        "The inbox lists the gates of 《雨停之前》.",
        "列表里是《雨停之前》的门控。",
        |tour| {
            tour.sees("雨停之前", "雨停之前");
            for (title, ..) in tour.gates() {
                tour.at(&title).sees(&title, &title);
            }
        },
    ),
    ("The sign before each step is its state.", "每行前的符号是状态。", |tour| {
        for (title, status, is_past) in tour.gates() {
            let sign = match status {
                _ if is_past => "·",
                Status::Waiting => "●",
                Status::Blocked => "▲",
                Status::Malformed => "✕",
                _ => "✓",
            };
            tour.at(&title).sees(&format!("▸ {sign} {title}"), &format!("▸ {sign} {title}"));
        }
    }),
    (
        "The details, whole with F4, show the questions, the place of the record and, for a blocked step, every problem.",
        "详情里有问题、答案记录的位置，受阻的步骤还有全部错误；F4 看全部。",
        |tour| {
            tour.at("volume:validate").press("f4");
            let page = tour.read_on();
            for words in ["节奏", VALIDATE, "差不多", "/answers/arcs_keep", "/answers/pace", "/answers/mood"]
            {
                assert!(page.contains(words), "{words}: {page}");
            }
        },
    ),
    ("Open `chapter:013:draft` with Enter.", "在 `chapter:013:draft` 上按 Enter。", |tour| {
        tour.at("chapter:013:draft").press("enter");
        assert!(tour.story.find::<Form>().is_some());
    }),
    (
        "It asks which platform the novel goes to; `qidian` is the default and marked.",
        "它问小说发布到哪个平台，默认的 `qidian` 已标出。",
        |tour| {
            tour.sees("你准备发布到哪个平台？", "你准备发布到哪个平台？")
                .sees("▸ (•) 1  qidian", "▸ (•) 1  qidian");
            tour.sees("default", "默认");
        },
    ),
    (
        "Move with the arrows, press Enter, and you are in the review.",
        "用方向键移动，按 Enter，就到了核对页。",
        |tour| {
            tour.press("down down up enter");
            assert_eq!(tour.story.place(), Place::Review);
        },
    ),
    (
        "The review lists every answer, what is missing first; F4 shows them whole, Tab there the record.",
        "核对页列出每个回答，缺的排在最前；F4 看回答全文，再按 Tab 看将要写出的记录。",
        |tour| {
            tour.sees("▸ ✓ 平台  jjwxc", "▸ ✓ 平台  jjwxc").press("f4 tab");
            tour.sees("\"platform\": \"jjwxc\"", "\"platform\": \"jjwxc\"");
            tour.at("chapter:014:draft").press("enter ctrl+s").sees("▸ ! 周砚", "▸ ! 周砚");
            for header in ["开场", "基调", "出场", "交代"] {
                tour.sees(&format!(" {header}  "), &format!(" {header}  "));
            }
        },
    ),
    (
        "Ctrl+S writes it, and so does a click on Submit; Enter never does.",
        "按 Ctrl+S 或点击“提交”才会写，Enter 从不提交。",
        |tour| {
            tour.again("016").at("chapter:016:draft").press("enter enter enter");
            assert_eq!(tour.record("016"), None);
            tour.press("ctrl+s").press("ctrl+s");
            assert!(tour.record("016").is_some());
            tour.again("017").at("chapter:017:draft").press("enter ctrl+s");
            click(&mut tour.story, if tour.lang == Lang::En { "Submit  Ctrl+S" } else { "提交  Ctrl+S" });
            assert!(tour.record("017").is_some());
        },
    ),
    (
        "Where other packets wait with the same questions, Ctrl+A lists them: those of the same topic are ticked, Space \
         changes that, and Enter takes the ticks.",
        "另有指令包问题完全相同时，按 Ctrl+A 列出：主题相同的已勾选，Space 可改，Enter 采用勾选。",
        |tour| {
            tour.again("018").again("019").at("chapter:018:draft").press("enter ctrl+s ctrl+a");
            let [on, off] = ["[x] chapter:019:draft", "[ ] chapter:019:draft"];
            tour.sees(on, on).press("end space").sees(off, off).press("space").sees(on, on);
            tour.press("enter ctrl+s");
            assert!(tour.record("018").is_some() && tour.record("019").is_some(), "{}", tour.text());
        },
    ),
    (
        "The receipt shows your answers; the record has been read back from the disk.",
        "回执显示你的回答，记录已从磁盘重新读出核验。",
        |tour| {
            tour.again("020").answer("chapter:020:draft");
            assert_eq!(tour.story.place(), Place::Receipt);
            tour.sees("Written and verified", "已写入，读回无误")
                .sees("The default stands: qidian", "采用默认：qidian");
        },
    ),
    ("F4 shows its path and hash.", "F4 显示路径和校验值。", |tour| {
        tour.press("f4").sees(&answers_of("020"), &answers_of("020")).sees("sha256", "sha256");
    }),
    (
        "Enter opens the next gate, Esc returns to the inbox.",
        "Enter 去下一个门控，Esc 返回列表。",
        |tour| {
            tour.press("esc enter");
            assert!(tour.story.find::<Form>().is_some());
            tour.again("021").answer("chapter:021:draft").press("esc");
            assert_eq!(tour.story.place(), Place::Inbox);
        },
    ),
    (
        "`chapter:014:draft` has five questions of all kinds.",
        "`chapter:014:draft` 有五个各种类型的问题。",
        |tour| {
            tour.at("chapter:014:draft").press("enter");
            let questions = &tour.story.form().spec().questions;
            assert_eq!(questions.len(), 5);
            for kind in [Kind::SingleChoice, Kind::MultiChoice, Kind::FreeText] {
                assert!(questions.iter().any(|question| question.kind == kind), "{kind:?}");
            }
        },
    ),
    (
        "`volume:outline` has 28 options: type, and they are filtered; Enter in the last row opens the field for your own \
         answer with these words.",
        "`volume:outline` 有 28 个选项：直接打字就会筛选，在最后一行按 Enter 会带着这些字打开输入框，写成自己的回答。",
        |tour| {
            tour.at("volume:outline").press("enter");
            assert_eq!(tour.story.form().question().options.len(), 28);
            tour.story.burst("海上");
            tour.sees("0/28", "0/28").press("end enter").press("enter");
            assert_eq!(tour.story.place(), Place::Review);
            tour.sees("海上", "海上").sees("your own words", "自己写的");
        },
    ),
    (
        "F9 shows the files that the packet names in `manifest.paths`, as brief, outline and chapter of `chapter:012:judge`, \
         in the inbox too.",
        "F9 显示指令包在 `manifest.paths` 中列出的文件，如 `chapter:012:judge` 的纲领、大纲和本章，在列表里也行。",
        |tour| {
            for opens in ["f9", "enter f9"] {
                tour.at("chapter:012:judge").press(opens);
                let mut seen = String::new();
                for _ in 0..3 {
                    seen += &tour.text();
                    tour.press("tab");
                }
                for file in ["brief.md", "vol-01/outline.md", "chapter-012.md"] {
                    assert!(seen.contains(file), "{opens}, {file}: {seen}");
                }
            }
        },
    ),
    (
        "From 120 columns on they stand beside the question, and F9 gives them the keys.",
        "终端达到 120 列时，它们就在问题旁边，按 F9 后，按键用于翻阅文稿。",
        |tour| {
            tour.at("chapter:014:draft").press("enter");
            let wide = tour.story.model().size.width >= 120;
            assert_eq!(tour.text().contains(".md"), wide, "{}", tour.text());
            let at = tour.story.form().at;
            tour.press("f9 tab").sees("next file", "下一个文件");
            tour.press("esc");
            assert_eq!(tour.story.form().at, at);
        },
    ),
    (
        "`volume:validate` is blocked by a record with four problems.",
        "`volume:validate` 被一份有四处错误的记录挡住。",
        |tour| {
            tour.at("volume:validate").sees("▸ ▲ volume:validate", "▸ ▲ volume:validate");
            tour.sees("4 problems", "4 处错误");
        },
    ),
    (
        "Enter opens the form with the answers that are still valid, and each problem beside its question.",
        "按 Enter 打开表单：仍有效的回答已填好，错处显示在所属问题旁边。",
        |tour| {
            tour.press("enter")
                .sees("差不多", "差不多")
                .press("tab")
                .sees("[x] 1  雨量计线", "[x] 1  雨量计线");
            tour.sees("[x] 2  兄妹线", "[x] 2  兄妹线").sees("▲", "▲").press("tab").sees("▲", "▲");
        },
    ),
    (
        "Where both you and the record have an answer, F7 switches between them.",
        "你和那份记录都答过的题，按 F7 切换。",
        |tour| {
            tour.press("shift+tab 2").sees("[ ] 2  兄妹线", "[ ] 2  兄妹线");
            tour.press("f7").sees("[x] 2  兄妹线", "[x] 2  兄妹线");
            tour.press("f7").sees("[ ] 2  兄妹线", "[ ] 2  兄妹线");
        },
    ),
    ("Ctrl+G opens the record in `$EDITOR`.", "Ctrl+G 用 `$EDITOR` 打开那份记录。", |tour| {
        tour.at("volume:validate").press("ctrl+g");
        assert!(matches!(tour.story.flow, Flow::Edit(_)));
        let bad = tour.file(VALIDATE).expect("the bad record");
        assert_eq!(tour.story.lent().as_deref(), Some(bad.as_str()));
        tour.story.edited(&bad);
    }),
    (
        "When you submit, the bad record moves to the history and yours takes its place.",
        "提交时那份记录移入历史，换成你的。",
        |tour| {
            tour.at("volume:validate").press("enter ctrl+s");
            for _ in 0..3 {
                if tour.text().contains("▸ !") {
                    tour.press("enter 1 ctrl+s");
                }
            }
            tour.press("ctrl+s");
            assert!(
                tour.file(VALIDATE).is_some_and(|record| record.contains("\"human\"")),
                "{}",
                tour.text()
            );
            tour.at("volume:validate").press("f6").sees("replaced (answered by", "被替换（原由");
        },
    ),
    (
        "F8 takes a decision back: the record moves to the history, and the gate waits again with the old answers filled in.",
        "F8 收回回答：记录移入历史，门控带着旧回答重新等待。",
        |tour| {
            tour.at("volume:validate").press("f8");
            assert_eq!(tour.file(VALIDATE), None);
            tour.at("volume:validate").sees("▸ ● volume:validate", "▸ ● volume:validate");
            tour.press("f6")
                .sees("taken back", "收回")
                .at("volume:validate")
                .press("enter")
                .sees("(•) 1  通过", "(•) 1  通过");
        },
    ),
    (
        "If the step has already made something, as `chapter:012:draft` has, you are asked first.",
        "步骤已有产出时（如 `chapter:012:draft`）会先问一次。",
        |tour| {
            tour.at("chapter:012:draft").press("f8");
            assert!(tour.story.find::<Prompt>().is_some() && tour.file(DRAFT_12).is_some());
        },
    ),
    (
        "On that gate, Ctrl+U puts the answers back, and puts yours back where somebody replaced them.",
        "在这个门控上按 Ctrl+U 放回回答；你的记录被别人替换时，也用它放回。",
        |tour| {
            let before = tour.file(DRAFT_12);
            tour.press("enter");
            assert_eq!(tour.file(DRAFT_12), None);
            tour.at("chapter:012:draft").press("ctrl+u");
            assert_eq!(tour.file(DRAFT_12), before);
            tour.again("022").answer("chapter:022:draft");
            let yours = tour.record("022").expect("your record");
            tour.story.put(&answers_of("022"), &yours.replace("human", "codex").replace("qidian", "web"));
            tour.story.scan();
            tour.story.look();
            tour.press("ctrl+u");
            assert_eq!(tour.record("022"), Some(yours), "{}", tour.text());
        },
    ),
    (
        "F6 shows the history of a gate; Tab there shows that of the whole project.",
        "F6 查看门控的历史，再按 Tab 查看整个项目的历史。",
        |tour| {
            tour.at("chapter:020:draft").press("f6");
            assert!(!tour.text().contains("volume:validate"), "{}", tour.text());
            tour.press("tab").sees("volume:validate", "volume:validate");
        },
    ),
    (
        "F12 shows what this book asks you, and what its next steps will ask.",
        "F12 列出这本书会问你什么，接下来的步骤会问什么。",
        |tour| {
            // Those that the tour has added ask something of their own.
            tour.only_the_sample();
            tour.at("chapter:015:draft").press("f12").sees("[x] 开书约定", "[x] 开书约定");
            let row = if tour.lang == Lang::En { "for chapters 16-20" } else { "第 16-20 章" };
            to(&mut tour.story, row);
            tour.sees("chapter:016:draft · 节奏与爽点", "chapter:016:draft · 节奏与爽点");
        },
    ),
    (
        "Enter on 节奏与爽点 before `chapter:016:draft` decides now how fast chapters 16 to 20 go; that step will not ask it.",
        "在 `chapter:016:draft` 的“节奏与爽点”上按 Enter，现在就定下第 16 到 20 章的节奏，到时不再问。",
        |tour| {
            tour.press("enter 2 enter 1 enter ctrl+s").story.wait(1);
            tour.press("ctrl+s").sees("the step does not ask this", "这一步不会再问");
            let record = "staging/novel-ask/rhythm_payoff-chapters-016-020.answers.json";
            assert!(tour.file(record).is_some(), "{}", tour.text());
        },
    ),
    (
        "*How much do you want to decide?* at the end takes another set of questions at once.",
        "最后的“你想决定多少？”一次换一套提问。",
        |tour| {
            tour.press("esc end").sees("(•) close", "(•) 步步把关");
            tour.press("up enter").sees("Take the set", "采用“适中").story.wait(1);
            tour.press("enter").sees("[ ] 成稿验收", "[ ] 成稿验收");
        },
    ),
    (
        "F1 lists every key, those of this screen first.",
        "F1 列出全部按键，当前界面的排在最前。",
        |tour| {
            tour.at("chapter:014:draft").press("f1");
            let (first, all) = (tour.text(), tour.read_on());
            let [inbox, question] = if tour.lang == Lang::En {
                ["Inbox", "Question with options"]
            } else {
                ["列表", "有选项的问题"]
            };
            assert!(first.find(inbox) < first.find(question).or(Some(usize::MAX)), "{first}");
            for key in ["Ctrl+G", "Ctrl+_", "F3", "F10", "Shift+Tab"] {
                assert!(all.contains(key), "{key}: {all}");
            }
        },
    ),
    ("F2 changes the language.", "F2 切换语言。", |tour| {
        tour.press("f2");
        assert_eq!(tour.story.model().lang, tour.lang.other());
    }),
];

fn answers_of(chapter: &str) -> String {
    format!("staging/novel-ask/chapter-{chapter}-draft.answers.json")
}

/// The sentences of the tour in a README.
fn sentences(document: &str, heading: &str, end: char) -> Vec<String> {
    let text = read(document);
    let section =
        text.split_once(heading).and_then(|(_, rest)| rest.split("\n## ").next()).expect("the tour");
    let gap = if end == '.' { " " } else { "" };
    let steps =
        section.trim().lines().map(|line| line.trim().trim_start_matches(|c: char| c.is_ascii_digit()));
    let lines: Vec<&str> = steps.map(|line| line.trim_start_matches(". ")).collect();
    let text = lines.join(gap) + gap;
    let end = format!("{end}{gap}");
    text.split_inclusive(&end).map(|sentence| sentence.trim().to_owned()).collect()
}

/// The keys that a sentence names.
fn named(sentence: &str) -> impl Iterator<Item = KeyPress> {
    let words = sentence.split(|c: char| !c.is_ascii_alphanumeric() && c != '+');
    let keys = words.filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()));
    keys.filter_map(KeyPress::parse)
}

#[test]
fn each_sentence_of_the_tour_has_a_proof() {
    for (document, heading, end) in
        [("README.md", "## A tour of the demo", '.'), ("README.zh-CN.md", "## 演示怎么走", '。')]
    {
        let proven: Vec<&str> =
            TOUR.iter().map(|(english, chinese, _)| if end == '.' { *english } else { *chinese }).collect();
        let told = sentences(document, heading, end);
        for sentence in &told {
            assert!(
                proven.contains(&sentence.as_str()),
                "{document}: nothing in touring.rs proves “{sentence}”"
            );
        }
        assert_eq!(told, proven, "{document}: a sentence that is proven is not told, or in another place");
    }
}

#[test]
fn the_tour_is_true() {
    let mut untrue = Vec::new();
    for (width, height) in [(80, 24), (120, 40)] {
        for lang in [Lang::En, Lang::ZhCn] {
            let mut tour = Tour::begin(Size { width, height }, lang);
            for (english, chinese, proof) in TOUR {
                tour.pressed.clear();
                if catch_unwind(AssertUnwindSafe(|| proof(&mut tour))).is_err() {
                    untrue.push(format!("{width}x{height}, {}: {english}", lang.tag()));
                    continue;
                }
                for key in named(english).chain(named(chinese)) {
                    assert!(tour.pressed.contains(&key), "{key:?} is named and not pressed: {english}");
                }
            }
        }
    }
    assert!(untrue.is_empty(), "not true: {untrue:#?}");
}

/// What the film in the READMEs presses in the demo.
const FILM: [&str; 12] = [
    "",
    "Down Enter",
    "Down Enter",
    "Ctrl+S",
    "Enter",
    "Esc Down Down Down Enter",
    "F9",
    "Esc Esc Up Up Enter",
    "y n",
    "Esc Esc Esc Tab Enter",
    "Esc F12 PageDown Down",
    "Enter",
];

#[test]
fn the_moving_picture_shows_screens_of_the_demo() {
    for lang in [Lang::En, Lang::ZhCn] {
        let mut tour = Tour::begin(Size { width: 80, height: 24 }, lang);
        let scenes = FILM.map(|keys| {
            tour.press(&keys.to_lowercase()).story.scan();
            let keys = if keys.is_empty() { "novel-gate demo" } else { keys };
            (keys.to_owned(), tour.story.console.stack.clone())
        });
        compare_picture("demo", lang, &scenes);
    }
}
