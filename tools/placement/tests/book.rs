//! The book shows the pair as it is shipped: a box of a process in the picture of the architecture names a kind that
//! its board has, and how many of it; and the pages name the pair's figures.

use renga_placement::{Checked, check, code_kinds, parse};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn pair() -> Checked {
    let system = parse(&read("../../sysprocs/systems/pair.toml")).unwrap_or_else(|error| panic!("{error}"));
    check(&system, &code_kinds()).unwrap_or_else(|error| panic!("{error}"))
}

/// How many of each kind a board has.
fn placed(pair: &Checked, board: usize) -> BTreeMap<&'static str, u16> {
    let mut kinds = BTreeMap::new();
    for (_, group) in pair.groups_on(board) {
        *kinds.entry(pair.kinds[group.kind].name).or_default() += group.count();
    }
    kinds
}

/// What the boxes of system processes say in the group `board` of the picture.
fn boxes<'p>(picture: &'p str, board: &str) -> Vec<&'p str> {
    let begin = picture.find(&format!("<g id=\"{board}\">")).unwrap_or_else(|| panic!("no group {board}"));
    let group = &picture[begin..][..picture[begin..].find("</g>").expect("the group ends")];
    let labels = group.lines().filter(|line| line.contains("class=\"process\"") || line.contains("class=\"link\""));
    let words = |line: &'p str| Some(line.split_once("<text")?.1.split_once('>')?.1.split_once('<')?.0);
    labels.map(|line| words(line).unwrap_or_else(|| panic!("a box without words: {line}"))).collect()
}

/// Holds: placement-drawn.
#[test]
fn picture_shows_shipped_pair() {
    let (picture, pair) = (read("../../docs/design/architecture.svg"), pair());
    for (board, name) in ["a", "b"].into_iter().enumerate() {
        let (kinds, boxes) = (placed(&pair, board), boxes(&picture, name));
        assert!(boxes.len() >= 12, "{name} shows {boxes:?}");
        // Proxies are computed, by group of callers.
        for labels in boxes.into_iter().filter(|labels| *labels != "proxies") {
            let (kind, count) = labels.split_once(" × ").unwrap_or((labels, "1"));
            let found = kinds.get(kind).unwrap_or_else(|| panic!("board {name} has no {kind}: {kinds:?}"));
            assert_eq!(found.to_string(), count, "{kind} on board {name}");
        }
    }
}

/// A figure as the book writes it: with commas.
fn thousands(figure: impl ToString) -> String {
    let digits = figure.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.char_indices().map(|(at, digit)| format!("{}{digit}", comma(at))).collect()
}

/// Holds: placement-figures.
#[test]
fn pages_name_figures_of_shipped_pair() {
    let pair = pair();
    let on_a = placed(&pair, 0);
    let of = |kind: &str| thousands(on_a[kind]);
    let processes = [0, 1].map(|board| pair.process_count(board));
    let [a, b] = processes.map(thousands);
    let [all, waits, chain] =
        [processes.iter().sum::<usize>() as u64, pair.wait_count(), pair.longest_chain.len() as u64];
    let [bytes_a, bytes_b] = [0, 1].map(|board| thousands(pair.message_memory[board].total_bytes()));
    assert_eq!([on_a["lookup_worker"], on_a["data_reader"]], [4, 4], "the FAQ says four");
    let figures = [
        ("faq.md", format!("four lookup workers, four data readers, {} buffers", of("buffer"))),
        ("design/overview.md", format!("The pair has {a} and {b} (")),
        (
            "design/overview.md",
            format!(
                "has {} programs, {} open files and {} pipes a board, and {} inodes",
                of("user"),
                of("file"),
                of("pipe"),
                of("inode")
            ),
        ),
        (
            "design/rendezvous-and-cores.md",
            format!(
                "{} processes with {} possible waits, of which the longest chain has {chain} processes",
                thousands(all),
                thousands(waits)
            ),
        ),
        ("design/link-and-token.md", format!("it is {bytes_a} bytes on a and {bytes_b} on b;")),
    ];
    for (page, wanted) in figures {
        let text = read(&format!("../../docs/{page}"));
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(&wanted), "{page} does not say: {wanted}");
    }
}
