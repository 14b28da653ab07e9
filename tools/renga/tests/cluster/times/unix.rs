//! What rendezvous, interrupts, system calls and commands take stays what it is.

use crate::support::{Renga, clusters_can_run};
use std::sync::LazyLock;

/// What one run of the measurement prints, which ends with 0.
static RENDEZVOUS: LazyLock<String> = LazyLock::new(|| Renga::bench("rendezvous").end().expect_status(0).text());

/// Holds: unix-times.
#[test]
fn unix_times_stay_within_bounds() {
    if !clusters_can_run() {
        return;
    }
    Renga::bench("unix").with(["--short"]).end().expect_status(0);
}

/// Holds: call-instructions.
#[test]
fn rendezvous_instructions_stay_within_bounds() {
    if clusters_can_run() {
        // The status is that of the bounds.
        LazyLock::force(&RENDEZVOUS);
    }
}

/// Holds: kernel-wxn.
#[test]
fn kernel_pages_writable_and_executable_none() {
    if clusters_can_run() {
        let rights = " written, 0 both, and\nprograms may use 0.\n";
        assert!(RENDEZVOUS.contains(rights), "{}", *RENDEZVOUS);
    }
}

/// Holds: user-memory-model.
#[test]
fn user_memory_board_matches_host_model() {
    if clusters_can_run() {
        let line = RENDEZVOUS.lines().find(|line| line.contains("is as its imitation on the host"));
        let figures: Vec<&str> = line.expect("the samples are counted").split(' ').collect();
        assert!(figures[1] == figures[3] && figures[1] != "0", "{}", *RENDEZVOUS);
    }
}

/// Nanoseconds that each of the operations `name` took.
fn each_ns(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.split(' ').nth(1) == Some(name));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in\n{text}"));
    let figures: Vec<u64> = line.split(' ').skip(2).filter_map(|figure| figure.parse().ok()).collect();
    figures[1] / figures[0]
}

#[test]
fn lookup_time_is_independent_of_directory_size() {
    if !clusters_can_run() {
        return;
    }
    let names = |size: u32| ["fill", "find", "miss", "make", "drop", "clear"].map(|what| format!("{what}-{size}"));
    let script = format!("/usr/lib/renga/unix {} {}", names(10).join(" "), names(10_000).join(" "));
    let text = Renga::script(&script).end().expect_status(0).text();
    // Both are cold the first time; among many the name is in no cache of names, and its block is another each time.
    for (what, times, more_ns) in [("miss", 2, 4000), ("make", 2, 4000), ("drop", 2, 4000), ("clear", 2, 4000)] {
        let (few, many) = (each_ns(&text, &format!("{what}-10")), each_ns(&text, &format!("{what}-10000")));
        assert!(many <= times * few + more_ns, "{what}: {few} ns among 10 names, {many} ns among 10,000\n{text}");
    }
}

/// A `stat` beside the freeing or cutting of a large file, and beside one commit after the other, takes at most so
/// long: what other programs run meanwhile, in slices of 1 ms, included.
const LONGEST_STAT_NS: u64 = 2_000_000;

/// Holds: commit-nonblocking.
#[test]
fn stat_beside_free_and_sync_is_not_delayed() {
    if !clusters_can_run() {
        return;
    }
    let fill = "dd if=/dev/zero of=/tmp/large bs=65536 count=512 2>/dev/null; sync";
    let free = "(rm /tmp/large; sync) & /usr/lib/renga/unix stat-longest; wait";
    let cut = "dd if=/dev/zero of=/tmp/large bs=65536 count=512 2>/dev/null; sync; (: > /tmp/large; sync) & /usr/lib/renga/unix stat-longest; wait";
    let syncs = "for i in 1 2 3 4 5 6 7 8 9; do echo $i > /tmp/note; sync; dd if=/dev/zero of=/tmp/part bs=4096 count=64 conv=fsync 2>/dev/null; done";
    let text = Renga::script(&format!("{fill}; {free}; {cut}; ({syncs}) & /usr/lib/renga/unix stat-longest; wait"));
    let text = text.end().expect_status(0).text();
    let longest: Vec<&str> = text.lines().filter(|line| line.starts_with("unix stat-longest 1 ")).collect();
    assert_eq!(longest.len(), 3, "{text}");
    for line in longest {
        let ns: u64 = line.rsplit(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(u64::MAX);
        assert!(ns <= LONGEST_STAT_NS, "{text}");
    }
}
