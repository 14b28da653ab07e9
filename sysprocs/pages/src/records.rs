//! The memory of the cache's index: the records of frames, files and reverse mappings.
//!
//! Not here: the index (`index.rs`), dirty pages (`dirty.rs`), mapping (`reverse_mappings.rs`).

use crate::append_reservation::AppendReservation;
use renga_proto::attributes::AttributeChange;
use renga_proto::data::RUN_PAGES_MAX;
use renga_proto::pages::{FileId, NO_LEASE};
use renga_rt::Arena;
use renga_rt::linked_list::{LinkedList, Links};

pub(crate) const NONE: u32 = u32::MAX;

/// The record of no file: of pages that are no longer their file's and still to be written.
pub(crate) const DETACHED: u32 = NONE - 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DirtyPlace {
    pub(crate) block: u32,
    /// A copy of it is on its way, and it is still that.
    pub(crate) writing: bool,
    /// Times that the medium has refused it.
    pub(crate) tries: u8,
}

pub(crate) const RUN_MAX: usize = RUN_PAGES_MAX as usize;

/// Room for what is known of one frame. Boot provides one per frame of the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageRecord {
    /// The file's record; `NONE`: the frame shows no page.
    pub(crate) file: u32,
    pub(crate) page: u32,
    pub(crate) chained: u32,
    pub(crate) used: bool,
    /// It has been dirty: what was read of it may be older than what it was.
    pub(crate) written: bool,
    /// On the disk board: no other board caches it, since a program here was to write it by a mapping.
    pub(crate) sole: bool,
    /// Where it is to be written; `None`: it is clean.
    pub(crate) dirty: Option<DirtyPlace>,
    pub(crate) next_dirty: u32,
    /// In the clock, or in the list of dirty, of mapped or of objects' pages.
    pub(crate) in_order: Links<u32>,
    pub(crate) in_file: Links<u32>,
    /// The first of its mappings.
    pub(crate) first_mapping: u32,
}
impl PageRecord {
    pub(crate) const EMPTY: PageRecord = PageRecord {
        file: NONE,
        page: 0,
        chained: NONE,
        used: false,
        written: false,
        sole: false,
        dirty: None,
        next_dirty: NONE,
        in_order: Links::NONE,
        in_file: Links::NONE,
        first_mapping: NONE,
    };
}

/// Whether the inode's process has the changes that were made under the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangesAt {
    /// It has them, if there are any.
    Owner,
    /// They are on their way to it.
    Way,
    /// They are here only.
    Holder,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FileRecord {
    pub(crate) id: FileId,
    pub(crate) used: bool,
    /// When the present lease of its pages began: a number that each revocation renews.
    pub(crate) since: u64,
    /// When a page was last written that was or is here: a number as `since`.
    pub(crate) written: u64,
    /// Its size, while that is known.
    pub(crate) size: Option<u64>,
    pub(crate) pages: LinkedList<u32>,
    pub(crate) dirty: u32,
    /// Some of them are or were mapped by programs that share them.
    pub(crate) mapped: bool,
    /// No page above this one is here.
    pub(crate) highest: u32,
    /// Another board has the write lease: its pages here may be old.
    pub(crate) leased_out: bool,
    /// This board has the write lease: pages below this one may be written here.
    pub(crate) writable: u32,
    /// Its inode's process, and under which lease, if this board has it.
    pub(crate) slot: u16,
    pub(crate) lease: u64,
    /// Times that this one has arrived.
    pub(crate) arrivals: u32,
    /// The last lease that was taken back, or a later one of another file.
    pub(crate) ended: u64,
    /// Of appends that are under way, if this board has it.
    pub(crate) appends: AppendReservation,
    /// The session in which it was leased has ended: dirty pages here may be old.
    pub(crate) orphaned: bool,
    /// When it was last written under its lease, ns since 1970.
    pub(crate) written_ns: Option<u64>,
    /// Changes made under its lease of mode, owner and times, and when, ns since 1970.
    pub(crate) changed: Option<(AttributeChange, u64)>,
    pub(crate) changes_at: ChangesAt,
    /// Some caller pushes it under its lease.
    pub(crate) pushed: bool,
    pub(crate) chained: u32,
    pub(crate) in_clock: Links<u32>,
}
impl FileRecord {
    /// Whether something of it is here that the inode's process has not.
    pub(crate) fn is_ahead(&self) -> bool {
        self.dirty > 0 || self.has_changes()
    }
    /// Whether these are changes under its lease.
    pub(crate) fn has_changes(&self) -> bool {
        self.changes_at != ChangesAt::Owner
    }
    /// Whether it completes a status that was granted under its lease.
    pub(crate) fn completes_status(&self) -> bool {
        self.writable > 0 && (self.written_ns.is_some() || self.changed.is_some())
    }
    /// Whether its pages here are hidden from programs.
    pub(crate) fn is_withheld(&self) -> bool {
        self.leased_out || self.orphaned
    }

