//! A system file's boards given several cores, and its kinds spread over them: whatever may leave the first core does.
//!
//! Invariant: who shares cells goes together, as the placement's check demands. Not here: that check.

/// Kinds that go together.
const GROUPS: [&[&str]; 12] = [
    &["disk"],
    &["buffer_directory", "allocator", "inode_directory", "inode", "write_back"],
    &["path", "walker"],
    &["buffer"],
    &["committer"],
    &["content_reader"],
    &["reaper"],
    &["file_table"],
    &["name_index"],
    &["cleaner"],
    &["pipe_table"],
    &["keyboard", "fifos"],
];

/// The system file `text`, whose boards have none, with so many cores on each.
///
/// # Panics
/// If a kind has no line of its own.
pub fn spread(text: &str, cores: u8) -> String {
    let programs = match cores {
        1 => "[0]",
        2 => "[0, 1]",
        3 => "[1, 2]",
        _ => "[0, 1, 2, 3]",
    };
    let mut text = text.replace("{ name = ", &format!("{{ cores = {cores}, programs = {programs}, name = "));
    for (group, number) in GROUPS.iter().zip(0..).filter(|_| cores > 1) {
        let core = 1 + number % (cores - 1);
        for kind in *group {
            let begin = text.find(&format!("\n{kind} ")).unwrap_or_else(|| panic!("`{kind}` is not placed"));
            let Some(at) = text[begin..].find("{ on = ") else { panic!("`{kind}` is placed in parts") };
            text.insert_str(begin + at + 2, &format!("core = {core}, "));
        }
    }
    text
}
