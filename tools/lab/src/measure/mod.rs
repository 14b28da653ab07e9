//! `renga bench`: measurements in virtual time, each printed beside what it is to be compared with.
//!
//! Invariant: every figure comes from a run that this command made; nothing is remembered.

pub mod bus;
mod compare;
mod emulator;
pub mod ledger;
mod link;
mod measured;
mod pins;
mod rendezvous;
mod report;
mod sync_async;
mod tables;
mod unix;

use anyhow::Result;
use renga_bench::rows::{OF_BACKGROUND, OF_CORES, OF_IO_SPEED, OF_RECLAIM, ROWS, Row};
use renga_cli::{Bench, Ledger, Measurement, Measuring, ProfileName};
use renga_workspace::environment::Environment;

/// Runs one measurement.
///
/// # Errors
/// If something cannot be built or the run fails.
pub fn bench(environment: &Environment, options: &Bench) -> Result<u8> {
    match &options.what {
        Measurement::Rendezvous => rendezvous::measure(environment),
        Measurement::Link(machine) => link::measure(environment, machine),
        Measurement::Pins => pins::measure(environment),
        Measurement::Emulator => emulator::measure(environment),
        Measurement::Bus(options) => bus::measure(options.seed, options.instructions),
        Measurement::Unix(options) => unix::measure(environment, options),
        Measurement::P1(options) => {
            ledger::measure(environment, &ledger::rows(&options.rows, ROWS)?, &options.measuring)
        }
        Measurement::P2(options) => of_today(environment, options, OF_BACKGROUND),
        Measurement::P3(options) => of_today(environment, options, OF_RECLAIM),
        Measurement::P4(options) => of_today(environment, options, OF_IO_SPEED),
        Measurement::P5(options) => of_today(environment, options, OF_CORES),
        Measurement::Map(options) => ledger::measure(environment, &[&renga_bench::map::ROW], options),
        Measurement::Placements(options) => ledger::measure(environment, &[&renga_bench::placements::ROW], options),
        Measurement::Scale(options) => ledger::measure(environment, &[&renga_bench::scaling::ROW], options),
        Measurement::Compare(options) => compare::compare(options),
        Measurement::Report(options) => report::report(environment, options),
        Measurement::SyncAsync(machine) => sync_async::measure(environment, machine),
    }
}

/// Of papers whose figures are of today's machines.
fn of_today(environment: &Environment, options: &Ledger, paper: &'static [Row]) -> Result<u8> {
    let measuring = Measuring { profile: Some(ProfileName::Pi3), ..options.measuring.clone() };
    ledger::measure(environment, &ledger::rows(&options.rows, paper)?, &measuring)
}
