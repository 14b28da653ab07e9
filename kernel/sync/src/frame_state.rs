//! What a frame is used for: its kind, who borrows its content, how often it is mapped, in one word.
//!
//! Invariants, each kept by the one step that could break it: content is borrowed once to be written, or by any number to be
//! read, and only of a plain frame; a frame becomes a table only while it is neither mapped nor borrowed; only a table of
//! tables that is not being taken apart is locked, and it is not taken apart while it is. What was done before a step is seen by
//! whoever sees the step. On a board whose frames one core reaches a step is a load and a store, otherwise a
//! compare-exchange. Not here: the content (`borrow.rs`), who may change what (`arch-aarch64`).

use core::sync::atomic::{AtomicU64, Ordering};

/// How often it is mapped, or as its kind has it.
const COUNT: u64 = 0xffff_ffff;
/// Of a plain frame: who borrows it. Of the others: a number.
const NUMBER: u64 = 0xffff << NUMBER_SHIFT;
const NUMBER_SHIFT: u32 = 32;
/// One who reads.
const READER: u64 = 1 << NUMBER_SHIFT;
/// One who writes.
const WRITER: u64 = NUMBER;
const KIND: u64 = 7 << KIND_SHIFT;
const KIND_SHIFT: u32 = 48;
/// Instruction fetches see the content, or somebody makes them see it.
const FETCH: u64 = 3 << FETCH_SHIFT;
const FETCH_SHIFT: u32 = 52;
const FETCHABLE: u64 = 1 << FETCH_SHIFT;
const BEING_MADE: u64 = 2 << FETCH_SHIFT;
/// Of a root: somebody changes its tables.
const LOCKED: u64 = 1 << 54;
/// Several cores reach the frame.
const SEVERAL: u64 = 1 << 63;

/// Looks after which who still waits has found a bug: many times longer than anybody borrows what another core wants.
const LOOKS_MAX: u32 = 10_000_000;

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FrameKind {
    /// Content.
    Plain = 0,
    /// A table below the root. Its number: of what it shows pages that it does not count.
    Table = 1,
    /// The root of an address space, with the space's number.
    Root = 2,
    /// A root whose space is being made or taken apart.
    Ending = 3,
    /// A shared page table, with its number.
    SharedTable = 4,
}

/// Why not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRefusal {
    /// It is of another kind.
    FrameKind,
    /// It is mapped.
    Mapped,
    /// It is borrowed, or locked: by another core for a moment, unless that is a bug.
    Borrowed,
}

/// The use of a frame at some moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameUse(u64);

impl FrameUse {
    /// What it is.
    #[inline(always)]
    pub const fn kind(self) -> FrameKind {
        match (self.0 & KIND) >> KIND_SHIFT {
            0 => FrameKind::Plain,
            1 => FrameKind::Table,
            2 => FrameKind::Root,
            3 => FrameKind::Ending,
            _ => FrameKind::SharedTable,
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
        self.0 & KIND == (FrameKind::Root as u64) << KIND_SHIFT
    }

    /// How often it is mapped, or as its kind has it.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0 as u32
    }

    /// The number that belongs to its kind; of a plain frame, who borrows it.
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

    /// What it is used for now.
    #[inline(always)]
    pub fn get(&self) -> FrameUse {
        FrameUse(self.0.load(Ordering::Acquire))
    }

