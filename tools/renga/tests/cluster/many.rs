//! Four boards and eight: programs, pipes and deaths are as on two, and eight jobs take little longer than one. All of
//! the pair's tests run there, too: `./renga test --long=quad,octet`.

use crate::support::{Renga, clusters_can_run};

fn octet(script: &str) -> Renga {
    Renga::script(script).with(["--system", "octet"])
}

/// From any board to any: forks, pipes and the files of the first. `OTHERS` are the boards but a, `LAST` is the last
/// one, `PIPES` are pipes through all.
const SESSION: &str = r#"
for b in OTHERS; do remote -b $b uname -n; done
seq 500 | PIPES tail -n 1
remote -b LAST sh -c 'remote -b b sh -c "echo from b > /tmp/said; exit 7"; echo $?; cat /tmp/said'
remote -b c yes | remote -b d head -n 2
for b in OTHERS; do remote -b $b sh -c "exec > /tmp/of-$b; seq 300; exit 3" & done; wait
cat /tmp/of-? | sort -n | uniq -c | sort -rn | tail -n 1
"#;

fn any_board_works_with_any(system: &str, others: &[&str]) {
    if !clusters_can_run() {
        return;
    }
    let pipes: String = others.iter().map(|board| format!("remote -b {board} cat | ")).collect();
    let last = others.last().copied().unwrap_or("a");
    let script = SESSION.replace("OTHERS", &others.join(" ")).replace("PIPES", &pipes).replace("LAST", last);
    let says = format!("{}\n500\n7\nfrom b\ny\ny\n      {} 1\n", others.join("\n"), others.len());
    Renga::script(&script).with(["--system", system]).end().expect_status(0).expect_text(&says);
}

#[test]
fn many_four_boards_reach_each_other() {
    any_board_works_with_any("quad", &["b", "c", "d"]);
}

#[test]
fn many_eight_boards_reach_each_other() {
    any_board_works_with_any("octet", &["b", "c", "d", "e", "f", "g", "h"]);
}

#[test]
fn many_two_failed_boards_leave_others_running() {
    if !clusters_can_run() {
        return;
    }
    let script = "exec 2> /dev/null; remote -b c sleep 1000 & c=$!; remote -b h sleep 1000 & h=$!; \
                  remote -b d sh -c 'sleep 1.2; echo d lives' & d=$!; wait $c; echo $?; wait $h; echo $?; wait $d; \
                  remote -b c true; echo $?; until remote -b h uname -n; do sleep 0.02; done; \
                  seq 100 | remote -b h cat | remote -b g tail -n 1";
    let options = ["--kill", "c@900", "--kill", "h@900", "--restart", "h@1300"];
    let ended = octet(script).with(options).end().expect_status(0);
    assert_eq!(ended.text(), "137\n137\nd lives\n126\nh\n100\n", "{}", ended.report());
}

/// How long the command labelled `name` took, ms.
fn measured_ms(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("measured {name} status 0 ns ")));
    let ns = line.and_then(|line| line.split(' ').next()).and_then(|ns| ns.parse::<f64>().ok());
    ns.unwrap_or_else(|| panic!("no {name} in {text}")) / 1e6
}

/// The caches of all boards have the programs: the second run is measured.
const JOBS: &str = r#"
job='i=0; while [ $i -lt 2680 ]; do i=$((i+1)); done'
spread="for b in b c d e f g h a; do remote -b \$b sh -c '$job' & done; wait"
sh -c "$spread"
/usr/lib/renga/measure one sh -c "$job"
/usr/lib/renga/measure here sh -c "for b in 1 2 3 4 5 6 7 8; do sh -c '$job' & done; wait"
/usr/lib/renga/measure spread sh -c "$spread"
"#;

#[test]
fn many_eight_jobs_speed_up_sixfold() {
    if !clusters_can_run() {
        return;
    }
    let text = octet(JOBS).end().expect_status(0).text();
    let [one, here, spread] = ["one", "here", "spread"].map(|name| measured_ms(&text, name));
    assert!((39.0..42.0).contains(&one), "a job is to take 40 ms, and takes {one}");
    assert!(here >= 6.0 * spread, "eight jobs take {here} ms on one board and {spread} on eight");
}
