//! A token bus in simulated time that joins the boards of one host program.
//!
//! Invariant: the same calls at the same times give the same frames at the same times; faults come
//! from a seed. One board at a time holds the token and sends one frame. Not here: electrical rules,
//! tokens as frames (`mac`); the token's cost is a parameter.

use crate::{FRAME_BYTES_MAX, Phy, TransmitFull};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::vec::Vec;

/// Frames that wait at a receiver before further ones are lost.
const RECEIVE_FRAMES_MAX: usize = 64;
/// The destination that means every board.
const ALL: u8 = 0xff;

/// How the bus behaves.
#[derive(Clone, Copy, Debug)]
pub struct BusTiming {
    /// Bits that cross in a second.
    pub bits_per_s: u64,
    /// What a frame costs beside its bytes (arming, acknowledgement word), ns.
    pub frame_overhead_ns: u64,
    /// What handing the token to the next board costs, ns.
    pub token_pass_ns: u64,
    /// From the end of a frame on the wire to the receiver's interrupt, ns.
    pub latency_ns: u64,
    /// Frames that a board's transmitter holds.
    pub transmit_frames: usize,
}

impl BusTiming {
    /// The 16-bit bus on the pins of a Pi 3.
    pub const PI3: BusTiming = BusTiming {
        bits_per_s: 18_000_000,
        frame_overhead_ns: 10_000,
        token_pass_ns: 1_000,
        latency_ns: 1_000,
        transmit_frames: 4,
    };
}

/// What goes wrong, in frames of a thousand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Frames that never arrive.
    pub lost_per_mille: u16,
    /// Frames that arrive twice.
    pub doubled_per_mille: u16,
    /// Frames that arrive with one bit changed.
    pub changed_per_mille: u16,
}

/// What the bus has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusCount {
    /// Frames sent.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time that the wire carried bytes of frames, without overheads, ns.
    pub wire_ns: u64,
    /// Time that the bus was not idle, ns.
    pub busy_ns: u64,
}

#[derive(Default)]
struct Station {
    transmit: VecDeque<(u8, Vec<u8>)>,
    receive: VecDeque<Vec<u8>>,
    receive_interrupt: bool,
    transmit_interrupt: bool,
    overrun: bool,
    cut_off: bool,
}

struct Arrival {
    at_ns: u64,
    from: usize,
    to: u8,
    frame: Vec<u8>,
}

struct Bus {
    timing: BusTiming,
    faults: Faults,
    random: u64,
    now_ns: u64,
    /// When the frame on the wire ends; its sender is `holder`.
    ends_ns: Option<u64>,
    holder: usize,
    stations: Vec<Station>,
    arrivals: VecDeque<Arrival>,
    count: BusCount,
}

/// The bus as its owner, the simulator, sees it.
#[derive(Clone)]
pub struct LoopbackBus(Rc<RefCell<Bus>>);

/// The bus as one board sees it.
pub struct Loopback {
    bus: LoopbackBus,
    board: u8,
}

impl LoopbackBus {
    /// An idle bus that joins `boards` boards.
    pub fn new(boards: u8, timing: BusTiming, faults: Faults, seed: u64) -> LoopbackBus {
        LoopbackBus(Rc::new(RefCell::new(Bus {
            timing,
            faults,
            random: seed,
            now_ns: 0,
            ends_ns: None,
            holder: 0,
            stations: (0..boards).map(|_| Station::default()).collect(),
            arrivals: VecDeque::new(),
            count: BusCount::default(),
        })))
    }

    /// The end of `board`.
    pub fn end(&self, board: u8) -> Loopback {
        Loopback { bus: self.clone(), board }
    }

    /// When the bus next does something by itself.
    pub fn next_event_ns(&self) -> Option<u64> {
        self.0.borrow().next_event_ns()
    }

    /// Lets time pass until `now_ns`.
    pub fn advance(&self, now_ns: u64) {
        self.0.borrow_mut().advance(now_ns);
    }

    /// Whether the device of `board` asks for attention.
    pub fn interrupts(&self, board: u8) -> bool {
        let bus = self.0.borrow();
        let station = &bus.stations[usize::from(board)];
        station.receive_interrupt && !station.receive.is_empty()
            || station.transmit_interrupt && station.transmit.len() < bus.timing.transmit_frames
    }

    /// Cuts `board` off, or joins it again: what it sends and what it is sent gets lost.
    pub fn cut_off(&self, board: u8, cut_off: bool) {
        self.0.borrow_mut().stations[usize::from(board)].cut_off = cut_off;
    }

