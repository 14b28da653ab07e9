//! Boards on a simulated bus: each with its protocol and a queue of frames, and nothing else.

use renga_hal::link::FrameDevice;
use renga_mac::{MacSetup, MacState, TokenTiming};
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::loopback::{BusTiming, Faults, Loopback, LoopbackBus};
use renga_router::TokenLink;
use renga_wire::{FrameKind, Header, LinkFrame};

pub const TIMING: TokenTiming = TokenTiming::PI3;
/// A frame of the protocol with all that belongs to it, and then the processors, ns.
pub const CONTROL_NS: u64 = 25_000;
/// As long a frame as there is, ns.
pub const FRAME_NS: u64 = 480_000;
/// Bytes of data in the frames of these tests.
const PAYLOAD_BYTES: usize = 16;

pub struct Site {
    pub link: TokenLink<Loopback>,
    pub on: bool,
    /// The senders and their data, in the order of arrival.
    pub received: Vec<(u8, u64)>,
    sequence: u64,
}

pub struct Ring {
    pub bus: LoopbackBus,
    pub sites: Vec<Site>,
    pub now_ns: u64,
    /// Since when two boards use the token at once, and how long they did at most, ns.
    doubled_since_ns: Option<u64>,
    parted: bool,
    pub doubled_ns: u64,
    /// Events that a board has had.
    pub events: u64,
}

fn link(bus: &LoopbackBus, number: u8, board: u8) -> TokenLink<Loopback> {
    let setup = MacSetup { board, serial: 0x1234_5678 + u64::from(number) * 77, timing: TIMING };
    TokenLink::new(setup, bus.end(number))
}

impl Ring {
    pub fn new(boards: u8, faults: Faults, seed: u64) -> Ring {
        Ring::with_numbers(&(0..boards).collect::<Vec<_>>(), faults, seed)
    }

    /// By place on the harness, the boards' numbers.
    pub fn with_numbers(numbers: &[u8], faults: Faults, seed: u64) -> Ring {
        let bus = LoopbackBus::new(numbers.len() as u8, BusTiming::PI3, faults, seed);
        let site = |(place, board): (usize, &u8)| Site {
            link: link(&bus, place as u8, *board),
            on: true,
            received: Vec::new(),
            sequence: 0,
        };
        let sites = numbers.iter().enumerate().map(site).collect();
        Ring { bus, sites, now_ns: 0, doubled_since_ns: None, parted: false, doubled_ns: 0, events: 0 }
    }

    /// All boards are members.
    pub fn up(boards: u8) -> Ring {
        let mut ring = Ring::new(boards, Faults::NONE, 1);
        ring.run_for(10_000_000);
        assert!(ring.all_members());
        ring
    }

    pub fn all_members(&self) -> bool {
        let all = self.sites.iter().fold(0, |all, site| all | u8::from(site.on) << site.link.board());
        self.sites.iter().filter(|site| site.on).all(|site| {
            let mac = site.link.mac();
            mac.is_member() && mac.members() == all
        })
    }

    pub fn board(&self, place: u8) -> &Site {
        &self.sites[usize::from(place)]
    }

    /// The board whose token it is, if it is one's.
    pub fn holder(&self) -> Option<u8> {
        let mut holders = (0..self.sites.len()).filter(|place| self.sites[*place].link.mac().has_token());
        holders.next().filter(|_| holders.next().is_none()).map(|place| place as u8)
    }

    /// Parts the bus, or makes it whole again.
    pub fn part(&mut self, groups: &[u8]) {
        self.bus.part(groups);
        self.parted = groups.iter().any(|group| *group != groups[0]);
    }

    /// Switches a board off, in the middle of whatever it does.
    pub fn kill(&mut self, place: u8) {
        self.sites[usize::from(place)].on = false;
        self.bus.reset(place);
    }

    /// Switches a board on again.
    pub fn restart(&mut self, place: u8) {
        self.bus.reset(place);
        let site = &mut self.sites[usize::from(place)];
        let board = site.link.board();
        (site.link, site.on) = (TokenLink::new(*site.link.setup(), self.bus.end(place)), true);
        assert_eq!(site.link.board(), board);
        self.attend(place);
    }

