//! The drawing of the rooms on the page about them.

/// What is wrong with it: a room that is missing or unknown, or one that stands beside or below a room that it may import.
pub(super) fn faults(page: &str, rooms: &[(&str, &[&str])], above_all: &[&str]) -> Vec<String> {
    let drawing =
        page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let beside = page.split("stand beside them:").nth(1).and_then(|rest| rest.split(". ").next());
    let beside = beside.unwrap_or_default();
    let is_room = |name: &&str| rooms.iter().any(|(room, _)| room == name) || above_all.contains(name);
    let mut faults = Vec::new();
    let mut floors: Vec<Vec<&str>> = Vec::new();
    for line in drawing.lines() {
        let mut names = line.split_whitespace();
        let first = names.next().unwrap_or_default();
        if !is_room(&first) {
            faults.push(format!("no room: {first}"));
        }
        floors.push(std::iter::once(first).chain(names.take_while(is_room)).collect());
    }
    let floor_of = |room: &str| floors.iter().position(|floor| floor.contains(&room));
    for (room, may_import) in rooms {
        let Some(floor) = floor_of(room) else {
            if !beside.contains(&format!("`{room}`")) {
                faults.push(format!("not drawn and not named: {room}"));
            }
            continue;
        };
        let above = may_import.iter().filter(|other| floor_of(other).is_some_and(|other| other <= floor));
        faults.extend(above.map(|other| format!("{room} does not stand above {other}")));
    }
    faults
}
