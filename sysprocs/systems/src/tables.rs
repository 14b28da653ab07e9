//! A placement as tables: what the placement tool writes (`blob.rs`) and a board boots from.
//!
//! Invariant: no text to compare at boot. A process is `ProcId { board, index }`:
//! `board` the index into [`System::boards`], `index` from the `first` of its row on.

use crate::facts::FACTS;
use crate::fields::{BlobReader, TableField};
use crate::kinds::Kind;
use core::ops::Range;
use renga_rt::{PAGE_BYTES, ProcId};

/// Declares the rows of the tables. As bytes a row is its fields, in their order.
macro_rules! rows { ($(
    $(#[$doc:meta])* pub struct $T:ident $([$t:lifetime])? { $($(#[$field_doc:meta])* pub $field:ident: $F:ty,)+ }
)+) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct $T $(<$t>)? { $($(#[$field_doc])* pub $field: $F),+ }
    impl $(<$t>)? TableField for $T $(<$t>)? {
        const BYTES_MIN: usize = 0 $(+ <$F>::BYTES_MIN)+;
        fn put(&self, out: &mut dyn FnMut(&[u8])) {
            $(self.$field.put(out);)+
        }
        fn get(reader: &mut BlobReader<'_>) -> Self where Self: 'static {
            $T { $($field: <$F>::get(reader)),+ }
        }
    }
)+ } }
rows! {
    /// One system.
    pub struct System['t] {
        /// Its name.
        pub name: &'t str,
        /// Its boards, in token order.
        pub boards: &'t [Board<'t>],
        /// The edges that are not synchronous; `entries` never contains one that may not be released.
        pub async_edges: &'t [AsyncEdge],
        /// Whether a call that returns data travels as two rendezvous, one in each direction.
        pub paired: bool,
        /// Whether each of those two is awaited to its end.
        pub ends_awaited: bool,
    }
    /// One board.
    pub struct Board['t] {
        /// Its name.
        pub name: &'t str,
        /// Whether it owns the disk.
        pub owns_disk: bool,
        /// Whether it may keep pages of files.
        pub leases: bool,
        /// Cores that run system processes.
        pub cores: u8,
        /// Those of them that run programs, a bit each.
        pub program_cores: u8,
        /// The most memory that programs and cached files have, MiB.
        pub memory_mib: u16,
        /// All processes, computed ones included.
        pub processes: u16,
        /// The processes placed, by `first`.
        pub placed: &'t [Placed],
        /// The proxies, by `first`; they follow the processes placed.
        pub proxies: &'t [Proxies],
        /// Processes of other boards that processes here call. By board and `first`.
        pub elsewhere: &'t [Placed],
        /// What passes to and from each other board that has any calls with this one.
        pub peers: &'t [PeerSlots],
        /// What processes of other boards may call here; nothing else is let in.
        pub permits: &'t [Permit],
        /// The bound of the memory for messages.
        pub message_bytes: u32,
    }
    /// Processes of one kind on one core.
    pub struct Placed {
        /// What they are.
        pub kind: Kind,
        /// Their board (in `Board::placed`: that board).
        pub board: u8,
        /// The index of the first.
        pub first: u16,
        /// How many.
        pub count: u16,
        /// Their core.
        pub core: u8,
        /// Entries of theirs, a bit each, whose reply may wait for another client: their callers on other boards have
        /// proxies of their own here.
        pub may_wait: u32,
    }
    /// The proxies of the processes of one kind of another board.
    pub struct Proxies {
        /// The kind of those that they call for.
        pub caller_kind: Kind,
        /// The board of those.
        pub caller_board: u8,
        /// The index there of the first of those.
        pub caller_first: u16,
        /// How many those are.
        pub callers: u16,
        /// The index of the first proxy here.
        pub first: u16,
        /// How many they share.
        pub shared: u16,
        /// How many follow that are for one of them each: none, or as many as they are.
        pub own: u16,
        /// Their core.
        pub core: u8,
        /// Pages that the slices of a call need which a shared proxy makes.
        pub shared_pages: u8,
        /// Pages that the slices of a call need which another one makes.
        pub own_pages: u8,
    }
    /// What the processes of one kind of another board may call of those of one kind here.
    pub struct Permit {
        /// The callers' board.
        pub caller_board: u8,
        /// Their kind.
        pub caller_kind: Kind,
        /// The kind of the servers.
        pub server: Kind,
        /// The entries, a bit each.
        pub entries: u32,
    }
    /// What passes to and from another board.
    pub struct PeerSlots {
        /// The other board.
        pub board: u8,
        /// Slots for copies of asynchronous calls on their way there; 0 if no edge to there is asynchronous.
        pub slots_out: u16,
        /// Slots for copies arrived from there.
        pub slots_in: u16,
        /// The index of the first asynchronous proxy for that board; those for server `s` is
        /// `s.index % async_proxies`, which keeps the order of calls to one server.
        pub async_first: u16,
        /// How many there are.
        pub async_proxies: u16,
        /// Their core.
        pub async_core: u8,
    }
    /// An edge with asynchronous entries.
    pub struct AsyncEdge {
        /// The kind that calls.
        pub caller: Kind,
        /// The kind that serves.
        pub server: Kind,
        /// The entries, a bit each.
        pub entries: u32,
    }
}

impl Proxies {
    /// How many proxies.
    pub fn count(&self) -> u16 {
        self.shared.saturating_add(self.own)
    }
}

impl System<'_> {
    /// The entries of `server` whose calls by `caller` are released early, a bit each.
    pub fn released(&self, caller: Kind, server: Kind) -> u32 {
        let edge = self.async_edges.iter().find(|edge| (edge.caller, edge.server) == (caller, server));
        edge.map_or(0, |edge| edge.entries)
    }
    /// The board of the file system: every inode's owner.
    pub fn file_board(&self) -> u8 {
        self.boards.iter().position(|board| board.has(Kind::InodeDirectory)).unwrap_or(0) as u8
    }
    /// The kind of a process of any board, by name.
    pub fn kind_name(&self, id: ProcId) -> &'static str {
        match self.boards.get(usize::from(id.board.0)) {
            Some(board) if id.index < board.processes => board.kind_at(id.index).name(),
            _ => "?",
        }
    }
}

