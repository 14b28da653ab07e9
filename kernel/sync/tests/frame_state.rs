//! A frame's state against a plain model of the same rules, by random steps.
#![allow(missing_docs)]

use renga_random::Random;
use renga_sync::{FrameRefusal, FrameState, PageFrameKind, SpinLock};

#[derive(Default, Debug)]
struct PlainModel {
    readers: u32,
    writes: bool,
    mapped: u32,
    table: bool,
}

impl PlainModel {
    fn step(&mut self, which: u64, state: &FrameState) {
        let borrowed = self.readers > 0 || self.writes;
        let kind = |refused| if self.table { FrameRefusal::WrongKind } else { refused };
        match which {
            0 => {
                let expected = if self.table || borrowed { Err(kind(FrameRefusal::Borrowed)) } else { Ok(()) };
                assert_eq!(state.begin_write(), expected);
                self.writes |= expected.is_ok();
            }
            1 if self.writes => {
                state.end_write();
                self.writes = false;
            }
            2 => {
                let expected = if self.table || self.writes { Err(kind(FrameRefusal::Borrowed)) } else { Ok(()) };
                assert_eq!(state.begin_read(), expected);
                self.readers += u32::from(expected.is_ok());
            }
            3 if self.readers > 0 => {
                state.end_read();
                self.readers -= 1;
            }
            4 => {
                let expected = if self.table { Err(FrameRefusal::WrongKind) } else { Ok(()) };
                assert_eq!(state.show(which.is_multiple_of(2)), expected);
                self.mapped += u32::from(expected.is_ok());
            }
            5 if self.mapped > 0 => {
                state.count(-1);
                self.mapped -= 1;
            }
            6 => {
                let why = if self.mapped > 0 { FrameRefusal::Mapped } else { FrameRefusal::Borrowed };
                let expected = if self.table || self.mapped > 0 || borrowed { Err(kind(why)) } else { Ok(()) };
                assert_eq!(state.become_table(PageFrameKind::Table, 7), expected);
                self.table |= expected.is_ok();
            }
            7 if self.table => {
                state.retype(PageFrameKind::Plain, 0);
                self.table = false;
            }
            _ => {}
        }
    }
}

#[test]
fn frame_state_reports_every_step() {
    for several in [false, true] {
        for seed in 0..500 {
            let (mut random, state, mut model) = (Random::new(seed), FrameState::new(several), PlainModel::default());
            for _ in 0..200 {
                model.step(random.below(8), &state);
                let now = state.get();
                assert_eq!((now.is_plain(), now.count(), now.is_of_several()), (!model.table, model.mapped, several));
            }
        }
    }
}

#[test]
fn frame_state_root_locks_once_and_not_in_teardown() {
    for several in [false, true] {
        let state = FrameState::new(several);
        assert!(matches!(state.lock(), Err(FrameRefusal::WrongKind)));
        state.become_table(PageFrameKind::Ending, 3).expect("it is unused");
        assert!(matches!(state.lock(), Err(FrameRefusal::WrongKind)));
        state.retype(PageFrameKind::Root, 3);
        state.count(2);
        assert_eq!(state.lock().map(|before| (before.number(), before.count())).ok(), Some((3, 2)));
        assert!(matches!(state.lock(), Err(FrameRefusal::Borrowed)));
        assert_eq!(state.begin_ending(), Err(FrameRefusal::Borrowed));
        state.unlock();
        assert_eq!((state.begin_ending(), state.take_count()), (Ok(()), 2));
        assert_eq!((state.get().kind(), state.get().number()), (PageFrameKind::Ending, 3));
    }
}

#[test]
fn frame_state_fetchable_until_written() {
    let state = FrameState::new(false);
    let made = core::cell::Cell::new(0);
    let make = || state.make_fetchable(|| made.set(made.get() + 1));
    make();
    make();
    assert_eq!(made.get(), 1);
    state.begin_write().expect("no core has it");
    make();
    state.end_write();
    make();
    state.show(true).expect("it is plain");
    make();
    state.outdate();
    make();
    assert_eq!(made.get(), 5);
}

#[test]
#[should_panic(expected = "mappings are counted exactly")]
fn frame_state_excess_unmap_panics() {
    FrameState::new(true).count(-1);
}

#[test]
fn spin_lock_threads_exclude_each_other() {
    let guarded = SpinLock::new((0_u64, 0_u64));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    guarded.with(|(left, right)| {
                        assert_eq!(left, right);
                        *left += 1;
                        *right += 1;
                    });
                }
            });
        }
    });
    assert_eq!(guarded.with(|both| *both), (40_000, 40_000));
}
