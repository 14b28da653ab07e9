//! Boards that are cut, hung and started again, and buses that lose their token: exactly when it was said, the same in
//! every run, and the same again from a recording.

mod boards;

use boards::{run, run_with, tools};
use renga_emu::{BoardState, ClusterConfig, ClusterEvent, EmuError, FaultConfig, InputSender, PowerChange, PowerOrder};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const MS: u64 = 1_000_000;
/// A hung board holds the line until its transmitter is taken off the bus; one without power lets go of it at once.
const HANG_LONGER_NS: u64 = 5_500_000;
/// How long an order of a person may take on the host.
const ORDERS_MAX: Duration = Duration::from_secs(120);

fn order(board: u8, time_ns: u64, change: PowerChange) -> PowerOrder {
    PowerOrder { board, time_ns, change }
}

fn plan() -> Vec<PowerOrder> {
    let (cut, hang, start) = (PowerChange::Cut, PowerChange::Hang, PowerChange::Start);
    let orders = [
        (1, 20 * MS + 123, cut),
        (0, 30 * MS, start),
        (1, 50 * MS + 7, start),
        (2, 60 * MS, hang),
        (0, 61 * MS, cut),
        (0, 61 * MS, start),
        (2, 90 * MS, start),
    ];
    orders.map(|(board, time_ns, change)| order(board, time_ns, change)).to_vec()
}

fn lives(power: Vec<PowerOrder>) -> Option<ClusterConfig> {
    let mut config = tools()?.config(3, "starts");
    config.limits.virtual_ns = Some(120 * MS);
    config.epoch_s = 1000;
    config.power = power;
    Some(config)
}

fn under_load<R>(work: impl FnOnce() -> R) -> R {
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        result
    })
}

#[test]
fn power_cuts_and_restarts_repeat() {
    let Some(config) = lives(plan()) else { return };
    let first = run(config.clone());
    let planned: Vec<_> = plan().iter().map(|order| (order.board, order.time_ns, order.change)).collect();
    assert_eq!(first.power.iter().map(|(board, ns, change, _)| (*board, *ns, *change)).collect::<Vec<_>>(), planned);
    assert_eq!(first.power.iter().map(|(.., starts)| *starts).collect::<Vec<_>>(), [1, 2, 2, 1, 2, 3, 2]);
    // Each incarnation knows its number and the calendar, and announces itself to the other boards.
    for (board, lives) in [
        (0, &["start 1 at 1000000000000\n", "start 2 at 1000030000000\n", "start 3 at 1000061000000\n"][..]),
        (1, &["start 1 at 1000000000000\n", "start 2 at 1000050000007\n", "0x3 after"]),
        (2, &["start 1 at 1000000000000\n", "0x10002 after", "start 2 at 1000090000000\n"]),
    ] {
        for said in lives {
            assert!(first.console[board].contains(said), "board {board}, {said:?}: {first:?}");
        }
    }
    assert!(!first.console[0].contains("start 4"));
    assert_eq!(run(config.clone()), first);
    assert_eq!(run(ClusterConfig { quantum_ns: Some(2_111), ..config.clone() }), first, "the quantum shows");
    assert_eq!(under_load(|| run(config)), first);
}

#[test]
fn power_cut_board_sends_nothing() {
    for change in [PowerChange::Cut, PowerChange::Hang] {
        let Some(mut config) = lives(vec![order(1, 40 * MS, change)]) else { return };
        config.frames = true;
        let mut sources = Vec::new();
        let heard = run_with(config, |_, event| {
            if let ClusterEvent::Frame(frame) = event
                && frame.start_ns() > 40 * MS
            {
                sources.push(frame.source);
            }
        });
        let (outcome, _) = heard.unwrap();
        assert!(sources.len() > 100 && !sources.contains(&1), "{outcome:?}");
        assert!(outcome.exits.is_empty(), "{outcome:?}");
    }
}

