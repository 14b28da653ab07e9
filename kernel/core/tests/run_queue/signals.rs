//! Programs whose waits are cancelled, as by signals, and what the others get.

use crate::support::{Habit, Players, nice, policy};
use renga_abi::policy::{Class, NICE_MAX, Policy, ROUND_ROBIN_NS, SLICE_NS};
use renga_core::user_slice::SLEEPER_CREDIT_NS_MAX;
use renga_random::Random;

#[test]
fn run_queue_cancelled_wait_runs_at_once() {
    let mut players = Players::new(&[(Policy::DEFAULT, Habit::Computes), (policy(Class::Idle, 0, 0), Habit::Computes)]);
    players.run(2 * SLICE_NS);
    players.programs[1].0.cancel_wait();
    players.run(2 * SLICE_NS + 1_000);
    assert!(players.log.contains(&(1, 0)), "its process handles the signal at once");
}

#[test]
fn run_queue_signalled_program_gains_nothing() {
    for (policy, slice_ns) in [(Policy::DEFAULT, SLICE_NS), (policy(Class::RoundRobin, 0, 9), ROUND_ROBIN_NS)] {
        let habits = [Habit::Computes, Habit::Signals(10_000, 0), Habit::Computes];
        let mut players = Players::new(&habits.map(|habit| (policy, habit)));
        players.run(300 * slice_ns);
        let used_ns = [0, 1, 2].map(|who| players.used_ns(who));
        let even = used_ns.iter().all(|ns| ns.abs_diff(100 * slice_ns) <= 6 * slice_ns);
        assert!(even, "{policy:?}: {used_ns:?} ns");
    }
}

#[test]
fn run_queue_sleeper_beside_signals_waits_a_slice_of_each() {
    for target in [Policy::DEFAULT, nice(NICE_MAX)] {
        let programs = [(target, Habit::Computes), (Policy::DEFAULT, Habit::Signals(10_000, 0))];
        let sleeper = (Policy::DEFAULT, Habit::Waits(1_000, 20 * SLICE_NS));
        let mut players = Players::new(&[programs[0], programs[1], sleeper]);
        players.run(1_000 * SLICE_NS);
        let runs = players.log.iter().filter(|(who, _)| *who == 2).count();
        // It waits 20 slices at a time, and then for at most a slice of both others.
        assert!(runs >= 1_000 / 22, "{runs} runs beside {target:?}");
    }
}

/// Holds: signals-fair.
#[test]
fn run_queue_drawn_programs_wait_within_bound() {
    for seed in 0..100 {
        let random = &mut Random::new(seed);
        let count = random.between(2, 8);
        let habits = (0..count).map(|_| match random.below(4) {
            0 => Habit::Computes,
            1 => Habit::Traps(random.spread(1_000, 2 * SLICE_NS)),
            2 => Habit::Waits(random.spread(1_000, 2 * SLICE_NS), random.spread(1_000, 20 * SLICE_NS)),
            _ => Habit::Signals(random.spread(1_000, 2 * SLICE_NS), random.below(count) as usize),
        });
        let programs: Vec<(Policy, Habit)> = habits.map(|habit| (Policy::DEFAULT, habit)).collect();
        let mut players = Players::new(&programs);
        players.run(1_000 * SLICE_NS);
        // Each other program may be behind by the credit of a sleeper, and runs for a slice once it is ahead.
        let bound_ns = (count - 1) * (SLEEPER_CREDIT_NS_MAX + SLICE_NS);
        for (who, waited_ns) in players.longest_wait_ns.iter().enumerate() {
            assert!(*waited_ns <= bound_ns, "seed {seed}, program {who} of {programs:?}: {waited_ns} ns");
        }
    }
}
