//! Accounts that several cores write, and schedules that one core publishes for another.

use super::support::{SEEDS, choices};
use renga_abi::account::{AccountNumber, Count};
use renga_abi::policy::Policy;
use renga_abi::user::{Exit, Trap, UserContext};
use renga_core::WaitCanceller;
use renga_core::account::Account;
use renga_core::interleaved::{Cores, Play};
use std::cell::Cell;
use std::rc::Rc;

/// A board of `count` cores that know each other, of which programs' home is the last.
fn board(count: usize, play: Play) -> Cores {
    let cores = Cores::new(0, count, 1 << 20).with_programs(count - 1, (1 << count) - 1, play);
    let all: &'static [_] = Vec::leak((0..count).map(|core| cores.on(core).core).collect());
    for core in all {
        core.set_board(all, 1 << (count - 1), (1 << count) - 1);
        core.set_accounts(cores.on(0).arena.put_slice(AccountNumber::count(1), |_| Account::new()));
    }
    cores
}

#[test]
fn account_counts_of_cores_add_up_and_restart_with_next_program() {
    let number = AccountNumber::of_slot(0, 3);
    let cores = board(3, Rc::new(|_| ()));
    let slot = cores.on(2).declare(1);
    slot.set_account(number);
    let (seen, totals) = (Rc::new(Cell::new([0; 3])), Rc::new(Cell::new([0; 2])));
    for (core, blocks) in [(0, 5), (1, 7)] {
        cores.on(core).client(move |me| async move { me.count_for(number, Count::BlocksRead, blocks) });
    }
    cores.run(&choices(1));
    let noted = seen.clone();
    cores.on(2).start(slot, move |mut me| async move {
        let read = |me: &renga_core::Me| me.counted(number, Count::BlocksRead);
        let first = read(&me);
        me.count(Count::BlocksRead, 100);
        me.begin_account(Policy::DEFAULT, true);
        let begun = read(&me);
        me.count(Count::BlocksRead, 2);
        noted.set([first, begun, read(&me)]);
        std::future::pending().await
    });
    cores.run(&choices(2));
    assert_eq!(seen.get(), [12, 0, 2]);
    let later = totals.clone();
    cores.on(0).client(move |me| async move {
        me.count_for(number, Count::BlocksRead, 30);
        later.set([me.counted(number, Count::BlocksRead), me.counts(number)[Count::BlocksRead as usize]]);
    });
    cores.run(&choices(3));
    assert_eq!(totals.get(), [32, 32], "whichever core asks");
}

#[test]
fn account_core_total_is_monotonic_over_restart() {
    let number = AccountNumber::of_slot(0, 0);
    let cores = board(2, Rc::new(|_| ()));
    let slot = cores.on(1).declare(1);
    slot.set_account(number);
    cores.on(0).client(move |me| async move { me.count_for(number, Count::SystemNs, 11) });
    cores.run(&choices(1));
    let home = cores.on(1).core;
    cores.on(1).start(slot, move |mut me| async move {
        me.count(Count::UserNs, 40);
        me.count(Count::InvoluntarySwitches, 3);
        me.begin_account(Policy::DEFAULT, true);
        me.count(Count::UserNs, 2);
        std::future::pending().await
    });
    cores.run(&choices(2));
    assert_eq!(home.charged(), [42, 0, 3]);
    assert_eq!(cores.on(0).core.charged(), [0, 11, 0]);
    assert_eq!(cores.on(0).core.counts(number)[Count::SystemNs as usize], 0, "they began before this program");
}

#[test]
fn schedule_set_by_other_core_is_published_and_taken() {
    for seed in 0..SEEDS / 4 {
        // A program that computes at home until it is seen elsewhere.
        let seen = Rc::new(Cell::new(u8::MAX));
        let place = seen.clone();
        let play: Play = Rc::new(move |core| {
            if let Some(mut task) = core.remote_task() {
                let _ = task.context();
                place.set(core.number());
                task.ran(core, 1000, Exit::Trap(Trap::Syscall));
            } else if let Some(slice) = core.next_user() {
                slice.charge(1000); // it continues
            }
        });
        let cores = board(3, play);
        let slot = cores.on(2).declare(1);
        slot.set_account(AccountNumber::of_slot(0, 0));
        cores.on(2).start(slot, |mut me| async move {
            let mut context = UserContext::new(0, 0, 0);
            me.run_user(&mut context, 0).await;
            std::future::pending().await
        });
        let right = WaitCanceller::elsewhere(slot.shared());
        let policy = Policy { nice: 7, ..Policy::DEFAULT };
        cores.on(0).client(move |mut me| async move {
            for nice in [1, 7] {
                right.set_policy(Policy { nice, ..Policy::DEFAULT });
                assert_eq!(right.policy().nice, nice, "seed {seed}");
                me.yield_now().await;
            }
            right.set_cores(0b010);
            assert_eq!((right.policy(), right.cores()), (policy, 0b010), "seed {seed}");
        });
        cores.run(&choices(seed));
        assert_eq!(seen.get(), 1, "seed {seed}");
        assert_eq!((right.policy(), right.cores()), (policy, 0b010), "seed {seed}");
        assert!(!right.wants_to_run(), "seed {seed}: it waits for ever");
    }
}
