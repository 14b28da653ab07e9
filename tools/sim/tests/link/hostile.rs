//! A board whose frames are well formed but arbitrary: no other board may notice.

use crate::cast::{Add, Cast, Seen, body, build};
use renga_core::Notifier;
use renga_phy::{FRAME_BYTES_MAX, Phy};
use renga_random::Random;
use renga_rt::{Errno, Me, Never};
use renga_sim::{ClusterSetup, SimCluster, SimSite};
use renga_wire::frame::Hello;
use renga_wire::{Cost, FrameKind, Head, Header, LinkFrame, PAYLOAD_BYTES_MAX, Request};
use std::cell::Cell;
use std::rc::Rc;

/// Frames that the hostile board sends, unless `RENGA_STEPS` says otherwise.
const STEPS: u64 = 100_000;
const VICTIM: u8 = 0;
const HOSTILE: u8 = 1;
const GOOD: u8 = 2;

/// What it knows of its session with the victim, which makes its frames acceptable.
struct Session {
    epoch: u8,
    peer_epoch: Option<u8>,
    next: u8,
    acknowledged: u8,
    expected: u8,
    calls: [u8; 16],
}

impl Session {
    fn new(epoch: u8) -> Session {
        Session { epoch, peer_epoch: None, next: 0, acknowledged: 0, expected: 0, calls: [0; 16] }
    }

    fn take(&mut self, frame: &LinkFrame) {
        match frame.header.kind {
            FrameKind::Hello if self.peer_epoch != Some(frame.header.epoch) => {
                *self = Session { peer_epoch: Some(frame.header.epoch), ..Session::new(self.epoch) };
            }
            FrameKind::Data => {
                self.expected = frame.header.sequence.wrapping_add(1);
                self.acknowledged = frame.payload[0];
            }
            FrameKind::Ack => self.acknowledged = frame.header.sequence,
            // It is taken at its word, so that the session is never stuck for long.
            FrameKind::Nak => (self.next, self.acknowledged) = (frame.header.sequence, frame.header.sequence),
            _ => {}
        }
    }

    /// A frame that may come next, or nearly.
    fn frame(&mut self, random: &mut Random, callers: (u16, u16), out: &mut [u8]) -> usize {
        let mut payload = [0; PAYLOAD_BYTES_MAX];
        let odd = random.below(200) == 0;
        let kind = match random.below(100) {
            _ if self.peer_epoch.is_none() => FrameKind::Hello,
            0..=2 => FrameKind::Hello,
            3..=8 => FrameKind::Ack,
            9 => FrameKind::Nak,
            _ => FrameKind::Data,
        };
        let mut sequence = self.expected;
        let bytes = match kind {
            FrameKind::Hello => {
                if odd {
                    *self = Session { epoch: random.below(256) as u8, ..Session::new(0) };
                }
                let (question, answers) = (random.below(8) as u8, random.below(8) as u8);
                let asks = random.below(2) == 0;
                let hello = Hello { known: self.peer_epoch, asks, question, answers };
                payload[..Hello::BYTES].copy_from_slice(&hello.to_bytes());
                Hello::BYTES
            }
            FrameKind::Data => {
                payload[0] = if odd { random.below(256) as u8 } else { self.expected };
                sequence = if odd { random.below(256) as u8 } else { self.next };
                self.next = self.next.wrapping_add(u8::from(!odd));
                1 + self.fragment(random, callers, &mut payload[1..])
            }
            _ => 0,
        };
        if odd && kind != FrameKind::Data {
            sequence = random.below(256) as u8;
        }
        let header = Header { kind, destination: VICTIM, source: HOSTILE, epoch: self.epoch, sequence };
        header.emit(&payload[..bytes], out).unwrap()
    }

    fn fragment(&mut self, random: &mut Random, callers: (u16, u16), out: &mut [u8]) -> usize {
        let caller = callers.0 + random.below(u64::from(callers.1)) as u16;
        let number = match random.below(20) {
            0 => random.below(256) as u8,
            _ => {
                let number = &mut self.calls[usize::from(caller) % 16];
                *number = number.wrapping_add(1);
                *number
            }
        };
        let words = std::array::from_fn(|_| random.below(u64::MAX) >> (7 * random.below(9)));
        let sizes = [0, 0, 0, 1, 900, 1022, 1023, 2000, 4096];
        let mut size = || sizes[random.below(9) as usize];
        let (given_bytes, taken_bytes, used_bytes, plain_bytes) = (size(), size(), size(), size());
        let destination = random.below(24) as u16;
        let account = (random.below(3) as u32).wrapping_mul(random.below(1 << 32) as u32);
        let cost = Cost { time_us: account, blocks_read: account / 3, blocks_written: u32::from(account == 1) };
        let request = Request { destination, op: random.below(32) as u8, words, given_bytes, taken_bytes, account };
        let slot = random.below(6) as u16;
        let head = match random.below(18) {
            0..=6 => Head::Call { caller, number, request },
            7..=8 => Head::CallMore { caller },
            9 => Head::Reply { caller: random.below(24) as u16, number, words, used_bytes, plain_bytes, cost },
            10 => Head::ReplyMore { caller: random.below(24) as u16 },
            11 => Head::Interrupt { caller, number },
            12..=13 => Head::Async { slot, request: Request { taken_bytes: 0, ..request } },
            14 => Head::AsyncMore { slot },
            15 => Head::Received { caller, number },
            16 => Head::Accepted { caller: random.below(24) as u16, number },
            _ => Head::Done { slot, errno: random.below(200) as u16 },
        };
        let bytes = head.emit(out).unwrap();
        let wanted = match head {
            Head::Call { request, .. } | Head::Async { request, .. } => usize::from(request.given_bytes),
            _ => random.below(1100) as usize,
        };
        out.len().min(bytes + wanted)
    }
}

