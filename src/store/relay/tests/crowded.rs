//! As many packets with the same questions as there are names for.

use super::*;

#[test]
fn where_very_many_ask_the_same_no_packet_is_put() {
    let book = Book::new();
    let first = book.open();
    let digits = first.name.clone();
    for number in 2..=SAME {
        let name = packet_name(&format!("{digits}-{number}"));
        fs::write(book.path(&first).with_file_name(name), "{}").expect("a packet");
    }
    let before = book.files();
    let other = Relay::open(&book.project, &book.state, &asked(r#"{"tool_use_id": "u"}"#, &book.spec));
    let error = other.expect_err("too many");
    assert_eq!((error.kind, error.code), (ExitCode::Failed, "write-failed"));
    assert_eq!(error.to_string(), "Too many gates ask exactly the same questions.");
    assert_eq!(book.files(), before);
}
