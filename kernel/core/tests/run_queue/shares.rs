//! Shares, weights, classes and order of wake-ups.

use crate::support::{Habit, Players, nice, policy};
use renga_abi::OsTimes;
use renga_abi::policy::{Class, NICE_MAX, NICE_MIN, Policy, SLICE_NS, WEIGHTS};
use renga_core::WaitCanceller;
use renga_core::account::{AccountNumber, Count};
use std::cell::Cell;
use std::rc::Rc;

/// Which programs run, and for how long, ns, if beside one that computes for half a slice another starts.
fn slices_beside_new_program(made_here: bool) -> Vec<(usize, u64)> {
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Traps(1_000))]);
    players.run(SLICE_NS / 2);
    players.add(Policy::DEFAULT, Habit::Waits(SLICE_NS / 4, SLICE_NS), made_here);
    players.log.clear();
    players.run(4 * SLICE_NS);
    let slices = players.log.chunk_by(|one, next| one.0 == next.0);
    slices.map(|slice| (slice[0].0, slice.iter().map(|(_, ns)| ns).sum())).collect()
}

#[test]
fn run_queue_slice_is_as_set() {
    let (slice_ns, computes) = (3 * SLICE_NS, (Policy::DEFAULT, Habit::Traps(1_000)));
    let mut players = Players::with_times(&[computes; 2], &OsTimes { slice_ns, ..OsTimes::DEFAULT });
    players.run(12 * SLICE_NS);
    let slices = players.log.chunk_by(|one, next| one.0 == next.0).map(|slice| slice.iter().map(|(_, ns)| ns).sum());
    assert_eq!(slices.collect::<Vec<u64>>(), [slice_ns; 4]);
}

#[test]
fn run_queue_wakeup_granularity_is_as_set() {
    let slices = |wakeup_granularity_ns| {
        let programs = [Habit::Traps(1_000), Habit::Waits(1_000, 100_000)].map(|habit| (Policy::DEFAULT, habit));
        let mut players = Players::with_times(&programs, &OsTimes { wakeup_granularity_ns, ..OsTimes::DEFAULT });
        players.run(20 * SLICE_NS);
        players.log.iter().filter(|(who, _)| *who == 1).count()
    };
    assert_eq!([5_000, 100 * SLICE_NS].map(slices), [189, 19], "at each wake-up, or once a slice of the other one");
}

#[test]
fn run_queue_new_program_starts_slice_behind_maker() {
    let slices = slices_beside_new_program(true);
    assert_eq!(slices[..3], [(0, SLICE_NS), (1, SLICE_NS / 4), (0, SLICE_NS)], "then it wakes as others do");
}

#[test]
fn run_queue_program_from_other_board_starts_at_once() {
    assert_eq!(slices_beside_new_program(false)[0], (1, SLICE_NS / 4));
}

#[test]
fn run_queue_computing_programs_share_equally() {
    for count in [2, 3, 7, 40] {
        let habits: Vec<_> = (0..count)
            .map(|i| (Policy::DEFAULT, if i % 2 == 0 { Habit::Computes } else { Habit::Traps(700) }))
            .collect();
        let mut players = Players::new(&habits);
        let until_ns = count as u64 * 100 * SLICE_NS;
        players.run(until_ns);
        let fair_ns = until_ns / count as u64;
        for who in 0..count {
            let used_ns = players.used_ns(who);
            assert!(used_ns.abs_diff(fair_ns) <= fair_ns / 50, "{who} of {count}: {used_ns}");
        }
    }
}

/// Holds: fair-shares.
#[test]
fn run_queue_shares_follow_weight() {
    for (left, right) in [(0, 5), (-5, 0), (NICE_MIN, 0), (3, NICE_MAX)] {
        let mut players = Players::new(&[(nice(left), Habit::Computes), (nice(right), Habit::Traps(1_300))]);
        players.run(20_000 * SLICE_NS);
        let weight = |nice: i8| f64::from(WEIGHTS[(nice - NICE_MIN) as usize]);
        let (found, wanted) = (players.used_ns(0) as f64 / players.used_ns(1) as f64, weight(left) / weight(right));
        assert!((found / wanted - 1.0).abs() < 0.02, "{left} and {right}: {found} instead of {wanted}");
    }
}

#[test]
fn run_queue_nice_step_is_quarter_of_weight() {
    for pair in WEIGHTS.windows(2) {
        let step = f64::from(pair[0]) / f64::from(pair[1]);
        assert!((1.15..=1.35).contains(&step), "{pair:?}");
    }
    assert_eq!(WEIGHTS[20], 1024);
}

/// Holds: wakeup-first.
#[test]
fn run_queue_sleeper_runs_before_computing() {
    let waits = Habit::Waits(20_000, 480_000);
    let mut players = Players::new(&[
        (Policy::DEFAULT, Habit::Computes),
        (Policy::DEFAULT, Habit::Traps(2_000)),
        (Policy::DEFAULT, waits),
    ]);
    players.run(1_000 * SLICE_NS);
    // It wants a twenty-fifth of the core, and gets it whenever it wants it.
    let wanted_ns = 1_000 * SLICE_NS / 25;
    assert!(players.used_ns(2).abs_diff(wanted_ns) <= wanted_ns / 50, "{}", players.used_ns(2));
}

