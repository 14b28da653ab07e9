//! Traffic of a program's board over the link for it, from the program's `io`, beside the emulator's view of the same
//! run; and the work of one board's cores, from its files, beside the clock.

use crate::support::{Renga, Scratch, clusters_can_run};
use serde_json::Value;
use std::path::Path;

/// A program on b writes into a pipe of a; readings with a pause about each, so that no board sends where intervals of
/// the trace start and end.
const SENDS: &str = r#"
line=$(printf %0999d 0)
sample() { sleep 0.1; echo "$1 $(grep '^b ' /proc/renga/boards | cut -d ' ' -f 3) $(grep link_ /proc/$far/io | tr '\n' ' ')"; sleep 0.1; }
remote -b b sh -c "echo \$\$ > /tmp/far; sleep 2; i=0; while [ \$i -lt 400 ]; do echo $line; i=\$((i+1)); done; exec sleep 1000" | cat > /dev/null &
sleep 0.5; far=$(cat /tmp/far); sample before; sleep 4; sample after
"#;

/// Interval of the trace's figures, s and ms.
const INTERVAL: (&str, u64) = ("0.05", 50);
/// What the program writes: so many lines of so many bytes.
const WRITTEN_BYTES: u64 = 400 * 1000;
/// Of b's traffic between the readings at least this part was for the program: acknowledgements and the readings
/// themselves are not.
const SHARE_LEAST: f64 = 0.95;

/// Holds: proc-times.
#[test]
fn accounts_link_bytes_match_frames_on_link() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("sent");
    let trace = scratch.join("trace");
    let text = Renga::script(SENDS).with(["--trace"]).with([trace.as_os_str()]).end().expect_status(0).text();
    let sample = |when: &str| -> [u64; 3] {
        let line = text.lines().find_map(|line| line.strip_prefix(when)).unwrap_or_else(|| panic!("{text}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["link_bytes:", bytes, "link_frames:", frames] = words[1..] else { panic!("{text}") };
        [words[0], bytes, frames].map(|word| word.parse().unwrap_or_else(|_| panic!("{text}")))
    };
    let ([from_ms, bytes, frames], [until_ms, bytes_after, frames_after]) = (sample("before"), sample("after"));
    let reported = [frames_after - frames, bytes_after - bytes];
    let top = Renga::command(&["top", "--json", "--view", "boards", "--interval-s", INTERVAL.0]);
    let lines = top.with([trace.as_os_str()]).end().expect_status(0).text();
    let mut seen = [0; 2];
    for interval in lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON")) {
        let ms = |key: &str| interval[key].as_u64().expect("a time") / 1_000_000;
        if ms("from_ns") + INTERVAL.1 > from_ms && ms("until_ns") <= until_ms + INTERVAL.1 {
            let of_b = |key: &str| interval["boards"][1][key].as_u64().expect("a figure");
            seen = [seen[0] + of_b("frames"), seen[1] + of_b("sent_bytes")];
        }
    }
    println!("frames and bytes: reported {reported:?}, seen {seen:?}");
    assert!(reported[1] > WRITTEN_BYTES, "reported {reported:?}: less than it wrote\n{text}");
    let near = (0..2).all(|at| reported[at] <= seen[at]) && reported[1] as f64 >= SHARE_LEAST * seen[1] as f64;
    assert!(near, "reported {reported:?}, seen {seen:?}\n{text}");
}

/// Two programs that compute on cores 1 and 2, one on core 3 half of the time, and a shell that keeps to core 0 and
/// sleeps.
const CORES: &str = r#"
taskset -p 1 $$ > /dev/null
spin='while :; do :; done'
taskset 2 sh -c "$spin" & a=$!
taskset 4 sh -c "$spin" & b=$!
taskset 8 sh -c "$spin" & c=$!
sample() { for p in $a $b $c; do set -- $(cat /proc/$p/stat); echo "$when program ${14} ${15}"; done
  while read name user nice system idle rest; do echo "$when $name $user $system $idle"; done < /proc/stat | grep cpu[0-9]
  read up rest < /proc/uptime; echo "$when up $up"; }
