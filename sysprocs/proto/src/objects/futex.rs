//! Futexes: words of memory that programs wait for. One process on each board keeps who waits.

use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// Who means the same word by the same key.
    pub enum FutexScope {
        /// Programs in one address space, of the caller's board.
        Private,
        /// Everybody who maps the page.
        Shared,
    }
}

in_words! {
    /// A word of memory.
    pub struct FutexKey {
        /// Who means the same by it.
        scope: FutexScope,
        /// Private: the address space's number; shared: the file or object.
        object: u64,
        /// Private: the word's address; shared: its first byte in the object.
        offset: u64,
    }
}

impl FutexKey {
    /// Another word of the same space or object.
    pub fn at(self, offset: u64) -> FutexKey {
        FutexKey { offset, ..self }
    }
}

/// All sets of waiters, as without a bit set.
pub const ANY_BITS: u32 = u32::MAX;

protocol! {
    /// Who waits for which word. No entry waits: a program joins a queue, checks the word, and waits at the clock of
    /// its board; a wake takes it from the queue and has it woken there.
    pub Futexes = 34, FutexesCall {
        /// The program in `slot` of the caller's board joins the queue of `key`, for wakes with one of `bits`; it
        /// leaves any other. `ENOMEM`: more wait than there are programs.
        0 JoinQueue { key: FutexKey, bits: u32, slot: u16 } (()) -> Result<(), Errno>;
        /// Whether the program in `slot` was woken, which ends its wait; if not, it stays in the queue unless it
        /// `leaves`.
        1 WasWoken { slot: u16, leaves: bool } (()) -> Result<bool, Errno>;
        /// Wakes the first `count` that wait for `key` with one of `bits`; how many.
        2 WakeFutex { key: FutexKey, bits: u32, count: u32 } (()) -> Result<u32, Errno>;
        /// Wakes the first `count` that wait for `key`, and moves the next `moves` to the end of the queue at `offset`
        /// of the same object; how many in all.
        3 MoveWaiters { key: FutexKey, offset: u64, count: u32, moves: u32 } (()) -> Result<u32, Errno>;
        /// A board failed: its programs wait no more.
        4 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}
