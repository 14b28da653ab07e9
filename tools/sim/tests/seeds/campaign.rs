//! The program that runs many seeds.

use std::process::{Command, Output};

fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_renga-sim"));
    command.args(arguments).output().expect("the simulator starts")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn all_are_good(arguments: &[&str]) {
    let output = sim(arguments);
    println!("{}", text(&output));
    assert!(output.status.success(), "some seeds fail");
}

/// Holds: call-once, message-memory.
#[test]
fn campaign_thousand_link_seeds_pass() {
    all_are_good(&["--level", "link", "--seeds", "1200"]);
}

#[test]
fn campaign_system_seeds_pass() {
    if !renga_sim::system::image::tools_present() {
        return renga_skip::skipped("no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
    }
    all_are_good(&["--level", "system", "--seeds", "60"]);
}

/// The power goes at events of one run, the disk's board's at writes, the others' at frames; more:
/// `renga sim --crash SEED`.
#[test]
fn campaign_power_cuts_at_events_keep_what_was_synced() {
    if !renga_sim::system::image::tools_present() {
        return renga_skip::skipped("no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
    }
    all_are_good(&["--crash", "20", "--seeds", "20"]);
}

#[test]
fn campaign_power_cut_comes_at_its_event() {
    if !renga_sim::system::image::tools_present() {
        return renga_skip::skipped("no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
    }
    let events = |cut: &str| {
        let output = text(&sim(&["--replay", "20", "--level", "system", "--cut", cut]));
        let line =
            output.lines().find(|line| line.contains("events before a cut")).unwrap_or_else(|| panic!("{output}"));
        line.split(": ").last().and_then(|count| count.trim_end_matches(',').parse::<u64>().ok()).unwrap()
    };
    assert_eq!(events("quiet:write=7"), 7);
    assert_eq!(events("quiet:frame=1,70"), 71, "the frame itself is on the wire");
    assert!(events("quiet:write=1000000") < 1_000_000);
}

/// Figures go where the caller stands. Where they cannot be written no seed runs.
#[test]
fn campaign_figures_that_cannot_be_written_are_refused_before_the_first_seed() {
    let folder = std::env::temp_dir().join(format!("renga-sim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a temporary folder");
    let run = |json: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_renga-sim"));
        command.current_dir(&folder).args(["--level", "link", "--seeds", "2", &format!("--json={json}")]);
        command.output().expect("the simulator starts")
    };
    let (written, refused) = (run("figures.json"), run("no/such/folder/figures.json"));
    let is_there = folder.join("figures.json").exists();
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert!(written.status.success() && is_there, "{}", text(&written));
    assert!(!refused.status.success(), "{}", text(&refused));
    let summary = |output: &Output| String::from_utf8_lossy(&output.stdout).lines().count();
    assert_eq!((summary(&refused), summary(&written) > 0), (0, true), "{}", text(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot write no/such"), "{}", text(&refused));
}

/// Holds: sim-repeats.
#[test]
fn campaign_seed_replayed_alone_repeats() {
    let replay = |seed: &str| text(&sim(&["--replay", seed, "--level", "link"]));
    let first = replay("11");
    assert!(first.contains("trace_hash") && first.contains("calls"), "{first}");
    assert_eq!(first, replay("11"));
    assert_ne!(first, replay("12"));
}

#[test]
fn campaign_cut_shrinks_run() {
    let frames = |cut: &str| {
        let output = text(&sim(&["--replay", "11", "--level", "link", "--cut", cut]));
        let line = output.lines().find(|line| line.contains("\"calls\"")).unwrap_or_else(|| panic!("{output}"));
        line.split(": ").last().and_then(|count| count.trim_end_matches(',').parse::<u64>().ok()).unwrap()
    };
    let (whole, few) = (frames(""), frames("boards=2:actors=0:steps=1:incidents=:quiet"));
    assert!(few < whole, "{few} calls, {whole} without a cut");
}
