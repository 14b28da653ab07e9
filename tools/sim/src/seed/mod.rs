//! One run drawn from a seed: a workload for both boards, a medium, faults of the link, and the judgement.
//!
//! [`run`] is all: the same seed and settings give the same run. Invariant: a run that it calls good
//! ended by itself, left nothing behind on any board, agreed with a model of the file system at every
//! step and on the medium, which e2fsck finds clean.
//!
//! Not here: faults of boards and of the medium.

mod actions;
mod judge;
mod rover;
mod start;
mod worker;

pub use judge::{Failure, Report};

use crate::cluster::ClusterSetup;
use crate::program::Programs;
use crate::random::Random;
use crate::system::{PAIR, System, SystemSetup, image, medium, placement};
use actions::Plan;
use renga_phy::loopback::Faults;
use renga_placement::{Checked, PlacementError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Size of the medium.
const DISK_MEBIBYTES: u32 = 12;
/// What more boards than the pair's need for messages on the first one.
const MESSAGE_KIB: u32 = 4096;
/// What a run may take, simulated; far more than any does.
const LIMIT_NS: u64 = 600_000_000_000;

/// What is not drawn.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many boards: the first as `a` of the pair, the others as `b`.
    pub boards: u8,
    /// What goes wrong on the link.
    pub faults: Faults,
    /// Whether calls between boards that return nothing release their callers early.
    pub asynchronous: bool,
}

impl Settings {
    /// The pair on a good link.
    pub const PAIR: Settings = Settings {
        boards: 2,
        faults: Faults { lost_per_mille: 0, doubled_per_mille: 0, changed_per_mille: 0, ..Faults::NONE },
        asynchronous: false,
    };
    /// The pair on a link that loses, doubles and damages frames.
    pub const BAD_LINK: Settings = Settings {
        faults: Faults { lost_per_mille: 20, doubled_per_mille: 20, changed_per_mille: 10, ..Faults::NONE },
        ..Settings::PAIR
    };
}

/// Runs what `seed` draws.
///
/// # Errors
/// What went wrong, with the boards' latest events.
pub fn run(seed: u64, settings: Settings) -> Result<Report, Box<Failure>> {
    let mut random = Random::new(seed);
    let plan = Plan::draw(&mut random, u64::from(settings.boards));
    let (programs, files) = (Programs::default(), judge::Files::default());
    start::add_programs(&programs, &plan, &files);
    let disk = match image::make(DISK_MEBIBYTES, &programs.files()) {
        Ok(disk) => disk,
        Err(error) => return Err(Box::new(Failure::early(seed, error.to_string()))),
    };
    let placement = match placed(settings) {
        Ok(placement) => placement,
        Err(error) => return Err(Box::new(Failure::early(seed, error.to_string()))),
    };
    let cluster = ClusterSetup { faults: settings.faults, seed, ..ClusterSetup::new(2) };
    let mut system = System::boot(&SystemSetup { cluster, placement, disk, medium: medium(plan.medium) }, &programs);
    let (mut took, mut simulated_ns) = (Duration::ZERO, 0);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let began = Instant::now();
        let stopped = system.run(LIMIT_NS);
        (took, simulated_ns) = (began.elapsed(), system.cluster.now_ns());
        judge::judge(&mut system, stopped, &files)
    }));
    let judged = judged.unwrap_or_else(|panic| Err(judge::text_of(panic.as_ref())));
    match judged {
        Ok(()) => Ok(Report::new(seed, &system, simulated_ns, took)),
        Err(what) => Err(Box::new(Failure::new(seed, what, &system))),
    }
}

/// The pair's placement with as many boards as wanted, and the mode.
fn placed(settings: Settings) -> Result<Rc<Checked>, PlacementError> {
    let mut text = String::from(PAIR);
    if settings.asynchronous {
        text = text.replacen("\"sync\"", "\"async\"", 1);
    }
    let last = "    { name = \"b\" },\n";
    let boards: String = (1..settings.boards).map(|board| format!("    {{ name = \"b{board}\" }},\n")).collect();
    text = text.replacen(last, &boards, 1);
    if settings.boards > 2 {
        text = text.replacen("disk = true", &format!("disk = true, message_kib = {MESSAGE_KIB}"), 1);
    }
    placement(&text)
}
