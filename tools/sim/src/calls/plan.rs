//! The boards of a run, the calls of their clients, and their faults, random from a seed.
//!
//! Invariant: a server only calls servers with a higher number, on any board, so no circle of waits arises. Not here:
//! execution.

use super::protocol::route;
use crate::cut::Cut;
use crate::incident::{Incident, Trouble, draw_link};
use renga_phy::loopback::Faults;
use renga_random::Random;

/// Numbers of boards, each as likely as it is often here.
const BOARDS: [u8; 12] = [2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8];
/// Most servers and clients of a board.
const SERVERS_MAX: u64 = 3;
const SHARED_PROXIES_MAX: u64 = 3;
const CLIENTS_MAX: u64 = 3;
/// Calls of a client, least and most.
const STEPS: (u64, u64) = (3, 24);
/// Calls of the whole cluster, about: many boards have few calls each.
const CALLS_MAX: u64 = 100;
/// Times between calls, at servers, and of waits, ns.
const PAUSE_NS: (u64, u64) = (1_000, 4_000_000);
const BUSY_NS: (u64, u64) = (1_000, 2_000_000);
const WAIT_NS: (u64, u64) = (10_000, 60_000_000);
/// Most bytes of a slice.
const BYTES_MAX: u64 = 4096;
/// Incidents of a run that has any, at most.
const INCIDENTS_MAX: u64 = 5;
/// Runs of a hundred without incidents.
const QUIET_PERCENT: u64 = 30;
/// Time during which incidents begin, for each step of the longest client.
const HORIZON_PER_STEP_NS: u64 = 3_000_000;
/// How long a slow board takes when it is woken, ns.
const SLOWNESS_NS: (u64, u64) = (1_000, 1_000_000);
/// A board that is slower may be thought dead, ns.
const CALM_SLOWNESS_NS: u64 = 50_000;
/// Interruptions of waiting clients, at most.
const INTERRUPTIONS_MAX: u64 = 6;

/// What a client does next.
#[derive(Clone, Copy, Debug)]
pub enum ClientDeed {
    /// A call that works, with slices of so many bytes given and taken, by a route.
    Work { busy_ns: u64, route: u64, given: usize, taken: usize },
    /// A call that waits.
    Wait { time_ns: u64 },
    /// A call without a result.
    Note { fail: bool, given: usize },
}

/// One call of a client.
#[derive(Clone, Copy, Debug)]
pub struct ClientStep {
    /// What it waits before, ns.
    pub pause_ns: u64,
    /// The board and the number of the server.
    pub server: (u8, u8),
    /// The call.
    pub deed: ClientDeed,
}

/// All of a run.
#[derive(Clone, Debug)]
pub struct CallsPlan {
    /// The seed of the link's faults.
    pub seed: u64,
    /// How many boards.
    pub boards: u8,
    /// Servers of each board.
    pub servers: u8,
    /// Whether calls without a result release their callers.
    pub asynchronous: bool,
    /// Whether calls that return data travel in paired form.
    pub paired: bool,
    /// Copies for each pair of boards, and processes of each board that make asynchronous calls.
    pub slots: usize,
    pub async_proxies: usize,
    /// What the link does throughout.
    pub link: Faults,
    /// How slow each board is, ns.
    pub slowness_ns: Vec<u64>,
    /// What befalls the boards.
    pub incidents: Vec<Incident>,
    /// When which client is interrupted: time, board, number.
    pub interruptions: Vec<(u64, u8, u8)>,
    /// What each client of each board calls.
    pub scripts: Vec<Vec<Vec<ClientStep>>>,
}