#[test]
fn run_queue_call_without_wait_keeps_slice() {
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Computes), (Policy::DEFAULT, Habit::Traps(500))]);
    players.run(100 * SLICE_NS);
    let changes = players.log.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    assert!(changes <= 110, "{changes} changes in 100 slices");
}

#[test]
fn run_queue_sleeper_credit_is_bounded() {
    let mut players = Players::new(&[
        (Policy::DEFAULT, Habit::Computes),
        (Policy::DEFAULT, Habit::Waits(900_000, 1)),
        (Policy::DEFAULT, Habit::Waits(30_000, 30_000)),
    ]);
    players.run(3_000 * SLICE_NS);
    for who in 1..3 {
        assert!(players.used_ns(who) <= players.used_ns(0) * 102 / 100, "{who} took {}", players.used_ns(who));
    }
}

#[test]
fn run_queue_idle_class_runs_when_alone() {
    let idle = policy(Class::Idle, 0, 0);
    let mut players = Players::new(&[(idle, Habit::Computes), (Policy::DEFAULT, Habit::Waits(300_000, 700_000))]);
    players.run(1_000 * SLICE_NS);
    assert!(players.used_ns(1) >= 300 * SLICE_NS - SLICE_NS, "the other one is not kept waiting");
    assert!(players.used_ns(0) >= 699 * SLICE_NS, "and it has the rest: {}", players.used_ns(0));
    let mut players = Players::new(&[(idle, Habit::Computes), (nice(NICE_MAX), Habit::Traps(900))]);
    players.run(100 * SLICE_NS);
    assert!(players.used_ns(0) <= SLICE_NS, "{}", players.used_ns(0));
}

#[test]
fn run_queue_real_time_first_by_priority() {
    let fifo = |priority| policy(Class::Fifo, 0, priority);
    let mut players = Players::new(&[
        (nice(NICE_MIN), Habit::Computes),
        (fifo(1), Habit::Waits(200_000, 800_000)),
        (fifo(50), Habit::Waits(100_000, 900_000)),
    ]);
    players.run(1_000 * SLICE_NS);
    assert!(players.used_ns(2) >= 99 * SLICE_NS && players.used_ns(1) >= 180 * SLICE_NS);
    let mut alone = Players::new(&[(fifo(7), Habit::Traps(1_000)), (fifo(7), Habit::Computes)]);
    alone.run(50 * SLICE_NS);
    assert_eq!(alone.used_ns(1), 0, "FIFO goes on until it waits");
}

#[test]
fn run_queue_round_robin_alternates_with_equals() {
    let robin = policy(Class::RoundRobin, 0, 9);
    let mut players =
        Players::new(&[(robin, Habit::Computes), (robin, Habit::Traps(800)), (nice(-20), Habit::Computes)]);
    players.run(400 * SLICE_NS);
    assert_eq!(players.used_ns(2), 0);
    assert!(players.used_ns(0).abs_diff(players.used_ns(1)) <= 11 * SLICE_NS, "{}", players.used_ns(0));
}

#[test]
fn run_queue_policy_change_while_queued_applies() {
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Computes), (policy(Class::Idle, 0, 0), Habit::Computes)]);
    players.run(10 * SLICE_NS);
    assert_eq!(players.used_ns(1), 0);
    let waiting = WaitCanceller::new(players.programs[1].0);
    waiting.set_policy(policy(Class::Fifo, 0, 1));
    assert_eq!(waiting.policy().class, Class::Fifo);
    players.run(20 * SLICE_NS);
    assert!(players.used_ns(1) >= 9 * SLICE_NS, "{}", players.used_ns(1));
}

#[test]
fn run_queue_long_sleeper_gains_little() {
    let mut players = Players::new(&[
        (Policy::DEFAULT, Habit::Computes),
        (Policy::DEFAULT, Habit::Waits(200_000_000, 1_000_000_000)),
    ]);
    players.run(4_000_000_000);
    // It is behind by seconds, and counts as behind by a few ms only.
    let (mut longest_ns, mut at_once_ns) = (0, 0);
    for &(who, ns) in players.log.iter().skip_while(|(_, ns)| *ns < 500_000_000) {
        at_once_ns = if who == 1 { at_once_ns + ns } else { 0 };
        longest_ns = longest_ns.max(at_once_ns);
    }
    assert!((SLICE_NS..=6 * SLICE_NS).contains(&longest_ns), "the other one waits for {longest_ns} ns");
}

