//! Boards in QEMU, through the emulator's own interface: that runs repeat, end, and fail as they should.

mod boards;
#[path = "boards/load.rs"]
mod load;

use boards::{Outcome, run, run_with, tools};
use load::under_load;
use renga_emu::{BoardConfig, ClusterConfig, ClusterEvent, EmuError, EmulatedCluster, FaultConfig};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::Duration;

fn signal(name: &str, process: u32) {
    // The shell's own: a bare machine has no program of that name.
    let sent = Command::new("sh").args(["-c", "kill $0 $1", name]).arg(process.to_string()).status().unwrap();
    assert!(sent.success());
}

#[test]
fn coordinator_board_boots_prints_and_ends() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(1, "hello");
    config.epoch_s = 1_000_000_000;
    let outcome = run(config);
    assert_eq!(outcome.console, ["hello from board 0 of 0x524c4e4b, epoch 1000000000\n"]);
    assert_eq!(outcome.log, [b"L"]);
    assert!(matches!(outcome.exits[..], [(0, 3, _)]), "{outcome:?}");
}

#[test]
fn coordinator_two_boards_repeat_identically() {
    let Some(tools) = tools() else { return };
    let config = || tools.config(2, "ping");
    let first = run(config());
    assert_eq!(first.frames, 600);
    let mut ended: Vec<_> = first.exits.iter().map(|(board, status, _)| (*board, *status)).collect();
    ended.sort_unstable();
    assert_eq!(ended, [(0, 0), (1, 0)]);
    assert_eq!(run(config()), first);
    assert_eq!(under_load(|| run(config())), first);
    assert_eq!(under_load(|| run(config())), first);
    assert_eq!(run(ClusterConfig { quantum_ns: Some(2_000), ..config() }), first, "the quantum shows");
}

#[test]
fn coordinator_three_random_boards_repeat_at_any_speed() {
    let Some(tools) = tools() else { return };
    for shift in [0, 7] {
        let config = |quantum_ns| ClusterConfig { quantum_ns, shift, ..tools.config(3, "mesh") };
        let first = run(config(None));
        assert!(first.frames > 5, "{first:?}");
        assert_eq!(under_load(|| run(config(Some(5_003)))), first);
    }
}

#[test]
fn coordinator_link_faults_repeat() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(3, "mesh");
    config.faults = FaultConfig {
        loss_ppm: 100_000,
        corrupt_ppm: 100_000,
        duplicate_ppm: 100_000,
        delay_ppm: 50_000,
        token_ppm: 20_000,
        collision_ppm: 20_000,
    };
    let (outcome, stats) = run_with(config.clone(), |_, _| ()).unwrap();
    assert!(stats.faults > 50, "{stats:?}");
    assert_eq!(run(config), outcome);
    assert_ne!(run(tools.config(3, "mesh")), outcome);
}

#[test]
fn coordinator_idle_hour_takes_seconds() {
    let Some(tools) = tools() else { return };
    const HOUR_NS: u64 = 3_600_000_000_000;
    let mut config = tools.config(2, "tick");
    config.limits.virtual_ns = Some(HOUR_NS);
    let (outcome, stats) = run_with(config, |_, _| ()).unwrap();
    assert_eq!(outcome.virtual_ns, HOUR_NS);
    assert!(outcome.console.iter().all(|said| said.ends_with("3000 s\n")), "{outcome:?}");
    assert!(stats.host_s < 20.0, "{stats:?}");
}

#[test]
fn coordinator_limit_ends_endless_board() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(2, "spin");
    config.limits.virtual_ns = Some(3_000_000);
    let outcome = run(config);
    assert_eq!((outcome.virtual_ns, outcome.exits.len()), (3_000_000, 0));
}

#[test]
fn coordinator_busy_boards_run_without_exchanges() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(3, "spin");
    config.limits.virtual_ns = Some(15_000_000);
    let (outcome, stats) = run_with(config, |_, _| ()).unwrap();
    assert_eq!((outcome.virtual_ns, outcome.exits.len()), (15_000_000, 0));
    // A thousand quanta of the link's latency; a round more each time that the host lets a board stand for long.
    assert!(stats.rounds < 100, "{stats:?}");
}

