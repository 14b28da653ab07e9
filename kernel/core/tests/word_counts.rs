//! How many words the messages of a protocol have.
use renga_abi::Errno;
use renga_core::{Protocol, protocol, protocol_as};

protocol! {
    /// A server for tests.
    pub Counted = 1, CountedCall {
        /// Two words each way.
        0 Add { a: u64, b: u32 } (()) -> Result<u64, Errno>;
        /// None, and an error.
        1 Give {} (&'a [u8]) -> Result<(), Errno>;
        /// None at all, unless the call fails.
        3 Park {} (()) -> () [defers];
    }
}

protocol_as! {
    /// The same entries.
    pub Forwarded = 2 as Counted
}

#[test]
fn word_counts_follow_types_of_entries() {
    let counts = |op| (Counted::WORD_COUNTS.sent(op), Counted::WORD_COUNTS.replied(op));
    assert_eq!([0, 1, 3].map(counts), [(2, 2), (0, 1), (0, 1)]);
    assert_eq!([2, 30, 31, u32::MAX].map(counts), [(u8::MAX, u8::MAX); 4], "no such entries");
    assert_eq!(Forwarded::WORD_COUNTS, Counted::WORD_COUNTS);
}
