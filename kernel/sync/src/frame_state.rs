//! The state of a page frame in one word: its kind, borrows of its content, how often it is mapped.
//!
//! Invariants, each kept by the one step that could break it. Content is borrowed once to be written, or by any number
//! of readers, and only of a plain frame. A frame becomes a table only while it is neither mapped nor borrowed. Only a
//! root that is not in teardown is locked, and no teardown starts while it is. A core that sees a step sees all earlier
//! effects of that step's core. On a board whose frames one core reaches, a step is a load and a store, otherwise a
//! compare-exchange. Not here: the content (`frame_borrow.rs`), the rights to change it (`arch-aarch64`).

use core::sync::atomic::{AtomicU64, Ordering};

/// How often it is mapped, or as its kind has it.
const COUNT: u64 = 0xffff_ffff;
/// Of a plain frame: its borrows. Of the others: a number.
const NUMBER: u64 = 0xffff << NUMBER_SHIFT;
const NUMBER_SHIFT: u32 = 32;
/// One reader.
const READER: u64 = 1 << NUMBER_SHIFT;
/// The writer.
const WRITER: u64 = NUMBER;
const KIND: u64 = 7 << KIND_SHIFT;
const KIND_SHIFT: u32 = 48;
/// Instruction fetches see the content, or a core is synchronising them.
const FETCH: u64 = 3 << FETCH_SHIFT;
const FETCH_SHIFT: u32 = 52;
const FETCHABLE: u64 = 1 << FETCH_SHIFT;
const BEING_MADE: u64 = 2 << FETCH_SHIFT;
/// Of a root: a core changes its tables.
const LOCKED: u64 = 1 << 54;
/// Several cores reach the frame.
const SEVERAL: u64 = 1 << 63;

/// Retries after which a wait is a bug: many times longer than any borrow.
const POLLS_MAX: u32 = 10_000_000;

/// The kind of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PageFrameKind {
    /// Content.
    Plain = 0,
    /// A table below the root. Its number: the shared table whose pages it maps without counting them.
    Table = 1,
    /// The root of an address space, with the space's number.
    Root = 2,
    /// A root whose space is being created or dismantled.
    Ending = 3,
    /// A shared page table, with its number.
    SharedTable = 4,
}

/// Why a step is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRefusal {
    /// It is of another kind.
    WrongKind,
    /// It is mapped.
    Mapped,
    /// It is borrowed, or locked: by another core for a moment, unless that is a bug.
    Borrowed,
}

/// The use of a frame at some moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameUse(u64);

impl FrameUse {
    /// Its kind.
    #[inline(always)]
    pub const fn kind(self) -> PageFrameKind {
        match (self.0 & KIND) >> KIND_SHIFT {
            0 => PageFrameKind::Plain,
            1 => PageFrameKind::Table,
            2 => PageFrameKind::Root,
            3 => PageFrameKind::Ending,
            _ => PageFrameKind::SharedTable,
        }
    }

    /// Whether it is plain.
    #[inline(always)]
    pub const fn is_plain(self) -> bool {
        self.0 & KIND == 0
    }

    /// Whether it is a root.
    #[inline(always)]
    pub const fn is_root(self) -> bool {
        self.0 & KIND == (PageFrameKind::Root as u64) << KIND_SHIFT
    }

    /// How often it is mapped, or as its kind has it.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0 as u32
    }

    /// The number that belongs to its kind; of a plain frame, its borrows.
    #[inline(always)]
    pub const fn number(self) -> u16 {
        (self.0 >> NUMBER_SHIFT) as u16
    }

    /// Whether several cores reach it.
    #[inline(always)]
    pub const fn is_of_several(self) -> bool {
        self.0 & SEVERAL != 0
    }

    /// Whether instruction fetches see the content as it is.
    pub const fn is_fetchable(self) -> bool {
        self.0 & FETCH == FETCHABLE
    }
}

/// The word of a frame.
pub struct FrameState(AtomicU64);

impl FrameState {
    /// Plain and unused; whether `several` cores reach it.
    pub const fn new(several: bool) -> Self {
        FrameState(AtomicU64::new(if several { SEVERAL } else { 0 }))
    }

    /// Its present state.
    #[inline(always)]
    pub fn get(&self) -> FrameUse {
        FrameUse(self.0.load(Ordering::Acquire))
    }