#[test]
fn coordinator_killed_busy_board_is_named() {
    let Some(tools) = tools() else { return };
    let mut cluster = EmulatedCluster::start(tools.config(3, "spin")).unwrap();
    let victim = cluster.process_ids()[1];
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        signal("-KILL", victim);
    });
    let error = cluster.next_event().unwrap_err();
    killer.join().unwrap();
    assert!(matches!(&error, EmuError::BoardDied { board: 1, .. }), "{error}");
}

/// Types `a` when the board is ready and `q` when it has answered.
fn converse(cluster: &mut EmulatedCluster, event: &ClusterEvent) {
    if let ClusterEvent::Deadlock { .. } = event {
        let keys: &[u8] = if cluster.time_ns() < 2_000_000_000 { b"a" } else { b"q" };
        cluster.input_at(1, cluster.time_ns() + 1_500_000_000, keys).unwrap();
    }
}

fn said(outcome: &Outcome) -> Vec<&str> {
    outcome.console[1].split_inclusive(['a', 'q', '\n']).collect()
}

#[test]
fn coordinator_boards_waiting_for_input_are_a_deadlock() {
    let Some(tools) = tools() else { return };
    let outcome = run_with(tools.config(2, "echo"), converse).unwrap().0;
    assert!(matches!(outcome.exits[..], [(1, 7, 3_000_000_000..)]), "{outcome:?}");
    assert!(outcome.console[1].contains("a at 15"), "{:?}", said(&outcome));
    let unheard = run_with(tools.config(2, "echo"), |_, _| ()).unwrap().0;
    assert!(unheard.exits.is_empty());
}

#[test]
fn coordinator_long_input_arrives_whole() {
    let Some(tools) = tools() else { return };
    let text = "the quick brown fox jumps over the lazy dog and so on".replace('q', "k") + "q";
    let mut typed = false;
    let outcome = run_with(tools.config(1, "echo"), |cluster, _| {
        if !typed {
            cluster.input(0, text.as_bytes()).unwrap();
            typed = true;
        }
    });
    let said = outcome.unwrap().0.console[0].clone();
    let heard: String = said.lines().skip(1).filter_map(|line| line.chars().next()).collect();
    assert_eq!(heard, text);
}