#[test]
fn power_hang_silences_bus_longer_than_cut() {
    let config = || {
        let mut config = tools()?.config(2, "mesh");
        config.limits.virtual_ns = Some(15 * MS);
        config.frames = true;
        Some(config)
    };
    let Some(calm) = config() else { return };
    // The middle of board 1's longest frame of some milliseconds, ns.
    let mut longest = (0, 0);
    let outcome = run_with(calm, |_, event| {
        if let ClusterEvent::Frame(frame) = event
            && frame.source == 1
            && (5 * MS..8 * MS).contains(&frame.start_ns())
        {
            longest = longest.max((frame.wire_ns, frame.start_ns()));
        }
    });
    outcome.expect("it runs to its limit");
    let order_ns = longest.1 + longest.0 / 2;
    assert!(longest.0 > 0, "board 1 sends frames then");
    // When the first frame after it starts, ns:
    let next_frame = |change| {
        let config = ClusterConfig { power: vec![order(1, order_ns, change)], ..config()? };
        let mut next = None;
        let outcome = run_with(config, |_, event| {
            if let ClusterEvent::Frame(frame) = event
                && frame.start_ns() > order_ns
            {
                next.get_or_insert((frame.source, frame.start_ns()));
            }
        });
        outcome.expect("it runs to its limit");
        Some(next.expect("board 0 goes on"))
    };
    let (Some(cut), Some(hung)) = (next_frame(PowerChange::Cut), next_frame(PowerChange::Hang)) else { return };
    assert_eq!((cut.0, hung.0), (0, 0));
    assert_eq!(hung.1 - cut.1, HANG_LONGER_NS, "{cut:?} {hung:?}");
}

#[test]
fn power_lost_tokens_and_collisions_repeat() {
    let Some(tools) = tools() else { return };
    let config = |faults| ClusterConfig { faults, ..tools.config(3, "mesh") };
    let calm = run(config(FaultConfig::default()));
    let loss = FaultConfig { token_ppm: 100_000, ..FaultConfig::default() };
    let slow = run(config(loss));
    assert!(slow.frames < calm.frames, "silent times leave fewer frames: {} {}", slow.frames, calm.frames);
    assert_eq!(run(ClusterConfig { quantum_ns: Some(3_333), ..config(loss) }), slow);
    let two = FaultConfig { collision_ppm: 100_000, delay_ppm: 100_000, ..FaultConfig::default() };
    assert_eq!(run(ClusterConfig { quantum_ns: Some(3_333), ..config(two) }), run(config(two)));
}

/// What a person has seen of a cluster.
#[derive(Default)]
struct Seen {
    console: [String; 2],
    power: Vec<(u8, PowerChange)>,
    status: Vec<Vec<(BoardState, u32)>>,
}

impl Seen {
    fn add(&mut self, event: &ClusterEvent) {
        match event {
            ClusterEvent::Console { board, bytes, .. } => {
                self.console[usize::from(*board)].push_str(&String::from_utf8_lossy(bytes));
            }
            ClusterEvent::Power { board, change, .. } => self.power.push((*board, *change)),
            ClusterEvent::Status { boards, .. } => {
                self.status.push(boards.iter().map(|board| (board.state, board.starts)).collect());
            }
            _ => {}
        }
    }
    /// The first character of each line that a board has printed.
    fn said(&self, board: usize) -> String {
        self.console[board].lines().filter_map(|line| line.chars().next()).collect()
    }
}

