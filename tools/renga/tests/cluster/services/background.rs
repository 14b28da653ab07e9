//! Background jobs (docs/design/programs-and-scheduling.md): what the command says and does, on two boards.

use crate::support::{Renga, clusters_can_run};

/// What can be seen and set, and what is refused.
const SETTINGS: &str = r#"
cd /proc/renga/background; ls -1
cat policy jobs ignored
grep -c . thresholds; head -n 2 thresholds
background --policy fast; echo "$? $(cat policy)"
background --threshold cpu 80 disc 3; echo "$? $(head -n 1 thresholds)"
background --threshold period_ms 9; echo "$?"
background --pid 99999; echo "$?"
background --pid 1; echo "$?"
background --pid x; echo "$?"
echo 3 > state; echo "$?"
background; echo "$?"
background nosuch; echo "$?"
background --policy ipd; background --policy
remote -b b background --threshold cpu 80 period_ms 50; head -n 1 thresholds; tail -n 1 thresholds
echo eii > policy; background --ignore init sh; cat ignored; background --ignore ''; cat ignored
/usr/bin/bg sh -c 'exit 7'; echo "$?"
background true & wait $!; echo "$?"
"#;

const SETTINGS_SAYS: &str = "ignored
jobs
policy
state
thresholds
totals
eii
board pid state name
9
cpu 85
cpu_idle 25
background: a policy is off, eii or ipd
1 eii
background: no such threshold, or its value is not allowed; nothing is changed
1 cpu 85
background: no such threshold, or its value is not allowed; nothing is changed
1
background: there is no such process
1
background: init cannot be a background job
1
background: there is no such process to be a job
1
1
2
background: nosuch: not found
127
ipd
cpu 80
period_ms 50
init
sh
7
0
";

/// Holds: proc-writes.
#[test]
fn background_settings_written_by_command_are_read_back() {
    if clusters_can_run() {
        let ended = Renga::script(SETTINGS).end().expect_status(0);
        // The shell's own message names its script, and the usage is long.
        let said = |line: &&str| !line.contains("can't create state");
        let text: String = ended.text().lines().filter(said).map(|line| format!("{line}\n")).collect();
        let (before, rest) = text.split_once("usage:").expect("the usage");
        let (_, after) = rest.split_once("cpu 80 period_ms 50\n").expect("its last example");
        assert_eq!(format!("{before}{after}"), SETTINGS_SAYS, "{}", ended.report());
    }
}

/// A job that computes on b: it is suspended while a program computes there, and resumed; a suspended one is killed at
/// once. All times are tenths of the usual ones.
const JOBS: &str = r#"
show() {
  set -- $(cat /proc/renga/background/jobs); shift 4; [ $# -gt 0 ] || echo none
  while [ $# -gt 0 ]; do echo "$1 $3 $4"; far=$2; shift 4; done
}
background --threshold period_ms 20 eii_first_ms 100
remote -b b background sh -c 'while :; do :; done' &
sleep 0.5; show
remote -b b sh -c 'while :; do :; done' & load=$!
sleep 0.3; show
set -- $(cat /proc/$far/stat); echo "$3"
kill $load; wait $load; sleep 0.5; show
remote -b b sh -c 'while :; do :; done' & load=$!
sleep 0.3; show
kill -9 $far; sleep 0.1; show
kill $load; wait $load; echo over
"#;

const JOBS_SAYS: &str = "b runs sh
b held sh
T
b runs sh
b held sh
none
over
";

/// Holds: jobs-held.
#[test]
fn background_job_beside_computing_program_is_suspended() {
    if clusters_can_run() {
        let ended = Renga::script(JOBS).end();
        // What the shell says of those that are killed.
        let said = |line: &&str| !line.contains("Killed") && !line.contains("Terminated");
        let text: String = ended.text().lines().filter(said).map(|line| format!("{line}\n")).collect();
        assert_eq!(text, JOBS_SAYS, "{}", ended.report());
    }
}

/// P2 in a short form: a program that reads the disk, alone; beside a job that does the same, of the lowest class only;
///    and with EII.
const COSTS: &str = r#"
dread() { /usr/lib/renga/measure $1 dd if=/dev/root of=/dev/null bs=4096 skip=$2 count=$3 2> /dev/null; }
background --policy off; dread warm 8 1; dread alone 300 4500
background sh -c 'while :; do dd if=/dev/root of=/dev/null bs=4096 skip=6000 count=4500 2> /dev/null; done' & job=$!
sleep 0.5; dread lowest 300 1500
background --policy eii; sleep 1.5; dread eii 300 4500
kill -9 $job
"#;
/// The goal with EII, and the sign that the job contends at all, %.
const SLOWER_MOST: f64 = 5.0;
const CONTENDS_LEAST: f64 = 50.0;

/// Holds: jobs-cost.
#[test]
fn background_job_on_same_disk_slows_foreground_within_aim() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::script(COSTS).with(["--system", "solo"]).end();
    let text = ended.text();
    let ns = |name: &str| -> f64 {
        let head = format!("measured {name} ");
        let line = text.lines().find_map(|line| line.strip_prefix(head.as_str()));
        line.and_then(|rest| rest.split(' ').nth(3)?.parse().ok()).unwrap_or_else(|| panic!("{}", ended.report()))
    };
    let slower = |name: &str, part: f64| 100.0 * (ns(name) / (ns("alone") * part) - 1.0);
    let (lowest, eii) = (slower("lowest", 1.0 / 3.0), slower("eii", 1.0));
    println!("longer: {lowest:.2} % beside the lowest class, {eii:.2} % with EII");
    assert!(lowest >= CONTENDS_LEAST, "{lowest:.2} %\n{}", ended.report());
    assert!(eii <= SLOWER_MOST, "{eii:.2} %\n{}", ended.report());
}
