//! The boards, their caches, and what is under way between them and the inode's process.
//!
//! Content is a number that each change of a page makes one larger; the size is numbered likewise. `content` and `size`
//! are what the inode's process has, `latest` and `latest_size` what was written last, there or by the board that holds
//! the file. Invariant: messages of one kind may overtake those of another, and none is lost (the sessions below see to
//! that).
//! Not here: writing elsewhere, and flushing that (`write_lease.rs`), writing by mappings (`mapped.rs`), sessions that
//! end while both boards live (`session_end.rs`), mode and owner (`attributes.rs`), what is lost (`loss.rs`).

use super::LeasesMutant;
use super::attributes::Asking;
use super::write_lease::{Ask, LeaseHolder, Taking};
use renga_fs::Holders;
use renga_proto::pages::TO_END;

/// Boards; the inode's is the first.
pub const BOARDS: usize = 2;
/// Pages of the file.
pub const PAGES: usize = 2;

/// Pushes of one board at once, of which all but the first are a mutant.
pub const PUSHES: usize = 2;

/// What is on its way to the inode's process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Push {
    pub(super) lease: u8,
    pub(super) incarnation: u8,
    /// A page and what it holds, and the size.
    pub(super) page: Option<(usize, u8, u8)>,
    /// The mode that was set there.
    pub(super) mode: Option<u8>,
    /// Whether the inode's process has accepted it.
    pub(super) answer: Option<bool>,
}

/// What may be done so many times at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeasesLimits {
    /// Pages requested.
    pub fills: u8,
    /// Changes of content.
    pub changes: u8,
    /// Deaths of the second board.
    pub deaths: u8,
    /// Deaths of the inode's board.
    pub inode_deaths: u8,
    /// Files forgotten by a cache.
    pub evictions: u8,
    /// Write leases requested.
    pub leases: u8,
    /// Pages mapped for programs that write them by mappings.
    pub shows: u8,
    /// Sessions of the second board that end while both boards live.
    pub session_ends: u8,
    /// Changes of mode and owner.
    pub sets: u8,
    /// Reads of them.
    pub gets: u8,
    /// Pushes.
    pub pushes: u8,
}

/// A page on its way to a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PageFill {
    pub(super) page: usize,
    generation: u8,
    /// The version of the page, and of the size, at the time of the request.
    pub(super) floor: (u8, u8),
    incarnation: u8,
    /// Page and size, when the inode's process has answered.
    answer: Option<(u8, u8)>,
    /// It may be kept.
    granted: bool,
}

/// The cache of one board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BoardCache {
    /// The present generation: replies to requests of earlier ones are not cached.
    pub(super) since: u8,
    pub(super) last_since: u8,
    pub(super) pages: [Option<u8>; PAGES],
    pub(super) size: Option<u8>,
    pub(super) incarnation: u8,
    /// It does not know yet that the session has ended, or that the inode's board restarted; it neither requests nor
    /// answers meanwhile.
    pub(super) behind: bool,
    pub(super) fill: Option<PageFill>,
    /// It may write.
    pub(super) leased: bool,
    /// Pages that it has written and the inode's process has not.
    pub(super) dirty: [bool; PAGES],
    /// Pages that programs may store to.
    pub(super) mapped: [bool; PAGES],
    /// What it pushes, and of which pages the present version is or was on its way.
    pub(super) pushes: [Option<Push>; PUSHES],
    pub(super) sent: [bool; PAGES],
    /// Under which lease.
    pub(super) lease: u8,
    /// The last lease that was taken back.
    pub(super) ended: u8,
    /// What is dirty is of a session that has ended.
    pub(super) orphaned: bool,
    /// The write lease, on its way.
    pub(super) ask: Option<Ask>,
    /// The mode that it has set and not yet reported to the inode's process.
    pub(super) changed: Option<u8>,
    /// The mode in the status that it caches, and the lease under which that was granted.
    pub(super) status: Option<(u8, u8)>,
}
impl BoardCache {
    /// Starts a generation: outstanding replies are not cached.
    pub(super) fn renew(&mut self) {
        self.last_since += 1;
        self.since = self.last_since;
    }
}

/// A change for which boards have to give up their leases.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeaseRevocation {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The board that is queried at present.
    pub(super) asked: Option<usize>,
    /// Its answer: pages left.
    pub(super) answer: Option<u32>,
    pub(super) next: usize,
    pub(super) applied: bool,
    /// What it is for.
    pub(super) purpose: Purpose,
}

/// What a change is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// New content.
    Content,
    /// The board is to get the write lease.
    Lease(usize, Option<usize>),
    /// Programs of the inode's board are to write the page by a mapping.
    Mapping(usize),
}