/// Orders as of a person, who gives each when the one before has been obeyed, however slow the host is.
fn give_orders(sender: &InputSender, seen: &Mutex<Seen>) {
    let until = |is_so: fn(&Seen) -> bool| {
        let begin = Instant::now();
        while !is_so(&seen.lock().unwrap()) {
            if begin.elapsed() > ORDERS_MAX {
                sender.stop();
                panic!("an order was not obeyed");
            }
            thread::sleep(Duration::from_millis(1));
        }
    };
    until(|seen| seen.said(0) == "r" && seen.said(1) == "r");
    sender.send(1, b"x");
    sender.relay("one");
    sender.relay("two");
    until(|seen| seen.said(1) == "rx");
    sender.power(1, PowerChange::Cut);
    until(|seen| seen.power == [(1, PowerChange::Cut)]);
    sender.send(1, b"lost");
    sender.send(0, b"y");
    until(|seen| seen.said(0) == "ry");
    sender.power(0, PowerChange::Hang);
    until(|seen| seen.power.len() == 2);
    sender.ask();
    until(|seen| !seen.status.is_empty());
    sender.power(1, PowerChange::Start);
    sender.power(0, PowerChange::Start);
    until(|seen| seen.said(0) == "ryr" && seen.said(1) == "rxr");
    sender.send(1, b"zq");
    sender.send(0, b"q");
}

/// Holds: kill-session.
#[test]
fn power_live_orders_replay_exactly() {
    let Some(tools) = tools() else { return };
    let path = std::env::temp_dir().join(format!("renga-emu-power-{}.jsonl", std::process::id()));
    let config = ClusterConfig { pace: true, record: Some(path.clone()), ..tools.config(2, "echo") };
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (mut person, mut relayed, mut relayed_ns) = (None, Vec::new(), 0);
    let (live, _) = run_with(config, |cluster, event| {
        match event {
            ClusterEvent::Relayed { line, time_ns } => {
                relayed.push(line.clone());
                relayed_ns = *time_ns;
            }
            ClusterEvent::Console { time_ns, .. } | ClusterEvent::Power { time_ns, .. } => {
                assert!(*time_ns >= relayed_ns, "relayed at {relayed_ns} ns, but then {event:?}");
            }
            _ => {}
        }
        seen.lock().unwrap().add(event);
        if person.is_none() {
            let (sender, seen) = (cluster.input_sender(), seen.clone());
            person = Some(thread::spawn(move || give_orders(&sender, &seen)));
        }
    })
    .unwrap();
    person.expect("there were events").join().unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!((seen.said(0), seen.said(1)), ("ryrq".to_owned(), "rxrzq".to_owned()), "{live:?}");
    assert_eq!(seen.status, [[(BoardState::Hung, 1), (BoardState::Off, 1)]]);
    assert_eq!(relayed, ["one", "two"]);
    let replay = ClusterConfig { replay: Some(path.clone()), ..tools.config(2, "echo") };
    assert_eq!(run(replay.clone()), live);
    assert_eq!(run(ClusterConfig { quantum_ns: Some(999), ..replay }), live);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn power_killed_qemu_is_restarted_on_request() {
    let Some(tools) = tools() else { return };
    let config = ClusterConfig { revive_ns: Some(10 * MS), ..tools.config(2, "starts") };
    let mut killed = false;
    let (outcome, _) = run_with(config, |cluster, event| {
        if matches!(event, ClusterEvent::Console { board: 1, .. }) && !killed {
            killed = true;
            let id = cluster.process_ids()[1].to_string();
            assert!(Command::new("sh").args(["-c", "kill -KILL $0", &id]).status().unwrap().success());
        }
    })
    .unwrap();
    assert_eq!(outcome.crashes, [(1, "signal 9".to_owned())]);
    assert!(outcome.console[1].contains("start 2 at"), "{outcome:?}");
    assert!(matches!(outcome.exits[..], [(0, 0, _), (1, 0, _)]), "{outcome:?}");
}

#[test]
fn power_all_boards_off_ends_run() {
    let cuts = (0..3).map(|board| order(board, 5 * MS, PowerChange::Cut)).collect();
    let Some(config) = lives(cuts) else { return };
    let outcome = run(config);
    assert!(outcome.virtual_ns < 6 * MS && outcome.power.len() == 3, "{outcome:?}");
    let Some(config) = lives(vec![order(3, 0, PowerChange::Cut)]) else { return };
    assert!(matches!(renga_emu::EmulatedCluster::start(config), Err(EmuError::Config(_))));
}
