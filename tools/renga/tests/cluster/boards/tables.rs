//! Boards boot from tables that are whole, of their own code and keep the rules, or say why they do not.

use crate::support::{Ended, Renga, Scratch, clusters_can_run, root};
use renga_images::system::SystemFile;
use renga_placement::Checked;
use renga_workspace::environment::Environment;
use std::path::Path;

/// Where the version and the code's number are in the head, and where the body begins.
const VERSION_AT: usize = 8;
const CODE_AT: usize = 12;
const BODY_AT: usize = 24;

fn pair() -> Checked {
    let mut environment = Environment::read().expect("the environment can be read");
    environment.root = root();
    SystemFile::find(&environment, "pair").expect("the pair is placed").checked
}

/// The pair's boards, whichever system is tested: tables of another have no board for some.
fn boot(tables: &Path) -> Ended {
    Renga::script("echo booted")
        .with(["--system".as_ref(), "pair".as_ref(), "--tables".as_ref(), tables.as_os_str()])
        .end()
}

/// Boots from `bytes`; what board a says.
fn refusal(scratch: &Scratch, name: &str, bytes: &[u8]) -> String {
    let file = scratch.write(name, bytes);
    let ended = boot(&file);
    let said = ended.text();
    assert!(ended.status == 125 && !said.contains("booted"), "{name}\n{}", ended.report());
    let said = said.lines().find_map(|line| line.strip_prefix("renga: the system's tables"));
    said.unwrap_or_else(|| panic!("{name}\n{}", ended.report())).to_owned()
}

/// The pair's tables, and in them a circle: a page cache on b, which inodes call, may call inodes.
fn with_a_circle() -> Vec<u8> {
    let mut pair = pair();
    let kind = |name: &str| pair.kinds.iter().position(|kind| kind.name == name).expect("a kind of the code's");
    let (caches, inodes, users) = (kind("page_cache"), kind("inode"), kind("user"));
    let cache = pair.groups.iter().position(|group| (group.kind, group.board) == (caches, 1)).expect("it is placed");
    let is_of = |group: usize, kind: usize, board: usize| {
        let group = &pair.groups[group];
        (group.kind, group.board) == (kind, board)
    };
    let mut calls = pair.calls.iter().filter(|call| is_of(call.caller, users, 1) && is_of(call.server, inodes, 0));
    let mut call = *calls.next().expect("programs of b fill pages");
    call.caller = cache;
    pair.calls.push(call);
    pair.to_blob()
}

#[test]
fn tables_of_another_board_are_refused_with_reason() {
    if !clusters_can_run() {
        return;
    }
    let (scratch, good) = (Scratch::new("tables"), pair().to_blob());
    let changed = |at: usize| [&good[..at], &[!good[at]], &good[at + 1..]].concat();
    for (name, bytes, reason) in [
        ("noise", vec![0x5a; 4096], "these are not a system's tables"),
        ("version", changed(VERSION_AT), "their form is version"),
        ("code", changed(CODE_AT), "they were made for another kernel"),
        ("sum", changed(BODY_AT + 100), "they are damaged: the check sum is another one"),
        ("cut", good[..good.len() - 40].to_vec(), "some of their bytes are missing"),
        ("circle", with_a_circle(), "they break a rule: a kind may call what its signature says, and no more"),
        ("long", vec![0; 1 << 20], " are too long or at a wrong place"),
    ] {
        let said = refusal(&scratch, name, &bytes);
        assert!(said.contains(reason), "{name}: {said}");
    }
    let file = scratch.write("good", &good);
    boot(&file).expect_text("booted\n");
}