    /// One more frame from a board to another.
    pub fn send(&mut self, from: u8, to: u8) {
        let site = &mut self.sites[usize::from(from)];
        site.sequence += 1;
        let mut frame = [0; 64];
        let mut payload = [0; PAYLOAD_BYTES];
        payload[..8].copy_from_slice(&site.sequence.to_le_bytes());
        let header =
            Header { kind: FrameKind::Data, destination: to, source: site.link.board(), epoch: 0, sequence: 0 };
        let Ok(bytes) = header.emit(&payload, &mut frame) else { unreachable!() };
        if site.link.send(to, &frame[..bytes]).is_ok() {
            self.attend(from);
        }
    }

    pub fn attend(&mut self, place: u8) {
        let site = &mut self.sites[usize::from(place)];
        if !site.on || self.bus.hangs(place) {
            return;
        }
        self.events += 1;
        site.link.attend(self.now_ns);
        let mut room = [0; FRAME_BYTES_MAX];
        while let Some(bytes) = site.link.receive(&mut room) {
            let Ok(LinkFrame { header, payload }) = LinkFrame::parse(&room[..bytes]) else { continue };
            if header.destination == site.link.board() && header.source != site.link.board() {
                let mut number = [0; 8];
                number.copy_from_slice(&payload[..8]);
                site.received.push((header.source, u64::from_le_bytes(number)));
            }
        }
        site.link.attend(self.now_ns);
    }

    /// When anything happens next.
    pub fn next_ns(&self) -> Option<u64> {
        let runs = |(place, site): &(usize, &Site)| site.on && !self.bus.hangs(*place as u8);
        let deadlines = self.sites.iter().enumerate().filter(runs).filter_map(|(_, site)| site.link.deadline_ns());
        deadlines.chain(self.bus.next_event_ns()).min()
    }

    /// Lets the next thing happen, if it does by `until_ns`.
    pub fn step(&mut self, until_ns: u64) -> bool {
        for place in 0..self.sites.len() as u8 {
            for step in 0.. {
                assert!(step < 100, "board {place} never comes to rest");
                let site = self.board(place);
                let due = site.link.deadline_ns().is_some_and(|at_ns| at_ns <= self.now_ns);
                if !self.bus.interrupts(place) && !due && (site.link.is_started() || !site.on) {
                    break;
                }
                if !site.on || self.bus.hangs(place) {
                    break;
                }
                self.attend(place);
            }
        }
        self.watch();
        let Some(next_ns) = self.next_ns().filter(|next_ns| *next_ns <= until_ns) else { return false };
        self.now_ns = next_ns.max(self.now_ns);
        self.bus.advance(self.now_ns);
        true
    }

    /// Notes for how long two boards use the token at once.
    fn watch(&mut self) {
        let uses = |(place, site): &(usize, &Site)| {
            let holds = matches!(site.link.mac().state(), MacState::Hold { .. });
            site.on && holds && !self.bus.hangs(*place as u8)
        };
        if self.parted || self.sites.iter().enumerate().filter(uses).count() < 2 {
            self.doubled_since_ns = None;
            return;
        }
        let since_ns = *self.doubled_since_ns.get_or_insert(self.now_ns);
        self.doubled_ns = self.doubled_ns.max(self.now_ns - since_ns);
    }

    pub fn run_until(&mut self, until_ns: u64) {
        while self.step(until_ns) {}
        self.now_ns = until_ns.max(self.now_ns);
        self.bus.advance(self.now_ns);
    }

    pub fn run_for(&mut self, time_ns: u64) {
        self.run_until(self.now_ns + time_ns);
    }

    /// Runs until `done`: how long that took, ns. `None`: longer than `limit_ns`.
    pub fn run_while(&mut self, limit_ns: u64, pending: impl Fn(&Ring) -> bool) -> Option<u64> {
        let began_ns = self.now_ns;
        while pending(self) {
            if !self.step(began_ns + limit_ns) {
                return (!pending(self)).then_some(self.now_ns - began_ns);
            }
        }
        Some(self.now_ns - began_ns)
    }

    /// One frame from `from` to `to`: how long it takes to arrive, ns.
    pub fn deliver(&mut self, from: u8, to: u8, limit_ns: u64) -> Option<u64> {
        let before = self.board(to).received.len();
        self.send(from, to);
        self.run_while(limit_ns, |ring| ring.board(to).received.len() == before)
    }
}