sleep 0.2; when=from; sample; sleep 0.5; kill -STOP $c; sleep 0.5; when=until; sample
kill -9 $a $b $c
"#;
/// The error of a reading of all cores, ticks of 10 ms: each figure is cut to whole ones, and a reading itself takes
/// some ms.
const EDGE_TICKS: u64 = 3;
const NS_PER_TICK: u64 = 10_000_000;

/// Holds: proc-times.
#[test]
fn accounts_core_times_match_clock() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("cores");
    let trace = scratch.join("trace");
    let run = Renga::script(CORES).with(["--system", "solo4", "--trace"]).with([trace.as_os_str()]);
    let text = run.end().expect_status(0).text();
    let of = |when: &str, what: &str| -> Vec<Vec<u64>> {
        let head = format!("{when} {what}");
        let rests = text.lines().filter_map(|line| line.strip_prefix(head.as_str()));
        // Hundredths of a second, in `up`, have a point.
        let number = |word: &str| word.replace('.', "").parse().unwrap_or_else(|_| panic!("{text}"));
        rests.map(|rest| rest.split_whitespace().map(number).collect()).collect()
    };
    // A slice under way on another core counts as idle until it ends, so a figure may fall by that.
    let between = |what: &str| -> Vec<Vec<i64>> {
        let pairs = of("from", what).into_iter().zip(of("until", what));
        let change = |(from, until): (&u64, &u64)| *until as i64 - *from as i64;
        pairs.map(|(from, until)| from.iter().zip(&until).map(change).collect()).collect()
    };
    let whole = between("up ")[0][0];
    let (programs, cores) = (between("program "), between("cpu"));
    println!("ticks: {whole} in all, programs {programs:?}, cores {cores:?}");
    assert!(whole >= 100 && programs.len() == 3 && cores.len() == 4, "{text}");
    let near = |reported: i64, wanted: i64| reported.abs_diff(wanted) <= EDGE_TICKS;
    for core in &cores {
        assert!(near(core[1..].iter().sum::<i64>(), whole), "user, system and idle of a core are all its time: {text}");
    }
    for ((program, core), wanted) in programs.iter().zip(&cores[1..]).zip([whole, whole, whole / 2]) {
        assert!(
            near(program[0], wanted) && near(core[1], program[0]),
            "{program:?} of {wanted}, core {core:?}\n{text}"
        );
    }
    assert!(cores[0][1].unsigned_abs() <= EDGE_TICKS, "the shell sleeps: {text}");
    let seen = seen_ticks(&trace, [of("from", "up ")[0][0], of("until", "up ")[0][0]]);
    println!("programs, as the emulator saw them: {seen:?}");
    assert_eq!(seen.len(), cores.len());
    assert!(
        cores.iter().zip(&seen).all(|(core, seen)| near(core[1], *seen as i64)),
        "{cores:?}, seen {seen:?}\n{text}"
    );
}

/// How long programs ran on each core of the only board between two times, all in ticks.
fn seen_ticks(trace: &Path, [from, until]: [u64; 2]) -> Vec<u64> {
    let top = Renga::command(&["top", "--json", "--view", "cores", "--interval-s", "0.01"]);
    let lines = top.with([trace.as_os_str()]).end().expect_status(0).text();
    let intervals = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let number = |value: &Value| value.as_u64().expect("a figure");
    let within = intervals.filter(|interval| (from..until).contains(&(number(&interval["from_ns"]) / NS_PER_TICK)));
    let each = within.map(|interval| -> Vec<u64> {
        let rows = interval["cores"].as_array().expect("rows").iter();
        rows.map(|row| number(&row["programs_ns"])).collect()
    });
    let sums = each.reduce(|all, one| all.iter().zip(one).map(|(all, one)| all + one).collect());
    sums.unwrap_or_default().into_iter().map(|ns| ns / NS_PER_TICK).collect()
}
