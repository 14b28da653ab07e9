//! Tests of what the directory of buffers knows.

use super::{BlockAccess, BufferSlot, BufferSlots, SlotState};
use renga_proto::buffer::TransactionOutcome;
extern crate std;

const DIRECT: BlockAccess = BlockAccess::Change { metadata: false };
const METADATA: BlockAccess = BlockAccess::Change { metadata: true };

fn slots(count: usize) -> BufferSlots {
    let slots: std::vec::Vec<_> = (0..count).map(|_| BufferSlot::EMPTY).collect();
    BufferSlots::new(slots.leak())
}

fn counts(slots: &BufferSlots) -> [usize; 5] {
    [SlotState::Clean, SlotState::Direct, SlotState::Journaled, SlotState::Metadata, SlotState::Transaction]
        .map(|state| slots.count(state))
}

/// Holds: buffers-clean.
#[test]
fn buffer_slots_eviction_takes_least_recently_used_clean() {
    let mut slots = slots(3);
    let [a, b, c] = [7, 8, 9].map(|block| slots.place(block, BlockAccess::Read).unwrap());
    assert_eq!(slots.place(7, BlockAccess::Read), Some(a));
    assert_eq!(slots.place(8, DIRECT), Some(b));
    assert_eq!(slots.place(10, BlockAccess::Read), Some(c), "9 was used least recently of the clean ones");
    assert_eq!((slots.place(11, METADATA), slots.place(12, METADATA)), (Some(a), Some(c)));
    assert_eq!(slots.place(13, BlockAccess::Read), None, "all are dirty");
    assert_eq!(slots.place(8, BlockAccess::Read), Some(b), "a cached block can be used");
    assert_eq!(slots.place(8, METADATA), None, "one of three is left to others than metadata");
    assert_eq!(counts(&slots), [0, 1, 0, 2, 0]);
}

#[test]
fn buffer_slots_dirty_neighbours_form_one_run() {
    let mut slots = slots(8);
    for block in [20, 12, 10, 11, 30] {
        slots.place(block, DIRECT);
    }
    slots.place(13, METADATA);
    let block = |next: Option<(u64, u16)>| next.map(|(block, _)| block);
    assert_eq!(block(slots.next_write(SlotState::Direct)), Some(20));
    assert_eq!(slots.extend_write(20), None);
    assert_eq!(block(slots.next_write(SlotState::Direct)), Some(10));
    assert_eq!(block(slots.extend_write(10)), Some(11));
    assert_eq!(block(slots.extend_write(11)), Some(12));
    assert_eq!(slots.extend_write(12), None, "13 is of another class");
    assert_eq!(block(slots.next_write(SlotState::Direct)), Some(30));
    assert_eq!(slots.next_write(SlotState::Direct), None);
    assert!(slots.is_writing(SlotState::Direct) && !slots.is_writing(SlotState::Metadata));
    // 11 was changed on the way, 12 refused, 20 freed.
    slots.place(11, DIRECT);
    slots.discard(20, 1);
    for (block, done) in [(10, true), (11, true), (12, false), (20, true), (30, true)] {
        slots.written(block, done);
    }
    assert_eq!(counts(&slots), [5, 2, 0, 1, 0]);
    assert_eq!(block(slots.next_write(SlotState::Direct)), Some(11));
    assert_eq!(block(slots.extend_write(11)), Some(12));
}

#[test]
fn buffer_slots_change_during_transaction_joins_next() {
    let mut slots = slots(8);
    for block in [1, 2, 3] {
        slots.place(block, METADATA);
    }
    while slots.next_metadata().is_some() {}
    assert_eq!(counts(&slots), [5, 0, 0, 0, 3]);
    slots.place(2, METADATA);
    slots.end_transaction(TransactionOutcome::Failed);
    assert_eq!(counts(&slots), [5, 0, 0, 3, 0], "nothing has happened");
    while slots.next_metadata().is_some() {}
    slots.place(2, METADATA);
    slots.discard(3, 1);
    slots.end_transaction(TransactionOutcome::Journaled);
    assert_eq!(counts(&slots), [6, 0, 1, 1, 0]);
    slots.place(1, METADATA);
    while slots.next_metadata().is_some() {}
    slots.end_transaction(TransactionOutcome::Placed);
    assert_eq!(counts(&slots), [8, 0, 0, 0, 0]);
}
