//! Sharing of one core among home cores: the core's own programs, and one remote task of each other home.
//!
//! The home that has used least of the core goes first; a home without tasks here for a while starts at most the
//! sleeper credit behind the others. The order within a home is the home's own
//! ([`RunQueue`](crate::run_queue::RunQueue)), so weights and classes hold within each home, and homes share a core
//! equally.
//!
//! Invariant: at most one remote task of each home, and none of the core's own. Not here: how a remote task arrives and
//! leaves (`kernel/core`).

use crate::run_queue::SLEEPER_CREDIT_NS_MAX;
use core::cell::Cell;
use renga_abi::OsTimes;

/// Cores that a board may have: a bit each.
const CORES_MAX: usize = 8;

/// The remote tasks of one core.
pub struct RemoteTasks<G: 'static> {
    /// The homes that have a task here, a bit each.
    here: Cell<u8>,
    tasks: [Cell<Option<&'static G>>; CORES_MAX],
    /// Time of each home's programs while others were here, ns.
    used_ns: [Cell<u64>; CORES_MAX],
    /// Time of the home that went first last, ns.
    min_vruntime_ns: Cell<u64>,
    /// How long a home goes first while others wait, ns.
    slice_ns: Cell<u64>,
}

impl<G> Default for RemoteTasks<G> {
    fn default() -> Self {
        RemoteTasks::new()
    }
}

impl<G> RemoteTasks<G> {
    /// No remote task.
    pub const fn new() -> Self {
        RemoteTasks {
            here: Cell::new(0),
            tasks: [const { Cell::new(None) }; CORES_MAX],
            used_ns: [const { Cell::new(0) }; CORES_MAX],
            min_vruntime_ns: Cell::new(0),
            slice_ns: Cell::new(OsTimes::DEFAULT.slice_ns),
        }
    }

    /// The slice of a fair program on this core, ns.
    pub fn slice_ns(&self) -> u64 {
        self.slice_ns.get()
    }

    /// Changes that.
    pub fn set_slice_ns(&self, slice_ns: u64) {
        self.slice_ns.set(slice_ns);
    }

    /// The task of `home` arrives.
    ///
    /// # Panics
    /// If `home` has one here.
    pub fn come(&self, home: u8, task: &'static G) {
        assert!(self.tasks[usize::from(home)].replace(Some(task)).is_none(), "a home has one task on a core");
        self.here.set(self.here.get() | 1 << home);
    }

    /// The task of `home` leaves.
    pub fn go(&self, home: u8) {
        self.tasks[usize::from(home)].set(None);
        self.here.set(self.here.get() & !(1 << home));
    }

    /// Whether there is any.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.here.get() != 0
    }

    /// Whether `home` has one.
    pub fn has(&self, home: u8) -> bool {
        self.here.get() >> home & 1 != 0
    }

    /// The task that goes first; none if programs of `own` go first: the core's own number, if a program of its own is
    /// runnable.
    #[inline]
    pub fn first(&self, own: Option<u8>) -> Option<&'static G> {
        let wanting = self.wanting(own);
        let first = if wanting.is_power_of_two() { wanting.trailing_zeros() as usize } else { self.least_of(wanting)? };
        let used_ns = self.seen_ns(first);
        self.used_ns[first].set(used_ns);
        self.min_vruntime_ns.set(self.min_vruntime_ns.get().max(used_ns));
        self.tasks[first].get()
    }

    /// How much of `left_ns` the first may run before the core decides again, ns.
    pub fn share_ns(&self, own: Option<u8>, left_ns: u64) -> u64 {
        if self.wanting(own).count_ones() > 1 { left_ns.min(self.slice_ns.get()) } else { left_ns }
    }

    /// Programs of `home` have run here for `ns`; without remote tasks that counts for nothing.
    #[inline(always)]
    pub fn charge(&self, home: u8, ns: u64) {
        if self.any() {
            let used_ns = &self.used_ns[usize::from(home)];
            used_ns.set(used_ns.get() + ns);
        }
    }

    /// All of them.
    pub fn each(&self) -> impl Iterator<Item = &'static G> + '_ {
        self.tasks.iter().filter_map(Cell::get)
    }

    /// The home that has used least, of these, a bit each.
    fn least_of(&self, homes: u8) -> Option<usize> {
        (0..CORES_MAX).filter(|home| homes >> home & 1 != 0).min_by_key(|home| self.seen_ns(*home))
    }

    #[inline]
    fn wanting(&self, own: Option<u8>) -> u8 {
        self.here.get() | own.map_or(0, |own| 1 << own)
    }

    /// The time of `home`, at most the sleeper credit behind.
    #[inline]
    fn seen_ns(&self, home: usize) -> u64 {
        self.used_ns[home].get().max(self.min_vruntime_ns.get().saturating_sub(SLEEPER_CREDIT_NS_MAX))
    }
}