/// All of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LeasesWorld {
    pub(super) mutant: Option<LeasesMutant>,
    pub(super) left: LeasesLimits,
    pub(super) holders: Holders,
    pub(super) content: [u8; PAGES],
    pub(super) size: u8,
    pub(super) latest: [u8; PAGES],
    pub(super) latest_size: u8,
    pub(super) change: Option<LeaseRevocation>,
    /// The board that holds the file, and under which lease.
    pub(super) write_lease: Option<LeaseHolder>,
    pub(super) last_lease: u8,
    /// Pages that programs of the inode's board may store to: no other board holds them.
    pub(super) sole: [bool; PAGES],
    pub(super) taking: Option<Taking>,
    pub(super) mode: u8,
    pub(super) latest_mode: u8,
    /// The inode's process asks for the mode.
    pub(super) asking: Option<Asking>,
    /// The boards' caches.
    pub caches: [BoardCache; BOARDS],
    /// A reader got a version older than the one at its request.
    pub old_read: bool,
}

impl LeasesWorld {
    /// Nothing is cached.
    pub fn new(mutant: Option<LeasesMutant>, left: LeasesLimits) -> LeasesWorld {
        let caches = core::array::from_fn(|_| BoardCache { since: 1, last_since: 1, ..BoardCache::default() });
        let holders = Holders::default();
        let (content, latest, size, latest_size) = ([0; PAGES], [0; PAGES], 0, 0);
        let (change, write_lease, taking, old_read) = (None, None, None, false);
        let (last_lease, sole) = (0, [false; PAGES]);
        LeasesWorld {
            mutant,
            left,
            holders,
            content,
            size,
            latest,
            latest_size,
            change,
            write_lease,
            last_lease,
            sole,
            taking,
            mode: 0,
            latest_mode: 0,
            asking: None,
            caches,
            old_read,
        }
    }

    pub(super) fn is(&self, mutant: LeasesMutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Whether some board could read what is no longer so.
    pub fn holds_old(&self) -> bool {
        let visible = self.write_lease.is_none() || self.is(LeasesMutant::MappedWhileLeased);
        let old_here = visible && (self.content, self.size) != (self.latest, self.latest_size);
        let old_mode = self.write_lease.is_none() && self.mode != self.latest_mode && self.asking.is_none();
        old_here
            || old_mode
            || self.completes_old()
            || self.caches.iter().filter(|cache| !cache.behind && !cache.orphaned).any(|cache| {
                let mut pages = cache.pages.iter().zip(self.latest);
                let old_page = pages.any(|(page, now)| page.is_some_and(|page| page != now));
                old_page || cache.size.is_some_and(|size| size != self.latest_size)
            })
    }

    pub(super) fn ask(&mut self, board: usize, page: usize) -> Option<()> {
        self.left.fills = self.left.fills.checked_sub(1)?;
        let (content, size) = (self.latest[page], self.latest_size);
        let cache = &mut self.caches[board];
        // The board that holds the file knows its size.
        let size = if cache.leased { 0 } else { size };
        if cache.behind || cache.fill.is_some() || cache.pages[page].is_some() && !cache.orphaned {
            return None;
        }
        let (generation, floor, incarnation) = (cache.since, (content, size), cache.incarnation);
        let fill = PageFill { page, generation, floor, incarnation, answer: None, granted: true };
        cache.fill = Some(fill);
        Some(())
    }

    /// Not while a change is under way: the process does one thing at a time.
    pub(super) fn answer(&mut self, board: usize) -> Option<()> {
        let (noted, protected) = (!self.is(LeasesMutant::GrantNotNoted), !self.is(LeasesMutant::SoleOutlivesGrant));
        let unreachable = self.write_lease.is_some_and(|write_lease| write_lease.unreachable);
        let elsewhere = self.write_lease.is_some_and(|write_lease| write_lease.board != board)
            && !self.is(LeasesMutant::AnsweredWhileLeased);
        if (elsewhere && !unreachable) || self.asking.is_some() || self.taking.is_some() || self.is_unreachable(board) {
            return None;
        }
        let granted = !unreachable || self.is(LeasesMutant::GrantedWhileUnreachable);
        let cache = &mut self.caches[board];
        let fill =
            cache.fill.as_mut().filter(|fill| fill.answer.is_none() && self.change.is_none() && !cache.behind)?;
        (fill.answer, fill.granted) = (Some((self.content[fill.page], self.size)), granted);
        if unreachable {
            // It gets the last version of the disk board.
            fill.floor = (0, 0);
        }
        self.sole[fill.page] &= !protected;
        if noted && granted {
            self.holders.grant(board as u8, fill.page as u32);
        }
        Some(())
    }

    pub(super) fn arrive(&mut self, board: usize) -> Option<()> {
        let (any_generation, any_incarnation) =
            (self.is(LeasesMutant::GenerationIgnored), self.is(LeasesMutant::FormerIncarnation));
        let (overwrites, old_size) = (self.is(LeasesMutant::FillOverwrites), self.is(LeasesMutant::FillBringsSize));
        let cache = &mut self.caches[board];
        let fill = cache.fill.filter(|fill| fill.answer.is_some())?;
        cache.fill = None;
        let (page, size) = fill.answer?;
        if fill.incarnation != cache.incarnation && !any_incarnation {
            return Some(());
        }
        self.old_read |=
            fill.incarnation == cache.incarnation && !cache.behind && (page < fill.floor.0 || size < fill.floor.1);
        let may_come = fill.granted && !cache.orphaned;
        if may_come && (fill.generation == cache.since || any_generation || fill.incarnation != cache.incarnation) {
            if cache.pages[fill.page].is_none() || overwrites {
                cache.pages[fill.page] = Some(page);
            }
            if !cache.leased || old_size {
                cache.size = Some(size);
            }
        }
        Some(())
    }

    pub(super) fn begin_write(&mut self, from: u32, to: u32) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        let to_revoke = if to == TO_END && self.is(LeasesMutant::SizeForgotten) { PAGES as u32 } else { to };
        self.begin_change(from, to_revoke, Purpose::Content)?;
        if self.is(LeasesMutant::ChangeBeforeAnswers) {
            self.apply(from, to_revoke);
        }
        Some(())
    }

