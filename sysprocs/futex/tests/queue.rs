//! Who is woken, who is moved, and in which order.

use renga_futex::{FutexWait, WaitQueue};
use renga_proto::futex::{ANY_BITS, FutexKey, FutexScope};
use renga_rt::{Errno, Waiters, Wakes};

const SHARED: FutexKey = FutexKey { scope: FutexScope::Shared, object: 9, offset: 64 };
const PRIVATE: FutexKey = FutexKey { scope: FutexScope::Private, ..SHARED };

fn queue(places: usize) -> WaitQueue {
    WaitQueue::new(vec![FutexWait::EMPTY; places].leak())
}

/// Wakes so many; the slots of board 0 and of board 1 that were.
fn wake(queue: &mut WaitQueue, board: u8, key: FutexKey, bits: u32, count: u32) -> [u64; 2] {
    let (mut woken, wakes) = (Waiters::NONE, Wakes::new(None));
    let number = queue.wake(board, key, bits, count, &mut woken);
    wakes.wake(&mut woken);
    let mut slots = [0; 2];
    while let Some((board, words)) = wakes.take() {
        slots[usize::from(board)] = words[0];
    }
    assert_eq!(number, slots.iter().map(|word| word.count_ones()).sum());
    slots
}

#[test]
fn queue_wakes_first_come_first_and_each_once() {
    let mut queue = queue(8);
    for program in [(0, 5), (1, 2), (0, 1)] {
        queue.join(program, SHARED, ANY_BITS).unwrap();
    }
    assert_eq!(wake(&mut queue, 0, SHARED.at(68), ANY_BITS, 9), [0, 0]);
    assert_eq!(wake(&mut queue, 0, SHARED, ANY_BITS, 2), [1 << 5, 1 << 2]);
    assert_eq!(wake(&mut queue, 0, SHARED, ANY_BITS, 0), [0, 0]);
    assert!(queue.was_woken((0, 5), false) && !queue.was_woken((0, 5), false), "it hears once that it was woken");
    assert!(!queue.was_woken((0, 1), false));
    assert_eq!(wake(&mut queue, 1, SHARED, ANY_BITS, 9), [1 << 1, 0]);
    assert!(queue.was_woken((0, 1), true) && queue.was_woken((1, 2), true));
    assert_eq!(queue.count(), 0);
}

#[test]
fn queue_wake_with_bits_passes_others_over() {
    let mut queue = queue(8);
    queue.join((0, 1), SHARED, 0b01).unwrap();
    queue.join((0, 2), SHARED, 0b10).unwrap();
    assert_eq!(wake(&mut queue, 0, SHARED, 0b10, 9), [1 << 2, 0]);
    assert_eq!(wake(&mut queue, 0, SHARED, 0b11, 9), [1 << 1, 0]);
}

#[test]
fn queue_private_words_are_of_one_board_and_not_the_shared_ones() {
    let mut queue = queue(8);
    queue.join((0, 1), PRIVATE, ANY_BITS).unwrap();
    queue.join((1, 1), PRIVATE, ANY_BITS).unwrap();
    assert_eq!(wake(&mut queue, 0, SHARED, ANY_BITS, 9), [0, 0]);
    assert_eq!(wake(&mut queue, 1, PRIVATE, ANY_BITS, 9), [0, 1 << 1]);
}

#[test]
fn queue_moved_waiters_keep_their_order_behind_those_that_wait_there() {
    let mut queue = queue(8);
    let there = SHARED.at(0);
    for (program, key) in [((0, 1), SHARED), ((0, 2), SHARED), ((0, 3), there), ((0, 4), SHARED), ((0, 5), SHARED)] {
        queue.join(program, key, ANY_BITS).unwrap();
    }
    assert_eq!(queue.move_to(0, SHARED, there, 3), 3);
    let order: Vec<[u64; 2]> = (0..5).map(|_| wake(&mut queue, 0, there, ANY_BITS, 1)).collect();
    assert_eq!(order, [[1 << 3, 0], [1 << 1, 0], [1 << 2, 0], [1 << 4, 0], [0, 0]]);
    assert_eq!(wake(&mut queue, 0, SHARED, ANY_BITS, 9), [1 << 5, 0]);
    // To itself: the first becomes the last, and the pass ends.
    queue.join((1, 1), there, ANY_BITS).unwrap();
    queue.join((1, 2), there, ANY_BITS).unwrap();
    assert_eq!(queue.move_to(0, there, there, 9), 2);
    assert_eq!(wake(&mut queue, 0, there, ANY_BITS, 1), [0, 1 << 1]);
}

#[test]
fn queue_that_is_full_refuses_and_takes_who_comes_again() {
    let mut queue = queue(2);
    queue.join((0, 1), SHARED, ANY_BITS).unwrap();
    queue.join((1, 1), SHARED, ANY_BITS).unwrap();
    assert_eq!(queue.join((0, 2), SHARED, ANY_BITS), Err(Errno::ENOMEM));
    queue.join((0, 1), PRIVATE, ANY_BITS).unwrap();
    assert_eq!(queue.count(), 2, "a program is there once");
    queue.drop_board(1);
    assert_eq!(queue.count(), 1);
    queue.join((0, 2), SHARED, ANY_BITS).unwrap();
}
