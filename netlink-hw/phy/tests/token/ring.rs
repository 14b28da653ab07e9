//! Boards on one bus, and what is done to them.

use crate::bus::Bus;
use crate::lacking::Fault;
use crate::site::{NUMBER_BYTES, Site};
use renga_mac::{MacSetup, MacState, TokenTiming};
use renga_phy::pins::model::{HarnessModel, ModelSetup as Cluster, Speed, Tasks, Violation};
use std::cell::{Ref, RefCell};
use std::rc::Rc;

/// The image's token timing: for boards that sample at interrupts.
pub const TIMING: TokenTiming = TokenTiming::PI3.slowed(4);
/// Between two checks of the boards, ns.
const STEP_NS: u64 = 5_000;

pub struct Ring {
    bus: Bus,
    model: HarnessModel,
    tasks: Tasks,
    /// By place on the harness.
    numbers: Vec<u8>,
    /// Which boards lack a remedy, a bit each by place, and which.
    lacks: Option<(u8, Fault)>,
    sites: Vec<Rc<RefCell<Site>>>,
    on: Vec<bool>,
    pub now_ns: u64,
    next_number: u64,
    /// Payload bytes of the frames that are sent.
    pub bytes: usize,
}

impl Ring {
    /// Boards that have just been switched on.
    pub fn new(bus: Bus, cluster: &Cluster) -> Ring {
        Ring::with(bus, cluster, &(0..cluster.boards.len() as u8).collect::<Vec<_>>(), None)
    }

    /// The same with these numbers, and boards (a bit each, by place) that lack a remedy.
    pub fn with(bus: Bus, cluster: &Cluster, numbers: &[u8], lacks: Option<(u8, Fault)>) -> Ring {
        let model = HarnessModel::new(cluster);
        let tasks = Tasks::new(&model);
        let sites: Vec<_> = numbers.iter().map(|_| Rc::default()).collect();
        let on = vec![true; numbers.len()];
        let numbers = numbers.to_vec();
        let mut ring =
            Ring { bus, model, tasks, numbers, lacks, sites, on, now_ns: 0, next_number: 0, bytes: NUMBER_BYTES };
        (0..ring.boards()).for_each(|place| ring.begin(place));
        ring
    }

    /// Equal boards, all of them members.
    pub fn up(bus: Bus, boards: u8) -> Ring {
        let mut ring = Ring::new(bus, &bus.cluster(boards, Speed::PI3_1200));
        ring.run_for(ring.start_bound_ns());
        assert!(ring.all_members(), "{bus:?}, {boards} boards: {ring:?}");
        ring
    }

    pub fn boards(&self) -> u8 {
        self.sites.len() as u8
    }

    /// All boards are members so long after they were switched on.
    pub fn start_bound_ns(&self) -> u64 {
        let control_ns = self.bus.control_ns();
        TIMING.listen_ns + TIMING.lost_token_ns(0, control_ns) + u64::from(self.boards()) * 5 * control_ns
    }

    fn begin(&mut self, place: u8) {
        let board = self.numbers[usize::from(place)];
        let setup = MacSetup { board, serial: 1000 + u64::from(place) * 77, timing: TIMING };
        let lacks = self.lacks.filter(|(by, _)| by >> place & 1 != 0).map(|(_, fault)| fault);
        let chip = self.model.speed(place).chip;
        let site = self.sites[usize::from(place)].clone();
        self.tasks.begin(place, self.bus.begin(setup, chip, lacks, site));
    }

    pub fn site(&self, place: u8) -> Ref<'_, Site> {
        self.sites[usize::from(place)].borrow()
    }

    /// Changes something at a board.
    pub fn at<T>(&self, place: u8, change: impl FnOnce(&mut Site) -> T) -> T {
        change(&mut self.sites[usize::from(place)].borrow_mut())
    }

    pub fn is_on(&self, place: u8) -> bool {
        self.on[usize::from(place)]
    }

    pub fn violations(&self) -> Vec<Violation> {
        self.model.violations()
    }

    /// Exactly the boards that are on are members, and know it.
    pub fn all_members(&self) -> bool {
        let on = || (0..self.boards()).filter(|place| self.is_on(*place));
        let all = on().fold(0, |all, place| all | 1 << self.numbers[usize::from(place)]);
        on().all(|place| self.site(place).member && self.site(place).members == all)
    }

    /// The board whose token it is, if it is one's.
    pub fn holder(&self) -> Option<u8> {
        let has = |place: &u8| {
            self.is_on(*place) && matches!(self.site(*place).state, Some(MacState::Hold { .. } | MacState::Park { .. }))
        };
        let mut holders = (0..self.boards()).filter(has);
        holders.next().filter(|_| holders.next().is_none())
    }

    /// Tokens created.
    pub fn made(&self) -> u64 {
        (0..self.boards()).map(|place| self.site(place).count.regenerated).sum()
    }

    /// Disconnects a board's pins, in any state.
    pub fn kill(&mut self, place: u8) {
        self.tasks.reset(place, self.now_ns);
        self.on[usize::from(place)] = false;
    }

    /// Cuts a board's power.
    pub fn unpower(&mut self, place: u8) {
        self.tasks.unpower(place, self.now_ns);
        self.on[usize::from(place)] = false;
    }

    /// A board does nothing any more, and its pins stay as they are.
    pub fn hang(&mut self, place: u8) {
        self.tasks.hang(place);
        self.on[usize::from(place)] = false;
    }

    /// Resets a board, which restarts.
    pub fn restart(&mut self, place: u8) {
        self.tasks.reset(place, self.now_ns);
        self.at(place, |site| *site = Site::default());
        self.on[usize::from(place)] = true;
        self.begin(place);
    }

    /// One more frame from a board to another; its number.
    pub fn send(&mut self, from: u8, to: u8) -> u64 {
        self.next_number += 1;
        let (number, bytes, to) = (self.next_number, self.bytes, self.numbers[usize::from(to)]);
        self.at(from, |site| site.queue.push_back((to, number, bytes)));
        number
    }

    /// Each board sends one to the next.
    pub fn send_around(&mut self) {
        for from in 0..self.boards() {
            self.send(from, (from + 1) % self.boards());
        }
    }

    pub fn run_for(&mut self, time_ns: u64) {
        self.now_ns += time_ns;
        self.tasks.run_until(self.now_ns);
    }

    /// Runs while `pending`: how long that took, ns. `None`: longer than `limit_ns`.
    pub fn run_while(&mut self, limit_ns: u64, pending: impl Fn(&Ring) -> bool) -> Option<u64> {
        let began_ns = self.now_ns;
        while pending(self) {
            if self.now_ns - began_ns > limit_ns {
                return None;
            }
            self.run_for(STEP_NS);
        }
        Some(self.now_ns - began_ns)
    }

    /// One frame from `from` to `to`: how long it takes to arrive, ns.
    pub fn deliver(&mut self, from: u8, to: u8, limit_ns: u64) -> Option<u64> {
        let number = self.send(from, to);
        self.run_while(limit_ns, |ring| !ring.site(to).received.iter().any(|(_, arrived)| *arrived == number))
    }
}

impl core::fmt::Debug for Ring {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "at {} ns", self.now_ns)?;
        for place in 0..self.boards() {
            let site = self.site(place);
            let (bus, count, error) = (site.bus, site.count, site.last_error);
            let (state, members, waits) = (site.state, site.members, site.queue.len());
            writeln!(f, "{place}: {state:?}, members {members:#x}, {waits} wait, {bus:?}, {count:?}, {error:?}")?;
        }
        Ok(())
    }
}
