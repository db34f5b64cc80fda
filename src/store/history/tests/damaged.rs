//! Rows that are not what they should be.

use super::*;
use crate::text::Lang;
use rusqlite::Connection;

#[test]
fn a_row_of_a_wrong_type_is_named_and_the_others_are_shown() {
    for (column, value) in [("made", "'soon'"), ("reason", "7"), ("sha256", "x'00'"), ("bytes", "'many'")] {
        let book = Sandbox::new();
        for (path, text) in [(PATH, "one"), ("staging/answers/b.json", "two")] {
            book.put(path, answers(text).to_json());
            book.history(now()).remove(&story(&gate(path)), None).unwrap();
        }
        let sql = format!("UPDATE entries SET {column} = {value} WHERE seq = 1");
        Connection::open(book.state.database()).unwrap().execute(&sql, []).unwrap();
        let found = search(&book.state, &Search::default()).unwrap();
        assert_eq!((found.len(), found.damaged, found.all), (1, 1, 2), "{column}");
        let notice = book.state.take_notice().unwrap().text(Lang::En);
        assert!(notice.contains("-1772187154000 of the history is damaged"), "{notice}");
        // What went last is not known: nothing older is put back in its stead, and new entries are kept.
        let undone = book.history(now()).restore(&story(&gate(PATH)));
        let why = undone.unwrap_err().error().to_string();
        assert!(why.contains(&format!("a row is damaged in the column {column}")), "{why}");
        book.put(PATH, answers("three").to_json());
        book.history(now()).remove(&story(&gate(PATH)), None).unwrap();
        assert_eq!(forget(&book.state, Some(&PATH.into())).unwrap().entries, 2, "{column}");
        let sql = "SELECT count(*) FROM forgotten";
        let known = book.state.read(|state| state.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
        assert_eq!(known, Some(if column == "sha256" { 1 } else { 2 }), "{column}");
        assert_eq!(search(&book.state, &Search::default()).unwrap().all, 1);
    }
}
