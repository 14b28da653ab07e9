//! Cached names and status are never stale.
//!
//! Programs on two boards change a tree of names, one change at a time; others on both resolve paths all the time. Each
//! answer must match the path at some moment between call and reply: the test keeps the tree after each change, and
//! compares an answer with the trees since its call.

mod change;
mod tree;

use crate::machine::{Finished, possible, run_cluster};
use change::{Change, draw_path};
use renga_abi::Errno;
use renga_phy::loopback::Faults;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram, Status};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tree::{Node, Seen, Tree};

const PLACE: &str = "/hunt";
/// Changes of each of the two programs.
const CHANGES: u32 = 150;
/// A program sleeps so long at most before a change, ns.
const SLEEP_NS: u64 = 400_000;
/// How long a file is kept open at most.
const OPEN_NS: u64 = 4_000_000;
/// How long one waits for the other.
const SLICE_NS: u64 = 20_000;

/// The tree as it was, after each change that has begun; how many of those are over.
struct History {
    trees: RefCell<Vec<Tree>>,
    done: Cell<usize>,
    changing: Cell<bool>,
    writers: Cell<u32>,
    lookups: Cell<u64>,
}

impl History {
    fn begin(&self, tree: Tree) {
        self.trees.borrow_mut().push(tree);
    }

    /// Whether `says` is true of one of the trees from number `from` on.
    fn was(&self, from: usize, says: impl Fn(&Tree) -> bool) -> bool {
        self.trees.borrow()[from..].iter().any(says)
    }
}

/// What an answer says.
fn seen(answer: Result<Status, Errno>) -> Seen {
    match answer {
        Err(Errno::ENOENT) => Seen::Nothing,
        Err(Errno::ENOTDIR) => Seen::NoDirectory,
        Err(Errno::ELOOP) => Seen::Loop,
        Err(errno) => panic!("{errno:?}"),
        Ok(Status { mode, links, bytes }) => match mode & 0o170_000 {
            0o040_000 => Seen::Directory,
            0o120_000 => Seen::Link,
            _ => Seen::File { mode: mode & 0o7777, links, bytes },
        },
    }
}

async fn write(program: SimProgram, mut random: Random, history: Rc<History>) {
    for _ in 0..CHANGES {
        let _ = program.sleep(random.below(SLEEP_NS)).await;
        while history.changing.replace(true) {
            let _ = program.sleep(SLICE_NS).await;
        }
        let now = history.trees.borrow().last().cloned().unwrap();
        // Most random changes are possible.
        let (change, tree) = loop {
            let (mut change, mut tree) = (Change::draw(&mut random), now.clone());
            if change.apply(&mut tree).is_some() {
                break (change, tree);
            }
        };
        history.begin(tree);
        change.make(&program, PLACE).await;
        history.done.set(history.trees.borrow().len() - 1);
        history.changing.set(false);
    }
    history.writers.set(history.writers.get() - 1);
}

/// Lists what is at the path in one call, if it is a directory: all of it was so at one moment.
async fn list(program: &SimProgram, path: &str, history: &History, before: usize) {
    let Ok(directory) = program.open(&format!("{PLACE}{path}"), Open::Read).await else { return };
    let listed = program.list_open(directory, 4096).await;
    program.close(directory).await.unwrap();
    let mut listed = match listed {
        Ok(listed) => listed,
        Err(errno) => return assert_eq!(errno, Errno::ENOTDIR, "{path}"),
    };
    listed.retain(|name| !matches!(name.as_str(), "." | ".."));
    listed.sort();
    let trees = &history.trees.borrow()[before..];
    let was_listed = |id| {
        let is =
            |tree: &Tree| matches!(tree.nodes.get(id), Some(Node::Directory { names, .. }) if names.keys().eq(&listed));
        trees.iter().any(is)
    };
    assert!(trees.iter().filter_map(|tree| tree.find(path, true).ok()).any(was_listed), "{path}: {listed:?}");
}

