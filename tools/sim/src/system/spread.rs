//! A system file's boards given several cores, and its kinds spread over them: whatever may leave the programs' home
//! does.
//!
//! Invariant: processes that share cells stay together, as the placement's check demands. Not here: that check.

use std::collections::BTreeMap;

/// Kinds that go together.
const GROUPS: [&[&str]; 18] = [
    &["disk"],
    &["buffer_directory", "allocator", "inode_directory", "inode", "commit_timer"],
    &["path_lookup", "lookup_worker"],
    &["buffer"],
    &["committer"],
    &["data_reader"],
    &["inode_reclaimer"],
    &["file_table"],
    &["name_index"],
    &["metadata_writeback"],
    &["pipe_table"],
    &["keyboard", "fifos"],
    &["memory", "reclaimer"],
    &["page_cache", "data_writeback", "lease_flusher"],
    &["file"],
    &["references", "name_cache"],
    &["prefetcher"],
    &["socket_table", "socket_closer"],
];
/// What only systems of several boards have.
const LINKED: [&str; 2] = ["lease_flusher", "prefetcher"];

/// The system file `text`, whose boards have none, with so many cores on each, of which `homes` from `home` on are the
/// programs', the first of these also the devices'.
///
/// # Panics
/// If a kind has no line of its own.
pub fn spread(text: &str, cores: u8, home: u8, homes: u8) -> String {
    let programs = match cores {
        1 => "[0]",
        2 => "[0, 1]",
        3 => "[1, 2]",
        _ => "[0, 1, 2, 3]",
    };
    let text = text.replace("{ name = ", &format!("{{ cores = {cores}, programs = {programs}, name = "));
    let mut core_of = BTreeMap::new();
    for (group, number) in GROUPS.iter().zip(0..).filter(|_| cores > 1) {
        let core = (home + 1 + number % (cores - 1)) % cores;
        core_of.extend(group.iter().map(|kind| (*kind, core)));
    }
    let place = |line: &str| match line.split_once(" = { on = ") {
        Some((kind, rest)) if kind.trim_end() == "user" && homes > 1 => {
            let part = |number: u8| format!("{{ core = {}, on = {}", (home + number) % cores, part(rest, homes));
            format!("{kind} = [{}]\n", (0..homes).map(part).collect::<Vec<_>>().join(", "))
        }
        Some((kind, rest)) => {
            let core = core_of.remove(kind.trim_end()).unwrap_or(home);
            format!("{kind} = {{ core = {core}, on = {rest}\n")
        }
        None => format!("{line}\n"),
    };
    let text = text.lines().map(place).collect();
    core_of.retain(|kind, _| !LINKED.contains(kind));
    assert!(core_of.is_empty(), "not placed, or in parts: {core_of:?}");
    text
}

/// What is behind `on = ` in a line that places `count = ...` of something, with so many parts of it.
fn part(rest: &str, parts: u8) -> String {
    let (on, count) = rest.split_once("count = ").unwrap_or_else(|| panic!("no count: {rest}"));
    let count = count.split_once(" }").and_then(|(count, _)| count.parse::<u32>().ok());
    let count = count.unwrap_or_else(|| panic!("no count: {rest}"));
    format!("{on}count = {} }}", count / u32::from(parts))
}
