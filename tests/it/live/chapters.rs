//! What `novel` wants of a chapter beside its draft, laid ready, so that one line of a shell brings the chapter to its commit.

use serde_json::json;

use crate::sandbox::Sandbox;

/// The id of a chapter's step.
pub(super) fn step(chapter: usize, stage: &str) -> String {
    format!("chapter:{chapter:03}:{stage}")
}

/// The draft of a chapter.
pub(super) fn draft(chapter: usize) -> String {
    format!("staging/chapters/chapter-{chapter:03}.md")
}

/// Lays everything but the draft ready.
pub(super) fn lay_ready(book: &Sandbox, chapter: usize) {
    let name = format!("chapter-{chapter:03}");
    let delta =
        json!({"chapter": chapter, "base_state_version": chapter - 1, "storyline_id": "main", "ops": []});
    let eval = json!({"chapter": chapter, "overall": 4.5, "recommendation": "pass"});
    for (path, text) in [
        (format!("staging/summaries/{name}-summary.md"), "雨。\n".to_owned()),
        (format!("staging/state/{name}-delta.json"), delta.to_string()),
        (format!("staging/state/{name}-crossref.json"), "{}".to_owned()),
        ("staging/storylines/main/memory.md".to_owned(), "雨。\n".to_owned()),
        (format!("staging/logs/style-refiner-{name}-changes.json"), r#"{"changes": []}"#.to_owned()),
    ] {
        book.put(&format!("ready/{chapter}/{path}"), text);
    }
    book.put(&format!("judged/{chapter}/staging/evaluations/{name}-eval.json"), eval.to_string());
}

/// What brings a chapter whose draft is written to its commit.
pub(super) fn to_the_commit(chapter: usize) -> String {
    [
        format!("novel advance {}", step(chapter, "draft")),
        format!("cp -r ready/{chapter}/. ."),
        format!("novel advance {}", step(chapter, "summarize")),
        refined_and_judged(chapter),
        // The commit writes this one anew, but not over an old one.
        "{ mv storylines/main/memory.md ready/ || true; }".to_owned(),
    ]
    .join(" && ")
}

/// What brings a chapter that was written anew there again.
pub(super) fn refined_and_judged(chapter: usize) -> String {
    [
        // Each of these makes `novel` forget an earlier judgement.
        format!("novel advance {}", step(chapter, "refine")),
        format!("cp -r judged/{chapter}/. ."),
        format!("novel advance {}", step(chapter, "judge")),
    ]
    .join(" && ")
}