async fn look_up(program: SimProgram, mut random: Random, history: Rc<History>) {
    while history.writers.get() > 0 {
        let ((path, follow), before) = (draw_path(&mut random), history.done.get());
        let full = format!("{PLACE}{path}");
        if random.once_in(6) {
            list(&program, &path, &history, before).await;
        } else if random.occurs(75) {
            let answer = seen(program.status(&full, follow).await);
            let now =
                || history.trees.borrow()[before..].iter().map(|tree| tree.lookup(&path, follow)).collect::<Vec<_>>();
            assert!(
                history.was(before, |tree| tree.lookup(&path, follow) == answer),
                "{path}: {answer:?}, not {:?}",
                now()
            );
        } else {
            let opened = program.open(&full, Open::Read).await;
            let there =
                |tree: &Tree| !matches!(tree.lookup(&path, true), Seen::Nothing | Seen::NoDirectory | Seen::Loop);
            assert!(history.was(before, |tree| there(tree) == opened.is_ok()), "{path}: {opened:?}");
            if let Ok(file) = opened {
                // However long it is open, it is the same file, with a name or without.
                if random.occurs(50) {
                    let _ = program.sleep(random.below(OPEN_NS)).await;
                }
                match program.read_all(file, 4096).await {
                    Ok(bytes) => assert!(bytes.iter().all(|byte| *byte == bytes[0]), "{path}: of two files"),
                    Err(errno) => assert_eq!(errno, Errno::EISDIR, "{path}"),
                }
                program.close(file).await.unwrap();
            }
        }
        history.lookups.set(history.lookups.get() + 1);
        if random.once_in(8) {
            let _ = program.sleep(random.below(SLEEP_NS)).await;
        }
    }
}

fn hunt(seed: u64, faults: Faults) -> (Finished, u64) {
    let (trees, done, changing) = (RefCell::new(vec![Tree::new()]), Cell::new(0), Cell::new(false));
    let history = Rc::new(History { trees, done, changing, writers: Cell::new(2), lookups: Cell::new(0) });
    let of_init = history.clone();
    let init = move |init: SimProgram| {
        let history = of_init.clone();
        async move {
            init.make_directory(PLACE).await.unwrap();
            init.sync_all().await.unwrap();
            let free = init.free_inodes().await.unwrap();
            let mut random = Random::new(seed);
            let mut children = Vec::new();
            for (board, writes) in [(0, true), (1, true), (0, false), (1, false), (1, false)] {
                let (history, random) = (history.clone(), random.fork());
                let child = move |program: SimProgram| async move {
                    if writes {
                        write(program, random, history).await
                    } else {
                        look_up(program, random, history).await
                    }
                    0
                };
                children.push(init.fork_on(board, child).await.unwrap());
            }
            for pid in children {
                assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            }
            // A file without a name is freed, whichever program had it open.
            init.sync_all().await.unwrap();
            let nodes = history.trees.borrow().last().unwrap().count() as u64;
            assert_eq!(init.free_inodes().await.unwrap() + nodes, free, "{nodes} have a name");
            // The later reader of the medium does not follow links.
            let mut links = Vec::new();
            history.trees.borrow().last().unwrap().add_links_below(Tree::ROOT, PLACE, &mut links);
            for link in links {
                init.unlink(&link).await.unwrap();
            }
            0
        }
    };
    let finished = run_cluster(ClusterSetup { faults, seed, ..ClusterSetup::new(2) }, init);
    (finished, history.lookups.get())
}

/// Holds: leases-coherent.
#[test]
fn name_cache_never_answers_stale() {
    if !possible() {
        return;
    }
    let bad = Faults { lost_per_mille: 20, doubled_per_mille: 20, changed_per_mille: 10, ..Faults::NONE };
    for seed in 1..=12 {
        let faults = if seed % 3 == 0 { bad } else { Faults::NONE };
        let (finished, lookups) = hunt(seed, faults);
        assert_eq!(finished.status, 0, "seed {seed}");
        println!("seed {seed}: {lookups} lookups during {} changes", 2 * CHANGES);
        assert!(lookups > u64::from(CHANGES), "seed {seed}: {lookups} lookups");
    }
}

/// Checks each of some paths `times` times on the other board; the frames that both boards sent in all.
fn frames_of_lookups(times: u64) -> u64 {
    let init = move |init: SimProgram| async move {
        init.make_directory(PLACE).await.unwrap();
        init.make_file("/hunt/file", 0o600).await.unwrap();
        init.make_link("file", "/hunt/link").await.unwrap();
        let lookups = move |program: SimProgram| async move {
            for _ in 0..times {
                assert_eq!(program.status("/hunt/file", true).await.unwrap().mode, 0o100_600);
                assert_eq!(program.status("/hunt/link", true).await.unwrap().mode, 0o100_600);
                assert_eq!(program.status("/hunt/none", true).await, Err(Errno::ENOENT));
            }
            0
        };
        let pid = init.fork_on(1, lookups).await.unwrap();
        assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn name_cache_repeated_stat_sends_no_frame() {
    if possible() {
        let (once, often) = (frames_of_lookups(1), frames_of_lookups(50));
        // Nothing but the acknowledgement of what was under way, at most.
        assert!(often <= once + 1, "{once} frames for looking once, {often} for fifty times");
    }
}