    pub(super) fn begin_change(&mut self, from: u32, to: u32, purpose: Purpose) -> Option<()> {
        if self.write_lease.is_some_and(|write_lease| write_lease.unreachable) {
            // Two versions cannot be joined.
            self.lose_lease();
        }
        if self.asking.is_some() {
            return None;
        }
        let applied = purpose != Purpose::Content;
        let next =
            if matches!(purpose, Purpose::Lease(..)) && self.is(LeasesMutant::OthersKeepPages) { BOARDS } else { 0 };
        let change = LeaseRevocation { from, to, asked: None, answer: None, next, applied, purpose };
        let free = self.write_lease.is_none() || matches!(purpose, Purpose::Lease(..));
        (free && self.taking.is_none() && self.change.replace(change).is_none()).then_some(())
    }

    fn apply(&mut self, from: u32, to: u32) {
        for page in from..to.min(PAGES as u32) {
            self.content[page as usize] += 1;
        }
        let grows = to == TO_END || self.is(LeasesMutant::SizeForgotten);
        self.size += u8::from(grows);
        (self.latest, self.latest_size) = (self.content, self.size);
        if let Some(change) = &mut self.change {
            change.applied = true;
        }
    }

    pub(super) fn go_on(&mut self) -> Option<()> {
        let mut change = self.change?;
        if let Some(board) = change.asked {
            let left = change.answer?;
            let to = if self.is(LeasesMutant::BoundTooLow) { u32::MAX - 1 } else { change.to };
            self.holders.revoked(board, change.from, to, left);
            (change.asked, change.answer, change.next) = (None, None, board + 1);
        }
        let mut others = self.holders;
        if let Purpose::Lease(lessee, _) = change.purpose {
            others.forget(lessee as u8);
        }
        match others.next(change.next, change.from, change.to) {
            Some(board) => {
                change.asked = Some(board);
                self.change = Some(change);
            }
            None => {
                if !change.applied {
                    self.apply(change.from, change.to);
                }
                self.change = None;
                match change.purpose {
                    Purpose::Content => {}
                    Purpose::Lease(lessee, page) => self.grant_lease(lessee, page),
                    Purpose::Mapping(page) => self.sole[page] = true,
                }
            }
        }
        Some(())
    }

    pub(super) fn give_up(&mut self) -> Option<()> {
        let (needs_page, mut change) = (self.is(LeasesMutant::GenerationOutlivesRevoke), self.change?);
        let cache = &mut self.caches[change.asked.filter(|_| change.answer.is_none())?];
        if cache.behind {
            // It does not answer: what it holds goes when it knows.
            change.answer = Some(0);
            self.change = Some(change);
            return Some(());
        }
        let found = cache.pages.iter().any(Option::is_some);
        for page in change.from..change.to.min(PAGES as u32) {
            (cache.pages[page as usize], cache.mapped[page as usize]) = (None, false);
        }
        if change.to == TO_END {
            cache.size = None;
        }
        if found || !needs_page {
            cache.renew();
        }
        let left = cache.pages.iter().flatten().count() as u32;
        if left == 0 {
            cache.size = None;
        }
        change.answer = Some(left);
        self.change = Some(change);
        Some(())
    }
}