    /// That lease has arrived, once more or for the first time.
    pub(crate) fn arrive(&mut self, lease: u64) {
        self.arrivals = if self.lease == lease { self.arrivals.saturating_add(1) } else { 1 };
        self.lease = lease;
    }

    pub(crate) const EMPTY: FileRecord = FileRecord {
        id: FileId { ino: 0, generation: 0 },
        used: false,
        since: 0,
        written: 0,
        size: None,
        pages: LinkedList::EMPTY,
        dirty: 0,
        mapped: false,
        highest: 0,
        leased_out: false,
        writable: 0,
        slot: 0,
        lease: NO_LEASE,
        arrivals: 0,
        ended: NO_LEASE,
        appends: AppendReservation::NONE,
        orphaned: false,
        written_ns: None,
        changed: None,
        changes_at: ChangesAt::Owner,
        pushed: false,
        chained: NONE,
        in_clock: Links::NONE,
    };
}

/// A page of an address space that shows a page of the cache to a program which shares it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReverseMapping {
    /// The cached page's frame; `NONE`: this is none.
    pub(crate) frame: u32,
    pub(crate) space: u32,
    pub(crate) at: u32,
    pub(crate) next: u32,
}
impl ReverseMapping {
    pub(crate) const NONE: ReverseMapping = ReverseMapping { frame: NONE, space: 0, at: 0, next: NONE };
}

pub(crate) struct DirtyPages {
    pub(crate) list: LinkedList<u32>,
    /// First of each chain of dirty pages by their blocks; as many as a power of two.
    chains: &'static mut [u32],
    pub(crate) run: [u32; RUN_MAX],
    pub(crate) in_run: usize,
    pub(crate) ordered: bool,
    pub(crate) lost: u32,
}
impl DirtyPages {
    pub(crate) fn new(chains: &'static mut [u32]) -> DirtyPages {
        DirtyPages { list: LinkedList::EMPTY, chains, run: [NONE; RUN_MAX], in_run: 0, ordered: false, lost: 0 }
    }

    /// Blocks side by side are in chains side by side.
    pub(crate) fn chain(&mut self, block: u32) -> &mut u32 {
        let chain = block as usize & (self.chains.len() - 1);
        &mut self.chains[chain]
    }
}

pub(crate) struct ReverseMappings {
    pub(crate) table: &'static mut [ReverseMapping],
    /// The oldest, or the next free one.
    pub(crate) hand: u32,
    pub(crate) pages: LinkedList<u32>,
}
impl ReverseMappings {
    pub(crate) fn new(table: &'static mut [ReverseMapping]) -> ReverseMappings {
        ReverseMappings { table, hand: 0, pages: LinkedList::EMPTY }
    }
}

/// One reverse mapping for so many frames: a program with more faults again.
const FRAMES_PER_MAPPING: usize = 2;

/// The memory of the cache's index. Boot provides it.
pub struct CacheMemory {
    pub(crate) pages: &'static mut [PageRecord],
    pub(crate) page_chains: &'static mut [u32],
    pub(crate) block_chains: &'static mut [u32],
    pub(crate) files: &'static mut [FileRecord],
    pub(crate) file_chains: &'static mut [u32],
    pub(crate) reverse_mappings: &'static mut [ReverseMapping],
}

impl CacheMemory {
    /// For a board of `frames` page frames, and as many files with pages in the cache as `files`.
    pub fn new(arena: &'static Arena, frames: usize, files: usize) -> &'static mut CacheMemory {
        let chains = |elements: usize| elements.div_ceil(2).next_power_of_two();
        arena.put(|| CacheMemory {
            pages: arena.put_slice(frames, |_| PageRecord::EMPTY),
            page_chains: arena.put_slice(chains(frames), |_| NONE),
            // Few are dirty at a time.
            block_chains: arena.put_slice(chains(frames.div_ceil(4)), |_| NONE),
            files: arena.put_slice(files, |_| FileRecord::EMPTY),
            file_chains: arena.put_slice(chains(files), |_| NONE),
            reverse_mappings: arena.put_slice(frames.div_ceil(FRAMES_PER_MAPPING), |_| ReverseMapping::NONE),
        })
    }
}
