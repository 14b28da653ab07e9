//! Time used by programs and boards, from their own files, beside the emulator's view of the same run; the cost of
//! reading it; and that services that are off do nothing.

use crate::support::{Renga, Scratch, clusters_can_run, system};
use serde_json::Value;
use std::path::Path;

/// A program that computes on each board, one that has read so many blocks that the pipe is full, and their figures
/// before and after: with a pause about each reading, so that it is idle where intervals of the trace start and end.
const SESSION: &str = r#"
spin='i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; exec sleep 1000'
sample() { sleep 0.1; echo "$1 $(grep -v board /proc/renga/boards | tr '\n' ' ')"; sleep 0.1; }
sample before
sh -c "$spin" & one=$!
remote -b b sh -c "echo \$\$ > /tmp/far; $spin" &
dd if=/dev/root bs=4096 skip=5000 count=100 2> /dev/null | { sleep 4; dd of=/dev/null bs=4096 count=16 2> /dev/null; sleep 1000; } &
sleep 2; sample after; far=$(cat /tmp/far)
for p in $one $far; do set -- $(cat /proc/$p/stat); echo "ticks ${14}"; grep " $p " /proc/renga/processes; done
set -- $(grep ' dd$' /proc/renga/processes); grep read_bytes /proc/$2/io; sleep 2; grep read_bytes /proc/$2/io
for f in /proc/$one/stat /proc/$far/stat /proc/$one/io /proc/stat; do
  /usr/lib/renga/measure once cat $f | tail -n 1; /usr/lib/renga/measure more cat $f $f $f $f $f $f $f $f $f $f $f | tail -n 1
done
"#;

/// Interval of the trace's figures, s and ms.
const INTERVAL: (&str, u64) = ("0.05", 50);
/// The error of a reading of both boards, ms: each figure is cut to whole ones, the reading itself is on one side or
/// the other.
const EDGE_MS: u64 = 4;
/// So many are taken out of the full pipe, and as many more are read.
const BLOCKS_READ: u64 = 16;
const BLOCK_BYTES: u64 = 4096;

/// What reading takes: of ten more, a tenth. Of a program of this board, of the other, what it moved, of all boards.
/// With each further core of a board it may take so much more: calls on the way go to other cores, and what all boards
/// did is added up core by core.
const COSTS_US_MAX: [(&str, u64, u64); 4] =
    [("stat", 25, 4), ("stat of the other board", 450, 4), ("io", 20, 4), ("/proc/stat", 350, 110)];

#[test]
fn accounts_match_emulator_and_idle_services_cost_nothing() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("accounts");
    let trace = scratch.join("trace");
    let text = Renga::script(SESSION).with(["--trace"]).with([trace.as_os_str()]).end().expect_status(0).text();
    let intervals = intervals(&trace);
    let [before, after] = ["before", "after"].map(|when| boards(&text, when));
    for board in 0..2 {
        let [from, until] = [&before, &after].map(|reported| reported[board]);
        let reported = [0, 1, 2].map(|at| until[at] - from[at]);
        let cores = u64::from(system::system().checked.boards[board].cores);
        let reported = [reported[1], reported[2], cores * reported[0] - reported[1] - reported[2]];
        let seen = seen_ms(&intervals, board, from[0], until[0]);
        println!("board {board}: programs, system, all else, ms: reported {reported:?}, seen {seen:?}");
        let near = reported.iter().zip(seen).all(|(reported, seen)| reported.abs_diff(seen) <= EDGE_MS);
        assert!(near, "board {board}: reported {reported:?}, seen {seen:?}\n{text}");
        // One program computed there, all others some milliseconds.
        let computed_us = programs(&text)[board];
        assert!(reported[0].abs_diff(computed_us / 1000) <= EDGE_MS, "board {board}: {computed_us} us\n{text}");
        assert_eq!(ticks(&text)[board], computed_us / 10_000, "{text}");
    }
    let read: Vec<u64> = text.lines().filter_map(|line| line.strip_prefix("read_bytes: ")?.parse().ok()).collect();
    assert_eq!(read[1] - read[0], BLOCKS_READ * BLOCK_BYTES, "{text}");
    reading_is_cheap(&text);
    // No program has used them.
    let summary = Renga::command(&["trace"]).with([trace.as_os_str()]).end().expect_status(0).text();
    let asked: Vec<&str> =
        summary.lines().filter(|line| line.contains("regulator") || line.contains(": reclaimer")).collect();
    assert!(summary.contains("proc_files -> b: procs") && asked.is_empty(), "{asked:?}\n{summary}");
}

