//! A real pair whose board b calls anything of board a: that goes on, and its programs' data are as they left them.
//!
//! The same at length, on the host: `tools/sim/tests/system/hostile.rs`.

use crate::support::{Disk, Renga, clusters_can_run};

/// So many calls have to reach servers of board a.
const CALLS: u64 = 7_000;
/// In the least so many times everything was compared meanwhile.
const ROUNDS_MIN: usize = 3;

/// A pipe, a file that is written, others that stay, memory (`keep`), repeatedly until all calls are done. The findings
/// are kept in files, as the attacker writes to the console. `served` is a counter of the link's.
const SCRIPT: &str = r#"
served() { set -- $(/usr/lib/renga/measure served true | sed -n 's/.* totals //p'); shift 8; echo $1; }
mkdir /kept && cd /kept || exit 1
exec 2> faults
seq 20000 > known; seq 5000 | sort > sorted; sha256sum known sorted > sums
{
  while [ $(served) -lt CALLS ]; do
    seq 20000 | sort -rn | sort -n | cmp - known || echo 'a pipe changed its content' >&2
    cp known copy; cmp copy known || echo 'a copy differs' >&2
    sha256sum -c sums > /dev/null || echo 'a file differs' >&2
    rm copy; sync; echo round >> rounds
    sleep 0.2
  done
} | /usr/lib/renga/wild keep
echo "memory $?" > memory
/usr/lib/renga/measure end true > counters
"#;

/// Where a counter of the link is in what `measure` says, as of `Stats` in the router.
fn counter(measured: &str, name: &str) -> u64 {
    let names = ["calls_served", "refused"].into_iter().zip([8, 17]);
    let (_, at) = names.into_iter().find(|(other, _)| *other == name).expect("a counter that is known");
    let totals = measured.split_once(" totals ").expect("totals").1;
    totals.split_whitespace().nth(at).and_then(|count| count.parse().ok()).expect("a count")
}

#[test]
fn hostile_board_harms_no_program_elsewhere() {
    if !clusters_can_run() {
        return;
    }
    let disk = Disk::new("hostile", &SCRIPT.replace("CALLS", &CALLS.to_string()), &[]);
    let options = ["--hostile".into(), "b".into(), "--disk".into(), disk.image().into_os_string()];
    let ended = Renga::run().with(options).end().expect_status(0);
    let text = |path: &str| String::from_utf8(disk.file(path)).expect("text");
    assert_eq!(
        (text("/kept/faults").as_str(), text("/kept/memory").as_str()),
        ("", "memory 0\n"),
        "{}",
        ended.report()
    );
    let known: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    assert!(text("/kept/known") == known, "the file differs on the disk");
    disk.expect_clean(&ended);
    let (rounds, counters) = (text("/kept/rounds").lines().count(), text("/kept/counters"));
    let [served, refused] = ["calls_served", "refused"].map(|name| counter(&counters, name));
    println!("{served} hostile calls reached servers, {refused} ended sessions; all was well {rounds} times");
    assert!(served >= CALLS && rounds >= ROUNDS_MIN, "{served} calls, {rounds} rounds\n{}", ended.report());
}

#[test]
fn hostile_file_board_is_refused() {
    let ended = Renga::command(&["run", "--hostile", "a", "-c", "true"]).end().expect_status(125);
    assert!(ended.stderr.contains("board a has the file system"), "{}", ended.report());
}