impl CallsPlan {
    /// Draws that of `seed`, without the parts that `cut` omits.
    pub fn draw(seed: u64, boards: Option<u8>, cut: &Cut) -> CallsPlan {
        let mut random = Random::new(seed ^ 0x6361_6c6c_7300);
        let boards = boards.unwrap_or(BOARDS[random.below(BOARDS.len() as u64) as usize]);
        let servers = random.between(1, SERVERS_MAX) as u8;
        let clients = random.between(1, CLIENTS_MAX);
        let most = (CALLS_MAX / (u64::from(boards) * clients)).clamp(STEPS.0, STEPS.1);
        let mut scripts: Vec<Vec<Vec<ClientStep>>> = (0..boards)
            .map(|_| (0..clients).map(|_| script(&mut random.fork(), boards, servers, most)).collect())
            .collect();
        let horizon_ns = HORIZON_PER_STEP_NS * most;
        let asynchronous = random.occurs(50);
        let (slots, async_proxies) = (random.between(1, 6) as usize, random.between(1, 3) as usize);
        let link = draw_link(&mut random);
        let slow =
            |random: &mut Random| if random.occurs(12) { random.spread(SLOWNESS_NS.0, SLOWNESS_NS.1) } else { 0 };
        let slowness_ns = (0..boards).map(|_| slow(&mut random)).collect();
        let count = if random.occurs(QUIET_PERCENT) { 0 } else { random.between(1, INCIDENTS_MAX) };
        let mut incidents: Vec<Incident> =
            (0..count).map(|_| Incident::draw(&mut random, boards, horizon_ns)).collect();
        let interruption = |random: &mut Random| {
            (random.below(horizon_ns), random.below(u64::from(boards)) as u8, random.below(clients) as u8)
        };
        let mut interruptions: Vec<_> =
            (0..random.below(INTERRUPTIONS_MAX + 1)).map(|_| interruption(&mut random)).collect();
        interruptions.sort_unstable();
        cut.keep(&mut incidents);
        if cut.is_quiet() {
            interruptions.clear();
        }
        let mut actor = 0;
        for clients in &mut scripts {
            for script in clients {
                script.truncate(cut.steps(actor, script.len()));
                actor += 1;
            }
        }
        let link = if cut.is_quiet() { Faults::NONE } else { link };
        let plan = CallsPlan {
            seed,
            boards,
            servers,
            asynchronous,
            // From a generator of its own, so that seeds give all else as before.
            paired: Random::new(seed ^ 0x7061_6972_6564).occurs(50),
            slots,
            async_proxies,
            link,
            slowness_ns,
            incidents,
            interruptions,
            scripts,
        };
        cut.boards(boards).map_or(plan.clone(), |boards| plan.within(boards))
    }

    /// The same with the first `boards` boards only.
    fn within(mut self, boards: u8) -> CallsPlan {
        self.boards = boards;
        self.scripts.truncate(usize::from(boards));
        self.slowness_ns.truncate(usize::from(boards));
        self.incidents = self.incidents.into_iter().map(|incident| incident.within(boards)).collect();
        self.interruptions.iter_mut().for_each(|(_, board, _)| *board %= boards);
        for step in self.scripts.iter_mut().flatten().flatten() {
            step.server.0 %= boards;
            if let ClientDeed::Work { route, .. } = &mut step.deed {
                *route = shortened(*route, boards);
            }
        }
        self
    }

    /// Proxies that the clients of one board share on another.
    pub fn shared_proxies(&self) -> usize {
        1 + (self.seed % SHARED_PROXIES_MAX) as usize
    }
    /// Clients of each board.
    pub fn clients(&self) -> usize {
        self.scripts[0].len()
    }
    /// Clients that a cut can omit.
    pub fn actors(&self) -> usize {
        self.scripts.iter().map(Vec::len).sum()
    }
    /// Whether callers of a failed board get an error in time: no frame is harmed, no board is slow.
    pub fn is_prompt(&self) -> bool {
        let slow = self.slowness_ns.iter().any(|slowness_ns| *slowness_ns > CALM_SLOWNESS_NS);
        let harmed = self.incidents.iter().any(|incident| matches!(incident.trouble, Trouble::Burst(_)));
        self.link == Faults::NONE && !slow && !harmed
    }
    /// Whether nothing happens for which a call may fail.
    pub fn is_calm(&self) -> bool {
        self.incidents.is_empty() && self.is_prompt()
    }
}

fn shortened(whole: u64, boards: u8) -> u64 {
    let (mut hops, mut rest) = (Vec::new(), whole);
    while let Some(((board, number), more)) = super::protocol::split(rest) {
        hops.push((board % boards, number));
        rest = more;
    }
    route(&hops)
}

fn script(random: &mut Random, boards: u8, servers: u8, most: u64) -> Vec<ClientStep> {
    (0..random.between(STEPS.0, most)).map(|_| step(random, boards, servers)).collect()
}

fn step(random: &mut Random, boards: u8, servers: u8) -> ClientStep {
    let board = |random: &mut Random| random.below(u64::from(boards)) as u8;
    let server = (board(random), random.below(u64::from(servers)) as u8);
    let pause_ns = if random.occurs(60) { 0 } else { random.spread(PAUSE_NS.0, PAUSE_NS.1) };
    let bytes = |random: &mut Random| if random.occurs(40) { 0 } else { random.spread(1, BYTES_MAX) as usize };
    let deed = match random.below(10) {
        0..=4 => {
            let mut hops = Vec::new();
            let mut number = server.1 + 1;
            while number < servers && random.occurs(35) {
                hops.push((board(random), number));
                number += 1;
            }
            let busy_ns = if random.occurs(60) { 0 } else { random.spread(BUSY_NS.0, BUSY_NS.1) };
            ClientDeed::Work { busy_ns, route: route(&hops), given: bytes(random), taken: bytes(random) }
        }
        5 => ClientDeed::Wait { time_ns: random.spread(WAIT_NS.0, WAIT_NS.1) },
        _ => ClientDeed::Note { fail: random.occurs(5), given: bytes(random) },
    };
    ClientStep { pause_ns, server, deed }
}
