//! One run drawn from a seed: a workload for both boards, faults of the link, and the judgement.
//!
//! [`run`] is all: the same seed and settings give the same run. Invariant: a run that it calls good
//! ended by itself, left nothing behind on any board, agreed with a model of the file system at every
//! step and on the medium, which e2fsck finds clean.
//!
//! Not here: faults of boards and of the medium.

mod actions;
mod judge;
mod worker;

pub use judge::{Failure, Report};

use crate::cluster::ClusterSetup;
use crate::program::Programs;
use crate::random::Random;
use crate::system::{System, SystemSetup, image, instant_medium, pair, placement};
use actions::Plan;
use renga_phy::loopback::Faults;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Size of the medium.
const DISK_MEBIBYTES: u32 = 16;
/// What a run may take, simulated; far more than any does.
const LIMIT_NS: u64 = 600_000_000_000;

/// What is not drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What goes wrong on the link.
    pub faults: Faults,
    /// Whether calls between boards that return nothing release their callers early.
    pub asynchronous: bool,
}

impl Settings {
    /// A link that loses, doubles and damages frames.
    pub const BAD_LINK: Settings = Settings {
        faults: Faults { lost_per_mille: 20, doubled_per_mille: 20, changed_per_mille: 10 },
        asynchronous: false,
    };
}

/// Runs what `seed` draws.
///
/// # Errors
/// What went wrong, with the boards' latest events.
pub fn run(seed: u64, settings: Settings) -> Result<Report, Box<Failure>> {
    let mut random = Random::new(seed);
    let plan = Plan::draw(&mut random);
    let (programs, files) = (Programs::default(), judge::Files::default());
    worker::add_programs(&programs, &plan, &files);
    let disk = match image::make(DISK_MEBIBYTES, &programs.files()) {
        Ok(disk) => disk,
        Err(error) => return Err(Box::new(Failure::early(seed, error.to_string()))),
    };
    let placement = if settings.asynchronous { pair_asynchronous() } else { pair() };
    let cluster = ClusterSetup { faults: settings.faults, seed, ..ClusterSetup::new(2) };
    let mut system = System::boot(&SystemSetup { cluster, placement, disk, medium: instant_medium() }, &programs);
    let mut took = Duration::ZERO;
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let began = Instant::now();
        let stopped = system.run(LIMIT_NS);
        took = began.elapsed();
        judge::judge(&mut system, stopped, &files)
    }));
    let judged = judged.unwrap_or_else(|panic| Err(judge::text_of(panic.as_ref())));
    match judged {
        Ok(()) => Ok(Report::new(seed, &system, took)),
        Err(what) => Err(Box::new(Failure::new(seed, what, &system))),
    }
}

/// The pair with every edge asynchronous that may be.
fn pair_asynchronous() -> std::rc::Rc<renga_placement::Checked> {
    let text = include_str!("../../../../sysprocs/systems/pair.toml").replacen("\"sync\"", "\"async\"", 1);
    match placement(&text) {
        Ok(checked) => checked,
        Err(error) => panic!("pair.toml, asynchronous: {error}"),
    }
}