    /// One step, which `next` says or refuses; what was before.
    #[inline(always)]
    fn step(&self, next: impl Fn(u64) -> Result<u64, FrameRefusal>) -> Result<FrameUse, FrameRefusal> {
        let mut old = self.0.load(Ordering::Relaxed);
        // Who comes again has seen somebody else get on.
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

    /// Borrows the content to be written: nobody else has it.
    #[inline(always)]
    pub fn begin_write(&self) -> Result<(), FrameRefusal> {
        self.step(|old| if old & (KIND | NUMBER) == 0 { Ok(old & !FETCH | WRITER) } else { Err(why_not(old)) })
            .map(drop)
    }

    /// By who has borrowed it to be written. Fetches that somebody has made see the content meanwhile may not see all of it.
    #[inline(always)]
    pub fn end_write(&self) {
        let ended =
            self.step(
                |old| if old & NUMBER == WRITER { Ok(old & !(NUMBER | FETCH)) } else { Err(FrameRefusal::FrameKind) },
            );
        assert!(ended.is_ok(), "nobody has borrowed this frame to write it");
    }

    /// Borrows the content to be read.
    #[inline(always)]
    pub fn begin_read(&self) -> Result<(), FrameRefusal> {
        let next =
            |old| if old & KIND == 0 && old & NUMBER < WRITER - READER { Ok(old + READER) } else { Err(why_not(old)) };
        self.step(next).map(drop)
    }

    /// By one who has borrowed it to be read.
    #[inline(always)]
    pub fn end_read(&self) {
        let is_read = |old| old & NUMBER != 0 && old & NUMBER != WRITER;
        let ended = self.step(|old| if is_read(old) { Ok(old - READER) } else { Err(FrameRefusal::FrameKind) });
        assert!(ended.is_ok(), "nobody has borrowed this frame to read it");
    }

    /// One page more shows it, to be written if `writable`.
    #[inline(always)]
    pub fn show(&self, writable: bool) -> Result<(), FrameRefusal> {
        let gone = if writable { FETCH } else { 0 };
        let next = |old| if old & KIND == 0 { Ok((old & !gone) + 1) } else { Err(FrameRefusal::FrameKind) };
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

    /// Sets the count to 0; what it was.
    pub fn take_count(&self) -> u32 {
        self.step(|old| Ok(old & !COUNT)).map_or(0, FrameUse::count)
    }

    /// A plain frame that nobody uses becomes something else, with that number.
    pub fn become_table(&self, kind: FrameKind, number: u16) -> Result<(), FrameRefusal> {
        let next = |old| match old {
            _ if old & KIND != 0 => Err(FrameRefusal::FrameKind),
            _ if old & COUNT != 0 => Err(FrameRefusal::Mapped),
            _ if old & NUMBER != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old & SEVERAL | of_kind(kind, number)),
        };
        self.step(next).map(drop)
    }

    /// Another kind, by who alone has it: not what is plain, nor a root. The count stays.
    pub fn turn(&self, kind: FrameKind, number: u16) {
        let next = |old| match FrameUse(old).kind() {
            FrameKind::Plain | FrameKind::Root => Err(FrameRefusal::FrameKind),
            _ => Ok(old & (SEVERAL | COUNT) | of_kind(kind, number)),
        };
        assert!(self.step(next).is_ok(), "what is used becomes something else");
    }

    /// A root whose space is taken apart from now on.
    pub fn begin_ending(&self) -> Result<(), FrameRefusal> {
        let next = |old| match old {
            _ if !FrameUse(old).is_root() => Err(FrameRefusal::FrameKind),
            _ if old & LOCKED != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old & (SEVERAL | COUNT | NUMBER) | of_kind(FrameKind::Ending, 0)),
        };
        self.step(next).map(drop)
    }

    /// Locks a root.
    #[inline(always)]
    pub fn lock(&self) -> Result<FrameUse, FrameRefusal> {
        self.step(|old| match old {
            _ if !FrameUse(old).is_root() => Err(FrameRefusal::FrameKind),
            _ if old & LOCKED != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old | LOCKED),
        })
    }

    /// By who has locked it.
    #[inline(always)]
    pub fn unlock(&self) {
        let unlocked =
            self.step(|old| if old & LOCKED != 0 { Ok(old & !LOCKED) } else { Err(FrameRefusal::FrameKind) });
        assert!(unlocked.is_ok(), "nobody has locked this root");
    }

    /// Has instruction fetches see the content, by `synchronise`, unless they do: in any case nothing that was there before this frame's
    /// present use. Is it written meanwhile, who looks before all are done may be told too early, and fetches what was there a moment ago.
    #[inline(always)]
    pub fn make_fetchable(&self, synchronise: impl FnOnce()) {
        if self.get().is_fetchable() {
            return;
        }
        // Who comes while another one is at it does the same, and says nothing.
        let begun = self.step(|old| if old & FETCH == 0 { Ok(old | BEING_MADE) } else { Err(FrameRefusal::Borrowed) });
        synchronise();
        if begun.is_ok() {
            // Unless somebody may have written meanwhile.
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

const fn of_kind(kind: FrameKind, number: u16) -> u64 {
    (kind as u64) << KIND_SHIFT | (number as u64) << NUMBER_SHIFT
}

fn why_not(old: u64) -> FrameRefusal {
    if old & KIND != 0 { FrameRefusal::FrameKind } else { FrameRefusal::Borrowed }
}

/// Tries until it is not refused since another core has what is wanted; what it is refused for otherwise. Where one core reaches the
/// frame nobody will give it back meanwhile: then once.
pub fn wait<T>(several: bool, mut attempt: impl FnMut() -> Result<T, FrameRefusal>) -> Result<T, FrameRefusal> {
    for _ in 0..if several { LOOKS_MAX } else { 0 } {
        match attempt() {
            Err(FrameRefusal::Borrowed) => core::hint::spin_loop(),
            other => return other,
        }
    }
    attempt()
}