    /// One step, computed or refused by `next`; the state before it.
    #[inline(always)]
    fn step(&self, next: impl Fn(u64) -> Result<u64, FrameRefusal>) -> Result<FrameUse, FrameRefusal> {
        let mut old = self.0.load(Ordering::Relaxed);
        // Each retry follows another core's success.
        loop {
            let new = next(old)?;
            if old & SEVERAL == 0 {
                self.0.store(new, Ordering::Relaxed);
                return Ok(FrameUse(old));
            }
            match self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Ok(FrameUse(old)),
                Err(now) => old = now,
            }
        }
    }

    /// Borrows the content to be written, exclusively.
    #[inline(always)]
    pub fn begin_write(&self) -> Result<(), FrameRefusal> {
        self.step(|old| if old & (KIND | NUMBER) == 0 { Ok(old & !FETCH | WRITER) } else { Err(why_not(old)) })
            .map(drop)
    }

    /// Ends that borrow. Fetches synchronised meanwhile may miss a part of the content.
    #[inline(always)]
    pub fn end_write(&self) {
        let ended =
            self.step(
                |old| if old & NUMBER == WRITER { Ok(old & !(NUMBER | FETCH)) } else { Err(FrameRefusal::WrongKind) },
            );
        assert!(ended.is_ok(), "no core has borrowed this frame to write it");
    }

    /// Borrows the content to be read.
    #[inline(always)]
    pub fn begin_read(&self) -> Result<(), FrameRefusal> {
        let next =
            |old| if old & KIND == 0 && old & NUMBER < WRITER - READER { Ok(old + READER) } else { Err(why_not(old)) };
        self.step(next).map(drop)
    }

    /// Ends a reader's borrow.
    #[inline(always)]
    pub fn end_read(&self) {
        let is_read = |old| old & NUMBER != 0 && old & NUMBER != WRITER;
        let ended = self.step(|old| if is_read(old) { Ok(old - READER) } else { Err(FrameRefusal::WrongKind) });
        assert!(ended.is_ok(), "no core has borrowed this frame to read it");
    }

    /// Counts one more page that maps the frame, writable if `writable`.
    #[inline(always)]
    pub fn show(&self, writable: bool) -> Result<(), FrameRefusal> {
        let gone = if writable { FETCH } else { 0 };
        let next = |old| if old & KIND == 0 { Ok((old & !gone) + 1) } else { Err(FrameRefusal::WrongKind) };
        let before = self.step(next)?;
        assert!(before.count() != u32::MAX, "mappings are counted exactly");
        Ok(())
    }

    /// Changes the count.
    #[inline(always)]
    pub fn count(&self, by: i32) {
        let next = |old: u64| match (old as u32).checked_add_signed(by) {
            Some(count) => Ok(old & !COUNT | u64::from(count)),
            None => Err(FrameRefusal::Mapped),
        };
        assert!(self.step(next).is_ok(), "mappings are counted exactly");
    }

    /// Sets the count to 0, and returns the old one.
    pub fn take_count(&self) -> u32 {
        self.step(|old| Ok(old & !COUNT)).map_or(0, FrameUse::count)
    }

    /// An unused plain frame gets another kind, with that number.
    pub fn become_table(&self, kind: PageFrameKind, number: u16) -> Result<(), FrameRefusal> {
        let next = |old| match old {
            _ if old & KIND != 0 => Err(FrameRefusal::WrongKind),
            _ if old & COUNT != 0 => Err(FrameRefusal::Mapped),
            _ if old & NUMBER != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old & SEVERAL | of_kind(kind, number)),
        };
        self.step(next).map(drop)
    }

    /// Changes the kind, by the one core that has it; neither plain frames nor roots. The count stays.
    pub fn retype(&self, kind: PageFrameKind, number: u16) {
        let next = |old| match FrameUse(old).kind() {
            PageFrameKind::Plain | PageFrameKind::Root => Err(FrameRefusal::WrongKind),
            _ => Ok(old & (SEVERAL | COUNT) | of_kind(kind, number)),
        };
        assert!(self.step(next).is_ok(), "what is used becomes something else");
    }

    /// A root whose space is taken apart from now on.
    pub fn begin_ending(&self) -> Result<(), FrameRefusal> {
        let next = |old| match old {
            _ if !FrameUse(old).is_root() => Err(FrameRefusal::WrongKind),
            _ if old & LOCKED != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old & (SEVERAL | COUNT | NUMBER) | of_kind(PageFrameKind::Ending, 0)),
        };
        self.step(next).map(drop)
    }

    /// Locks a root.
    #[inline(always)]
    pub fn lock(&self) -> Result<FrameUse, FrameRefusal> {
        self.step(|old| match old {
            _ if !FrameUse(old).is_root() => Err(FrameRefusal::WrongKind),
            _ if old & LOCKED != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old | LOCKED),
        })
    }

    /// Ends the lock.
    #[inline(always)]
    pub fn unlock(&self) {
        let unlocked =
            self.step(|old| if old & LOCKED != 0 { Ok(old & !LOCKED) } else { Err(FrameRefusal::WrongKind) });
        assert!(unlocked.is_ok(), "no core has locked this root");
    }

    /// Makes instruction fetches see the content, by `synchronise`, unless they do already: never the content of an
    /// earlier use of the frame. While a writer is active, a fetch may see the content of a moment ago.
    #[inline(always)]
    pub fn make_fetchable(&self, synchronise: impl FnOnce()) {
        if self.get().is_fetchable() {
            return;
        }
        // A second core that comes meanwhile does the same and leaves the flags alone.
        let begun = self.step(|old| if old & FETCH == 0 { Ok(old | BEING_MADE) } else { Err(FrameRefusal::Borrowed) });
        synchronise();
        if begun.is_ok() {
            // Unless a writer may have come meanwhile.
            let end = |old| if old & FETCH == BEING_MADE { Ok(old ^ FETCH) } else { Err(FrameRefusal::Borrowed) };
            let _ = self.step(end);
        }
    }

    /// The content may be written from now on, by a program.
    #[inline(always)]
    pub fn outdate(&self) {
        let _ = self.step(|old| Ok(old & !FETCH));
    }
}

const fn of_kind(kind: PageFrameKind, number: u16) -> u64 {
    (kind as u64) << KIND_SHIFT | (number as u64) << NUMBER_SHIFT
}

fn why_not(old: u64) -> FrameRefusal {
    if old & KIND != 0 { FrameRefusal::WrongKind } else { FrameRefusal::Borrowed }
}

/// Retries `attempt` while another core has borrowed the frame. Where one core reaches the frame no other will release
/// it: then one attempt is all.
pub fn wait<T>(several: bool, mut attempt: impl FnMut() -> Result<T, FrameRefusal>) -> Result<T, FrameRefusal> {
    for _ in 0..if several { POLLS_MAX } else { 0 } {
        match attempt() {
            Err(FrameRefusal::Borrowed) => core::hint::spin_loop(),
            other => return other,
        }
    }
    attempt()
}