#[test]
fn coordinator_paced_session_replays_exactly() {
    let Some(tools) = tools() else { return };
    let path = std::env::temp_dir().join(format!("renga-emu-session-{}.jsonl", std::process::id()));
    let config = ClusterConfig { pace: true, record: Some(path.clone()), ..tools.config(2, "echo") };
    let mut hands = Vec::new();
    let (live, stats) = run_with(config, |cluster, event| {
        if matches!(event, ClusterEvent::Console { board: 0, .. }) && hands.is_empty() {
            let sender = cluster.input_sender();
            hands.push(thread::spawn(move || {
                for (board, keys) in [(0, b"x"), (1, b"y"), (0, b"q"), (1, b"z"), (1, b"q")] {
                    thread::sleep(Duration::from_millis(30));
                    assert!(sender.send(board, keys));
                }
            }));
        }
    })
    .unwrap();
    assert!(live.console.iter().all(|said| said.starts_with("ready 2\n")), "{live:?}");
    assert_eq!(live.exits.len(), 2);
    assert!(stats.host_s >= 0.15 && live.virtual_ns <= (stats.host_s * 1e9) as u64 + 10_000_000, "{stats:?}");
    let replayed = run(ClusterConfig { replay: Some(path.clone()), ..tools.config(2, "echo") });
    assert_eq!(replayed, live);
    let other_seed = ClusterConfig { replay: Some(path.clone()), seed: 9, ..tools.config(2, "echo") };
    assert!(matches!(EmulatedCluster::start(other_seed), Err(EmuError::Replay(_))));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn coordinator_stopped_run_replays_to_same_instant() {
    let Some(tools) = tools() else { return };
    let path = std::env::temp_dir().join(format!("renga-emu-stop-{}.jsonl", std::process::id()));
    let stop = |cluster: &mut EmulatedCluster, event: &ClusterEvent| {
        if let ClusterEvent::BoardExited { .. } = event {
            cluster.stop();
        }
    };
    let config = ClusterConfig { record: Some(path.clone()), ..tools.config(3, "mesh") };
    let stopped = run_with(config, stop).unwrap().0;
    assert_eq!(stopped.exits.len(), 1);
    let replay = ClusterConfig { replay: Some(path.clone()), quantum_ns: Some(999), ..tools.config(3, "mesh") };
    assert_eq!(run_with(replay.clone(), stop).unwrap().0, stopped);
    assert_eq!(run(replay), stopped);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn coordinator_left_session_replays_to_same_instant() {
    let Some(tools) = tools() else { return };
    let path = std::env::temp_dir().join(format!("renga-emu-left-{}.jsonl", std::process::id()));
    let config = ClusterConfig { pace: true, record: Some(path.clone()), ..tools.config(2, "echo") };
    let mut hands = Vec::new();
    let (live, stats) = run_with(config, |cluster, event| {
        if matches!(event, ClusterEvent::Console { board: 0, .. }) && hands.is_empty() {
            let sender = cluster.input_sender();
            hands.push(thread::spawn(move || {
                assert!(sender.send(0, b"x"));
                assert!(sender.leave());
            }));
        }
    })
    .unwrap();
    assert!(stats.left && live.exits.is_empty(), "{stats:?}");
    let replay = ClusterConfig { replay: Some(path.clone()), ..tools.config(2, "echo") };
    let (replayed, stats) = run_with(replay, |_, _| ()).unwrap();
    assert_eq!((replayed, stats.left), (live, true));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn coordinator_board_with_killed_qemu_is_named() {
    let Some(tools) = tools() else { return };
    let mut events = 0;
    let result = run_with(tools.config(2, "ping"), |cluster, _| {
        events += 1;
        if events == 2 {
            signal("-KILL", cluster.process_ids()[1]);
        }
    });
    let error = result.unwrap_err();
    assert!(matches!(&error, EmuError::BoardDied { board: 1, status, .. } if status == "signal 9"), "{error}");
    assert_eq!(error.to_string(), "board 1 died: its QEMU ended with signal 9");
}

#[test]
fn coordinator_unresponsive_board_is_named() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(2, "ping");
    config.limits.patience.idle_samples = 3;
    let mut stopped = false;
    let result = run_with(config, |cluster, _| {
        if !stopped {
            signal("-STOP", cluster.process_ids()[0]);
            stopped = true;
        }
    });
    let error = result.unwrap_err();
    assert!(matches!(error, EmuError::BoardSilent { board: 0, .. }), "{error}");
}

#[test]
fn coordinator_other_qemu_version_is_refused_with_way_out() {
    let script = std::env::temp_dir().join(format!("renga-emu-old-qemu-{}", std::process::id()));
    std::fs::write(&script, "#!/bin/sh\necho 'QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)'\n").unwrap();
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let board = BoardConfig::default();
    let refused = EmulatedCluster::start(ClusterConfig::new(script.clone(), "plugin.so".into(), vec![board]));
    std::fs::remove_file(script).unwrap();
    let wanted = "this emulator supports QEMU 10.0.2 and 10.0.13; found 7.2.22; ./renga installs one";
    assert_eq!(refused.unwrap_err().to_string(), wanted);
}

#[test]
fn coordinator_qemu_start_error_is_reported() {
    let Some(tools) = tools() else { return };
    let mut config = tools.config(1, "hello");
    config.boards[0].image = "/no/such/image".into();
    let error = run_with(config, |_, _| ()).unwrap_err();
    assert!(matches!(&error, EmuError::BoardDied { board: 0, said, .. } if said.contains("/no/such/image")), "{error}");
}

#[test]
fn coordinator_frame_reports_change_nothing_else() {
    let Some(tools) = tools() else { return };
    let mut frames = 0;
    let config = ClusterConfig { frames: true, ..tools.config(2, "ping") };
    let (traced, _) = run_with(config, |_, event| {
        if let ClusterEvent::Frame(frame) = event {
            assert_eq!(frame.delivered_ns, frame.start_ns() + frame.wire_ns);
            frames += 1;
        }
    })
    .unwrap();
    assert_eq!(frames, 600);
    assert_eq!(traced, run(tools.config(2, "ping")));
}

#[test]
fn coordinator_wake_up_time_is_independent_of_host_load() {
    let Some(tools) = tools() else { return };
    let first = under_load(|| run(tools.config(2, "nap")));
    assert_eq!(first.console[0], first.console[1]);
    assert!(first.console[0].contains(" in all, by 3 ns at most"), "{first:?}");
    assert_eq!(under_load(|| run(tools.config(2, "nap"))), first);
}
