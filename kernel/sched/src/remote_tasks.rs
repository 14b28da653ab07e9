//! Who has a core next whose user programs are of several homes: its own programs, or the guest that another home has sent.
//!
//! Among homes goes first who has used least of the core; one that had nothing here for a while counts as not far behind the
//! others. Whose turn it is within a home that home decides ([`RunQueue`](crate::run_queue::RunQueue)), so weights and classes hold within each,
//! and homes share a core equally.
//!
//! Invariant: there is one guest of a home at most, and none of the core's own. Not here: how a guest comes and goes (`kernel/core`).

use crate::run_queue::SLEEPER_CREDIT_NS_MAX;
use core::cell::Cell;
use renga_abi::policy::SLICE_NS;

/// Homes that a board may have: a bit each.
const CORES_MAX: usize = 8;

/// The guests of one core.
pub struct RemoteTasks<G: 'static> {
    /// The homes that have one here, a bit each.
    here: Cell<u8>,
    guests: [Cell<Option<&'static G>>; CORES_MAX],
    /// What programs of each home have used while others were here, ns.
    used_ns: [Cell<u64>; CORES_MAX],
    /// What the one that went first last had used, ns.
    min_vruntime_ns: Cell<u64>,
}

impl<G> Default for RemoteTasks<G> {
    fn default() -> Self {
        RemoteTasks::new()
    }
}

impl<G> RemoteTasks<G> {
    /// Nobody is here.
    pub const fn new() -> Self {
        RemoteTasks {
            here: Cell::new(0),
            guests: [const { Cell::new(None) }; CORES_MAX],
            used_ns: [const { Cell::new(0) }; CORES_MAX],
            min_vruntime_ns: Cell::new(0),
        }
    }

    /// The guest of `home` has come.
    ///
    /// # Panics
    /// If it has one here.
    pub fn come(&self, home: u8, guest: &'static G) {
        assert!(self.guests[usize::from(home)].replace(Some(guest)).is_none(), "a home has one guest on a core");
        self.here.set(self.here.get() | 1 << home);
    }

    /// The guest of `home` goes.
    pub fn go(&self, home: u8) {
        self.guests[usize::from(home)].set(None);
        self.here.set(self.here.get() & !(1 << home));
    }

    /// Whether anybody is here.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.here.get() != 0
    }

    /// Whether the guest of `home` is.
    pub fn has(&self, home: u8) -> bool {
        self.here.get() >> home & 1 != 0
    }

    /// The guest that goes first; none if programs of `own` do, the home that the core itself is, if any of those wants a turn.
    #[inline]
    pub fn first(&self, own: Option<u8>) -> Option<&'static G> {
        let wanting = self.wanting(own);
        let first = if wanting.is_power_of_two() { wanting.trailing_zeros() as usize } else { self.least_of(wanting)? };
        let used_ns = self.seen_ns(first);
        self.used_ns[first].set(used_ns);
        self.min_vruntime_ns.set(self.min_vruntime_ns.get().max(used_ns));
        self.guests[first].get()
    }

    /// How much of `left_ns` whoever goes first may run before there is another look, ns.
    pub fn share_ns(&self, own: Option<u8>, left_ns: u64) -> u64 {
        if self.wanting(own).count_ones() > 1 { left_ns.min(SLICE_NS) } else { left_ns }
    }

    /// Programs of `home` have run here for `ns`; while nobody is here, that counts for nothing.
    #[inline(always)]
    pub fn charge(&self, home: u8, ns: u64) {
        if self.any() {
            let used_ns = &self.used_ns[usize::from(home)];
            used_ns.set(used_ns.get() + ns);
        }
    }

    /// All that are here.
    pub fn each(&self) -> impl Iterator<Item = &'static G> + '_ {
        self.guests.iter().filter_map(Cell::get)
    }

    /// Of these homes, a bit each, the one that has used least.
    fn least_of(&self, homes: u8) -> Option<usize> {
        (0..CORES_MAX).filter(|home| homes >> home & 1 != 0).min_by_key(|home| self.seen_ns(*home))
    }

    #[inline]
    fn wanting(&self, own: Option<u8>) -> u8 {
        self.here.get() | own.map_or(0, |own| 1 << own)
    }

    /// What `home` has used, so seen: it is not far behind.
    #[inline]
    fn seen_ns(&self, home: usize) -> u64 {
        self.used_ns[home].get().max(self.min_vruntime_ns.get().saturating_sub(SLEEPER_CREDIT_NS_MAX))
    }
}