/// Sends a frame every now and then, and takes what comes.
async fn hostile<D: Phy>(
    mut me: Me,
    device: &'static mut D,
    seed: u64,
    callers: (u16, u16),
    sent: Rc<Cell<u64>>,
) -> Never {
    let (mut random, mut session) = (Random::new(seed), Session::new(77));
    let (mut frame, mut next_ns) = ([0; FRAME_BYTES_MAX], 0);
    device.enable_receive_interrupt(true);
    loop {
        device.attend(me.now_ns());
        while let Some(bytes) = device.receive(&mut frame) {
            if let Ok(frame) = LinkFrame::parse(&frame[..bytes]) {
                session.take(&frame);
            }
        }
        if me.now_ns() >= next_ns {
            let bytes = session.frame(&mut random, callers, &mut frame);
            sent.set(sent.get() + u64::from(device.send(VICTIM, &frame[..bytes]).is_ok()));
            next_ns = me.now_ns() + random.below(400_000);
            device.attend(me.now_ns());
        }
        me.notify_at(Some(next_ns.min(device.deadline_ns().unwrap_or(u64::MAX))));
        me.notified().await;
    }
}

/// `steps` hostile frames of `seed`; the victim's counters.
fn attack(seed: u64, steps: u64) -> (Seen, u64) {
    let (asynchronous, paired) = (seed.is_multiple_of(3), seed % 3 != 1);
    let cast = Cast { boards: 3, asynchronous, paired, ..Cast::pair(3) };
    let sent = Rc::new(Cell::new(0));
    let done = Rc::new(Cell::new(0));
    let mut seen = Vec::new();
    let mut cluster = SimCluster::new(ClusterSetup { seed, ..ClusterSetup::new(3) }, |site: &mut SimSite| {
        if site.number == HOSTILE {
            let device = site.board.arena.put(|| site.device());
            let callers = (cast.client(HOSTILE, 0).index, cast.clients as u16 + u16::from(seed.is_multiple_of(8)));
            let count = sent.clone();
            let process = site.board.spawn(|me| hostile(me, device, seed, callers, count));
            site.serve_link(process);
            let _ = Notifier::new(process);
            return;
        }
        let done = done.clone();
        seen.push(build(site, cast, move |board, client| {
            let done = done.clone();
            let good = body(move |mut stores| {
                let done = done.clone();
                async move {
                    // The one of the good board calls the victim, those of the victim both.
                    let other = if board == GOOD {
                        VICTIM
                    } else if client == 0 {
                        GOOD
                    } else {
                        HOSTILE
                    };
                    for a in 0.. {
                        let pause_ns = stores.now_ns() + 300_000;
                        stores.me().sleep_until(pause_ns).await;
                        let answer = stores.at(other, 1).call(Add { a, b: 2, c: 3, d: 4, e: 5, f: 0 }, ()).await;
                        if other != HOSTILE {
                            assert_eq!(answer, Ok((a + 6 + 4).wrapping_add(5)), "board {board}");
                            done.set(done.get() + 1);
                        } else if answer == Err(Errno::EINVAL) {
                            done.set(done.get() + 1);
                        }
                    }
                }
            });
            good.filter(|_| client < 2)
        }));
    });
    assert!(cluster.run_while(u64::MAX / 2, || sent.get() < steps), "seed {seed}: the attack stopped");
    let before = done.get();
    cluster.run_until(cluster.now_ns() + 50_000_000);
    assert!(done.get() > before + 20, "seed {seed}: good boards are served");
    // That the hostile one never greets it.
    assert!(seen[1].stats.deaths.get() <= 1, "seed {seed}: the good board knows nothing of it");
    (seen.remove(0), cluster.now_ns())
}

/// Holds: hostile-board.
#[test]
fn hostile_frames_are_refused() {
    let steps = std::env::var("RENGA_STEPS").map_or(STEPS, |steps| steps.parse().unwrap());
    let (mut refused, mut served) = (0, 0);
    for seed in 1..=20 {
        let (victim, _) = attack(seed, steps / 20);
        refused += victim.stats.refused.get();
        served += victim.stats.calls_served.get();
    }
    println!("{steps} hostile frames: {refused} broke the protocol, {served} calls were served");
    assert!(refused > 100 && served > 1000, "the attack gets through: {refused} refused, {served} served");
}
