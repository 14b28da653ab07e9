//! Boards of different models in one cluster, and one image for all.

use crate::support::{Facts, Renga, Scratch, clusters_can_run};

/// On both boards, through both interrupt controllers: console, disk, timers, link.
const SCRIPT: &str = "uname -n; seq 1000 | remote -b b sort -rn | tail -n 1; remote -b b sh -c 'sleep 0.1; uname -n'";

/// Holds: one-kernel.
#[test]
fn machines_zero_2_w_and_pi_4_repeat_identically() {
    if !clusters_can_run() {
        return;
    }
    let run = || {
        let machines = Renga::script(SCRIPT).with(["--board", "a=zero2w", "--board", "b=pi4"]);
        machines.with(["--stats"]).end().expect_status(0).expect_text("a\n1\nb\n")
    };
    let first = run();
    let log = &first.stderr;
    let says = |board: &str, what: &str| log.lines().any(|line| line.starts_with(board) && line.contains(what));
    assert!(says("[a ", "(BCM2837), serial 0, 469762048 bytes of memory"), "{}", first.report());
    assert!(says("[b ", "Raspberry Pi 4 B (BCM2711)"), "{}", first.report());
    assert_eq!(Facts::of(&run()), Facts::of(&first));
}

/// The pair of boards of four cores, with the programs' home of b on its third core.
fn with_home_on_third_core() -> String {
    let pair = include_str!("../../../../../sysprocs/systems/pair4.toml");
    let moved = |line: &str| {
        let Some((kind, rest)) = line.split_once("= { on = \"every\"") else { return line.to_string() };
        let Some((count, _)) = rest.split_once(" }").filter(|(count, _)| !count.contains("core")) else {
            return line.to_string();
        };
        format!("{kind}= [{{ on = \"a\"{count} }}, {{ on = \"b\", core = 2{count} }}]")
    };
    pair.lines().map(moved).collect::<Vec<_>>().join("\n")
}

/// How many cores b's programs have; on each of them one that sleeps and one that is heard on a.
const ON_EACH_CORE: &str = "remote -b b sh -c 'nproc; for core in 1 2 4 8; do taskset $core sh -c \"sleep 0.01; taskset -p \\$\\$\"; done' \
    | sed 's/.* //'";

/// Holds: cores-spread.
#[test]
fn machines_four_cores_of_pi_4_repeat_identically() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("pi4cores");
    let system = scratch.write("home.toml", with_home_on_third_core().as_bytes());
    let run = |system: &str| {
        let machines = Renga::script(ON_EACH_CORE).with(["--system", system, "--board", "b=pi4", "--stats"]);
        let ended = machines.end().expect_status(0).expect_text("4\n1\n2\n4\n8\n");
        let says = |what: &str| ended.stderr.lines().any(|line| line.starts_with("[b ") && line.contains(what));
        assert!(
            says("Raspberry Pi 4 B (BCM2711)") && says("4 cores, each woken by its own timer and its IPI"),
            "{}",
            ended.report()
        );
        Facts::of(&ended)
    };
    let moved = || run(system.to_str().expect("a path of this test's own"));
    assert_eq!(moved(), moved());
    run("pair4");
}