    /// Forgets what the device of `board` held: it was reset. A frame of its on the wire is cut short.
    pub fn reset(&self, board: u8) {
        let mut bus = self.0.borrow_mut();
        let sending = bus.ends_ns.is_some() && bus.holder == usize::from(board);
        bus.stations[usize::from(board)] = Station::default();
        if sending {
            bus.ends_ns = None;
            bus.begin_frame();
        }
    }

    /// Changes what goes wrong from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.0.borrow_mut().faults = faults;
    }

    /// What the bus has done so far.
    pub fn count(&self) -> BusCount {
        self.0.borrow().count
    }
}

impl Bus {
    fn next_event_ns(&self) -> Option<u64> {
        let arrival = self.arrivals.front().map(|arrival| arrival.at_ns);
        [self.ends_ns, arrival].into_iter().flatten().min()
    }

    fn advance(&mut self, now_ns: u64) {
        // Bounded by the frames that are on their way and those queued.
        while let Some(at_ns) = self.next_event_ns().filter(|at_ns| *at_ns <= now_ns) {
            self.now_ns = at_ns;
            if self.ends_ns == Some(at_ns) {
                self.end_frame();
            } else if let Some(arrival) = self.arrivals.pop_front() {
                self.arrive(&arrival);
            }
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// Gives the token to the next board that has a frame, and puts it on the wire.
    fn begin_frame(&mut self) {
        let boards = self.stations.len();
        for hop in 1..=boards {
            let board = (self.holder + hop) % boards;
            if let Some((_, frame)) = self.stations[board].transmit.front() {
                let wire_ns = frame.len() as u64 * 8 * 1_000_000_000 / self.timing.bits_per_s;
                let token_ns = hop as u64 * self.timing.token_pass_ns;
                let taken_ns = token_ns + self.timing.frame_overhead_ns + wire_ns;
                self.count.frames += 1;
                self.count.bytes += frame.len() as u64;
                self.count.wire_ns += wire_ns;
                self.count.busy_ns += taken_ns;
                self.holder = board;
                self.ends_ns = Some(self.now_ns + taken_ns);
                return;
            }
        }
    }

    fn end_frame(&mut self) {
        self.ends_ns = None;
        let from = self.holder;
        if let Some((to, mut frame)) = self.stations[from].transmit.pop_front() {
            if self.chance(self.faults.changed_per_mille) {
                let bit = self.draw() as usize % (frame.len() * 8);
                frame[bit / 8] ^= 1 << (bit % 8);
            }
            let copies = if self.chance(self.faults.lost_per_mille) {
                0
            } else if self.chance(self.faults.doubled_per_mille) {
                2
            } else {
                1
            };
            let at_ns = self.now_ns + self.timing.latency_ns;
            for _ in 0..copies {
                self.arrivals.push_back(Arrival { at_ns, from, to, frame: frame.clone() });
            }
        }
        self.begin_frame();
    }

    fn arrive(&mut self, arrival: &Arrival) {
        if self.stations[arrival.from].cut_off {
            return;
        }
        for (board, station) in self.stations.iter_mut().enumerate() {
            let meant = if arrival.to == ALL { board != arrival.from } else { board == usize::from(arrival.to) };
            if meant && !station.cut_off {
                if station.receive.len() < RECEIVE_FRAMES_MAX {
                    station.receive.push_back(arrival.frame.clone());
                } else {
                    station.overrun = true;
                }
            }
        }
    }

    /// Splitmix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn chance(&mut self, per_mille: u16) -> bool {
        per_mille > 0 && self.draw() % 1000 < u64::from(per_mille)
    }
}

impl Phy for Loopback {
    fn board(&self) -> u8 {
        self.board
    }

    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        let frame = self.bus.0.borrow_mut().stations[usize::from(self.board)].receive.pop_front()?;
        out[..frame.len()].copy_from_slice(&frame);
        Some(frame.len())
    }

    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        let mut bus = self.bus.0.borrow_mut();
        let room = bus.timing.transmit_frames;
        let transmit = &mut bus.stations[usize::from(self.board)].transmit;
        if transmit.len() >= room {
            return Err(TransmitFull);
        }
        transmit.push_back((destination, frame.to_vec()));
        if bus.ends_ns.is_none() {
            bus.begin_frame();
        }
        Ok(())
    }

    fn enable_receive_interrupt(&mut self, on: bool) {
        self.bus.0.borrow_mut().stations[usize::from(self.board)].receive_interrupt = on;
    }

    fn enable_transmit_interrupt(&mut self, on: bool) {
        self.bus.0.borrow_mut().stations[usize::from(self.board)].transmit_interrupt = on;
    }

    fn take_overrun(&mut self) -> bool {
        core::mem::take(&mut self.bus.0.borrow_mut().stations[usize::from(self.board)].overrun)
    }
}