fn reading_is_cheap(text: &str) {
    let measured = text.lines().filter(|line| line.starts_with("measured "));
    let taken: Vec<u64> =
        measured.map(|line| line.split(' ').nth(5).and_then(|ns| ns.parse().ok()).unwrap_or(0)).collect();
    assert_eq!(taken.len(), 2 * COSTS_US_MAX.len(), "{text}");
    let more_cores = u64::from(system::system().checked.boards[0].cores - 1);
    for (both, (what, most_us, more_us)) in taken.chunks(2).zip(COSTS_US_MAX) {
        let each_us = both[1].saturating_sub(both[0]) / 10_000;
        println!("{what}: {each_us} us");
        assert!((1..=most_us + more_cores * more_us).contains(&each_us), "{what}: {each_us} us\n{text}");
    }
}

/// The trace, cut into intervals.
fn intervals(trace: &Path) -> Vec<Value> {
    let top = Renga::command(&["top", "--json", "--view", "cores", "--interval-s", INTERVAL.0]);
    let text = top.with([trace.as_os_str()]).end().expect_status(0).text();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The emulator's view of a board's cores between two instants, ms: programs of all, the system on the cores of
/// programs and of their processes, which is the board's own figure, and all else: idle, and the system on other cores.
fn seen_ms(intervals: &[Value], board: usize, from_ms: u64, until_ms: u64) -> [u64; 3] {
    let number = |value: &Value| value.as_u64().expect("a figure");
    let near = |ns: u64| (ns / 1_000_000 + INTERVAL.1 / 2) / INTERVAL.1 * INTERVAL.1;
    let within = intervals.iter().filter(|interval| {
        near(number(&interval["from_ns"])) >= near(from_ms * 1_000_000)
            && near(number(&interval["until_ns"])) <= near(until_ms * 1_000_000)
    });
    let (names, homes) = (system::boards(), system::cores_of("user", board));
    let programs = system::system().checked.program_cores(board);
    let cores = u64::from(system::system().checked.boards[board].cores);
    let mut sums = [0; 3];
    for interval in within {
        for row in interval["cores"].as_array().expect("rows").iter().filter(|row| row["board"] == names[board]) {
            let core = number(&row["core"]) as u8;
            let counts = homes.contains(&core) || programs >> core & 1 != 0;
            let [programs, system, idle] = ["programs_ns", "system_ns", "idle_ns"].map(|key| number(&row[key]));
            let of_row = if counts { [programs, system, idle] } else { [programs, 0, system + idle] };
            sums.iter_mut().zip(of_row).for_each(|(sum, ns)| *sum += ns);
        }
    }
    // The instants are not those of intervals, but it is idle around them.
    let whole = near(until_ms * 1_000_000) - near(from_ms * 1_000_000);
    sums[2] = (sums[2] + cores * (until_ms - from_ms) * 1_000_000).saturating_sub(cores * whole * 1_000_000);
    sums.map(|ns| (ns + 500_000) / 1_000_000)
}

/// Of each board since when it is up, what programs and the system had, ms.
fn boards(text: &str, when: &str) -> Vec<[u64; 3]> {
    let line = text.lines().find_map(|line| line.strip_prefix(when)).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{text}"));
    words.chunks(10).map(|board| [board[2], board[3], board[4]].map(number)).collect()
}

/// Of both programs that computed, us.
fn programs(text: &str) -> Vec<u64> {
    let lines = text.lines().filter(|line| line.ends_with(" sleep") && line.split(' ').count() == 10);
    lines.map(|line| line.split(' ').nth(6).and_then(|us| us.parse().ok()).expect("a time")).collect()
}

fn ticks(text: &str) -> Vec<u64> {
    text.lines().filter_map(|line| line.strip_prefix("ticks ")?.parse().ok()).collect()
}