impl Board<'_> {
    /// All processes, computed ones included, in rows of one kind on one core, by `first`.
    pub fn rows(&self) -> impl Iterator<Item = Placed> {
        let row = |kind, first, count, core| Placed { kind, board: 0, first, count, core, may_wait: 0 };
        let proxies = self.proxies.iter().map(move |of| row(Kind::Proxy, of.first, of.count(), of.core));
        let peers = self.peers.iter().filter(|of| of.async_proxies > 0);
        let peers = peers.map(move |of| row(Kind::AsyncProxy, of.async_first, of.async_proxies, of.async_core));
        self.placed.iter().copied().chain(proxies).chain(peers)
    }
    /// The indices of the processes of `kind` here; they are neighbours.
    pub fn range(&self, kind: Kind) -> Range<u16> {
        let rows = self.rows().filter(|row| row.kind == kind && row.count > 0);
        rows.fold(0..0, |all: Range<u16>, Placed { first, count, .. }| {
            if all.is_empty() { first..first + count } else { all.start.min(first)..all.end.max(first + count) }
        })
    }
    /// The core of the first of the programs' processes, the devices' interrupts and the link.
    pub fn home(&self) -> u8 {
        self.placed.iter().find(|row| row.kind == Kind::User).map_or(0, |row| row.core)
    }
    /// All cores of programs' processes, a bit each.
    pub fn homes(&self) -> u8 {
        self.placed.iter().filter(|row| row.kind == Kind::User).fold(0, |homes, row| homes | 1 << row.core)
    }
    /// The user slots whose home is `core`; they are neighbours.
    pub fn slots_of(&self, core: u8) -> Range<u16> {
        let first = self.range(Kind::User).start;
        let row = self.placed.iter().find(|row| row.kind == Kind::User && row.core == core);
        row.map_or(0..0, |row| row.first - first..row.first - first + row.count)
    }
    /// The most page frames that programs and cached files have.
    pub fn frames_max(&self) -> usize {
        usize::from(self.memory_mib) * ((1 << 20) / PAGE_BYTES)
    }
    /// Whether any of `kind` are here.
    pub fn has(&self, kind: Kind) -> bool {
        !self.range(kind).is_empty()
    }
    /// On which core the process at `index` is.
    pub fn core_of(&self, index: u16) -> u8 {
        let includes = |row: &Placed| (row.first..row.first.saturating_add(row.count)).contains(&index);
        self.rows().find(includes).map_or(0, |row| row.core)
    }
    /// What the process at `index` is.
    pub fn kind_at(&self, index: u16) -> Kind {
        let kinds = || FACTS.iter().map(|facts| facts.kind);
        kinds().find(|kind| self.range(*kind).contains(&index)).unwrap_or(Kind::AsyncProxy)
    }
}
