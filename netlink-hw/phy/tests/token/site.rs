//! What a board does in these tests: it takes part, sends numbered frames, and keeps what arrives; and what it suffers.

use renga_hal::gpio::PinBank;
use renga_mac::{MacSetup, MacState};
use renga_phy::bus_phy::{BusPhy, PhyCounters, TokenBus};
use renga_phy::pins::{BusError, HarnessLine, Reception};
use renga_phy::token::Arming;
use renga_phy::{FRAME_BYTES_MAX, Phy};
use renga_random::Random;
use renga_router::{TokenCount, TokenLink};
use renga_wire::bus::{Answers, Poll};
use renga_wire::{FrameKind, Header, LinkFrame};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Between two samples of an idle bus, ns.
const IDLE_NS: u64 = 500;
/// A board hears so late at most that something has changed, ns; no two go in step.
const LATE_NS: u64 = 8_000;
/// Bytes of a frame's number.
pub const NUMBER_BYTES: usize = 8;

/// What goes wrong at a board that the model of pins knows nothing of.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ills {
    /// Lines that it does not see low, and lines that it sees low though they are not.
    pub hides: Option<HarnessLine>,
    pub sees: Option<HarnessLine>,
    /// Of a thousand frames that it sends, so many are damaged on their way, and so many answers are not seen.
    pub damaged_per_mille: u16,
    pub unanswered_per_mille: u16,
    /// It hears so much later than others, at most, ns.
    pub late_ns: u64,
}

/// A board, as the test sees it.
#[derive(Default, Debug)]
pub struct Site {
    /// Frames to send: receiver, number, payload bytes.
    pub queue: VecDeque<(u8, u64, usize)>,
    /// It leaves what arrives in the driver.
    pub is_full: bool,
    pub ills: Ills,
    /// Times that it came back from its driver.
    pub steps: u64,
    /// The senders and their data, in the order of arrival.
    pub received: Vec<(u8, u64)>,
    pub state: Option<MacState>,
    pub member: bool,
    /// The members that it knows of.
    pub members: u8,
    pub count: TokenCount,
    pub bus: PhyCounters,
    /// Why a frame failed last.
    pub last_error: Option<BusError>,
}

/// Takes part, for ever.
pub fn attend<B: TokenBus>(bus: B, setup: MacSetup, site: &Rc<RefCell<Site>>) {
    let random = Random::new(setup.serial);
    let mut link = TokenLink::new(setup, BusPhy::new(Ill { bus, site: site.clone(), random }, IDLE_NS));
    let mut random = Random::new(setup.serial + 1);
    loop {
        let now_ns = link.phy().bus().gpio().now_ns();
        link.attend(now_ns);
        take(&mut link, &mut site.borrow_mut());
        let late_ns = LATE_NS + site.borrow().ills.late_ns;
        link.phy().bus().gpio().wait_until(now_ns + random.below(late_ns));
    }
}

/// Takes arrivals, queues the frames to send, and records the state.
fn take<B: TokenBus>(link: &mut TokenLink<BusPhy<Ill<B>>>, site: &mut Site) {
    let mut room = [0; FRAME_BYTES_MAX];
    while !site.is_full
        && let Some(bytes) = link.receive(&mut room)
    {
        let frame = LinkFrame::parse(&room[..bytes]).expect("what arrives is whole");
        if frame.header.destination == link.board() {
            site.received.push((frame.header.source, number_of(&frame)));
        }
    }
    while let Some((to, number, bytes)) = site.queue.front().copied()
        && link.send(to, &frame(to, link.board(), number, bytes)).is_ok()
    {
        site.queue.pop_front();
    }
    site.steps += 1;
    let mac = link.mac();
    (site.state, site.member, site.members) = (Some(mac.state()), mac.is_member(), mac.members());
    site.count = link.count();
    (site.bus, site.last_error) = (link.phy().count(), link.phy().last_error());
}

/// Byte `at` of frame `number` from `source`.
fn filler(source: u8, number: u64, at: usize) -> u8 {
    (at * at * 31 + at * 7 + number as usize * 13 + usize::from(source) * 101) as u8
}

fn frame(destination: u8, source: u8, number: u64, bytes: usize) -> Vec<u8> {
    let mut payload = number.to_le_bytes().to_vec();
    payload.extend((NUMBER_BYTES..bytes).map(|at| filler(source, number, at)));
    let header = Header { kind: FrameKind::Data, destination, source, epoch: 0, sequence: 0 };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(&payload, &mut bytes).expect("it fits");
    bytes[..length].to_vec()
}

/// The number of a frame that arrived; all of it has to be as it was sent.
fn number_of(frame: &LinkFrame<'_>) -> u64 {
    let (number, rest) = frame.payload.split_first_chunk::<NUMBER_BYTES>().expect("there is a number");
    let number = u64::from_le_bytes(*number);
    let as_sent = |(at, byte): (usize, &u8)| *byte == filler(frame.header.source, number, NUMBER_BYTES + at);
    assert!(rest.iter().enumerate().all(as_sent), "another payload arrives than was sent: {frame:?}");
    number
}

/// A bus at which something goes wrong.
struct Ill<B> {
    bus: B,
    site: Rc<RefCell<Site>>,
    random: Random,
}

impl<B: TokenBus> TokenBus for Ill<B> {
    type Pins = B::Pins;

    fn mask(line: HarnessLine) -> u32 {
        B::mask(line)
    }
    fn board(&self) -> u8 {
        self.bus.board()
    }
    fn gpio(&mut self) -> &mut B::Pins {
        self.bus.gpio()
    }
    fn levels(&mut self) -> u32 {
        let mask = |line: Option<HarnessLine>| line.map_or(0, B::mask);
        let levels = self.bus.levels();
        let Ills { hides, sees, .. } = self.site.borrow().ills;
        (levels | mask(hides)) & !mask(sees)
    }
    fn frame_begins(levels: u32) -> bool {
        B::frame_begins(levels)
    }
    fn change(&mut self, pull: u32, release: u32) {
        self.bus.change(pull, release);
    }
    fn pulls(&self, mask: u32) -> bool {
        self.bus.pulls(mask)
    }
    fn pulls_all(&self, mask: u32) -> bool {
        self.bus.pulls_all(mask)
    }
    fn talk(&mut self, frame: &[u8], arming: Arming) -> Result<Poll, BusError> {
        let Ills { damaged_per_mille, unanswered_per_mille, .. } = self.site.borrow().ills;
        let mut sent = frame.to_vec();
        if self.random.per_mille(damaged_per_mille) {
            let at = self.random.below(sent.len() as u64) as usize;
            sent[at] ^= 1 << self.random.below(8);
        }
        let poll = self.bus.talk(&sent, arming)?;
        Ok(if self.random.per_mille(unanswered_per_mille) { Poll(0) } else { poll })
    }
    fn listen(
        &mut self,
        into: &mut [u8; FRAME_BYTES_MAX],
        room: bool,
        answers: &Answers,
    ) -> Result<Reception, BusError> {
        self.bus.listen(into, room, answers)
    }
    fn bid(&mut self) -> u16 {
        self.bus.bid()
    }
}