#[test]
fn run_queue_idle_core_time_of_other_board_is_free() {
    const BEGIN_NS: u64 = 1_000_000_000;
    const BUSY_NS: u64 = 100_000_000;
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Waits(1, BEGIN_NS))]);
    let (board, worked_ns) = (players.board, Rc::new(Cell::new(0)));
    let works_ns = worked_ns.clone();
    // A third of the core, for a program of another board.
    board.client(move |mut me| async move {
        me.act_for(AccountNumber::of_slot(1, 9));
        loop {
            me.await_share().await;
            board.take_time(10_000);
            works_ns.set(works_ns.get() + 10_000);
            me.sleep_until(me.now_ns() + 20_000).await;
        }
    });
    players.run(BEGIN_NS);
    let before_ns = worked_ns.get();
    assert!(before_ns > BEGIN_NS / 4, "{before_ns} ns of an idle core");
    players.programs[0].1 = Habit::Computes;
    players.run(BEGIN_NS + BUSY_NS);
    let beside_ns = worked_ns.get() - before_ns;
    assert!(beside_ns > BUSY_NS / 4, "{beside_ns} ns beside a program, of the half that is its share");
}

#[test]
fn run_queue_context_switches_are_counted() {
    let mut players =
        Players::new(&[(Policy::DEFAULT, Habit::Computes), (Policy::DEFAULT, Habit::Waits(100_000, 900_000))]);
    players.run(100 * SLICE_NS);
    let count = |slot, count: Count| players.board.core.counts(AccountNumber::of_slot(0, slot))[count as usize];
    let (given, taken) = (count(1, Count::VoluntarySwitches), count(0, Count::InvoluntarySwitches));
    assert_eq!(count(0, Count::VoluntarySwitches), 0, "it never waits");
    assert!((99..=101).contains(&given), "it waits after each of its slices: {given}");
    assert!((99..=101).contains(&taken), "whenever the other one wakes: {taken}");
    assert_eq!(count(1, Count::InvoluntarySwitches), 0, "it waits before its slice ends");
    let [programs_ns, _, slices] = players.board.core.charged();
    assert_eq!((programs_ns, slices), (count(0, Count::UserNs) + count(1, Count::UserNs), given + taken));
}

#[test]
fn run_queue_lone_program_counts_voluntary_switches() {
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Waits(100_000, 900_000))]);
    players.run(100 * SLICE_NS);
    let given = players.board.core.counts(AccountNumber::of_slot(0, 0))[Count::VoluntarySwitches as usize];
    assert!((99..=101).contains(&given), "{given}");
}

#[test]
fn run_queue_real_time_leaves_a_twentieth() {
    const SECOND_NS: u64 = 1_000_000_000;
    let fifo = |priority| policy(Class::Fifo, 0, priority);
    let round = policy(Class::RoundRobin, 0, 9);
    for spinning in [vec![fifo(50)], vec![fifo(50), fifo(9)], vec![round, round], vec![fifo(9), fifo(9), fifo(9)]] {
        let mut programs: Vec<_> = spinning.iter().map(|policy| (*policy, Habit::Computes)).collect();
        let fair = programs.len();
        programs.push((Policy::DEFAULT, Habit::Computes));
        programs.push((Policy::DEFAULT, Habit::Waits(100_000, 10_000_000)));
        let mut players = Players::new(&programs);
        players.run(10 * SECOND_NS);
        let others_ns = players.used_ns(fair) + players.used_ns(fair + 1);
        assert!(others_ns.abs_diff(SECOND_NS / 2) <= SECOND_NS / 50, "{spinning:?}: others have {others_ns} ns");
        assert!(players.used_ns(fair + 1) >= 2_000_000, "who waits comes in too: {}", players.used_ns(fair + 1));
    }
    // One that becomes real-time while it runs, and never waits.
    let mut changed = Players::new(&[(Policy::DEFAULT, Habit::Computes), (Policy::DEFAULT, Habit::Computes)]);
    changed.run(SLICE_NS / 2);
    let running = changed.log.last().expect("a program runs").0;
    WaitCanceller::new(changed.programs[running].0).set_policy(fifo(50));
    changed.run(10 * SECOND_NS);
    let other_ns = changed.used_ns(1 - running);
    assert!(other_ns.abs_diff(SECOND_NS / 2) <= SECOND_NS / 50, "the other one has {other_ns} ns");
    // Only the end of its slice stops one that computes alone.
    let mut two = Players::new(&[(fifo(50), Habit::Computes), (Policy::DEFAULT, Habit::Computes)]);
    two.run(10 * SECOND_NS);
    assert!(two.used_ns(1).abs_diff(SECOND_NS / 2) <= SECOND_NS / 50, "the other one has {} ns", two.used_ns(1));
    let mut alone = Players::new(&[(fifo(50), Habit::Computes), (fifo(60), Habit::Waits(1_000, 1_000_000))]);
    alone.run(10 * SECOND_NS);
    let spins_ns = alone.used_ns(0);
    assert!(spins_ns > 9_950_000_000, "without others they have all of it: {spins_ns} ns");
}
