//! `renga bench`: measurements in virtual time, each printed beside what it is to be compared with.
//!
//! Invariant: every figure comes from a run that this command made; nothing is remembered.

pub mod bus;
mod diff;
mod emulator;
pub mod ledger;
mod link;
mod link_call;
mod link_parts;
mod measured;
mod pins;
mod rendezvous;
mod report;
mod sync_async;
mod tables;
mod unix;

use crate::machines::{plans, plans_of_today};
use anyhow::Result;
use renga_bench::rows::{LedgerRow, OF_BACKGROUND, OF_CORES, OF_IO_SPEED, OF_RECLAIM, ROWS};
use renga_cli::{Bench, BenchCommand, Ledger, Measuring, PlacementsArgs};
use renga_workspace::environment::Environment;

/// Runs one measurement.
///
/// # Errors
/// If something cannot be built or the run fails.
pub fn bench(environment: &Environment, options: &Bench) -> Result<u8> {
    match &options.what {
        BenchCommand::Rendezvous => rendezvous::measure(environment),
        BenchCommand::Link(machine) => link::measure(environment, machine),
        BenchCommand::Pins => pins::measure(environment),
        BenchCommand::Emulator => emulator::measure(environment),
        BenchCommand::Bus(options) => bus::measure(options.seed, options.instructions),
        BenchCommand::Unix(options) => unix::measure(environment, options),
        BenchCommand::P1(options) => of_then(environment, &ledger::rows(&options.rows, ROWS)?, &options.measuring),
        BenchCommand::P2(options) => of_today(environment, options, OF_BACKGROUND),
        BenchCommand::P3(options) => of_today(environment, options, OF_RECLAIM),
        BenchCommand::P4(options) => of_today(environment, options, OF_IO_SPEED),
        BenchCommand::P5(options) => of_today(environment, options, OF_CORES),
        BenchCommand::Map(options) => of_then(environment, &[&renga_bench::map::ROW], options),
        BenchCommand::Placements(options) => placements(environment, options),
        BenchCommand::Scale(options) => of_then(environment, &[&renga_bench::scaling::ROW], options),
        BenchCommand::Compare(options) => crate::compare::compare(environment, options),
        BenchCommand::Diff(options) => diff::diff(options),
        BenchCommand::Report(options) => report::report(environment, options),
        BenchCommand::SyncAsync(machine) => sync_async::measure(environment, machine),
    }
}

/// With machines of the first paper's time, too.
fn of_then(environment: &Environment, rows: &[&LedgerRow], options: &Measuring) -> Result<u8> {
    ledger::measure(environment, rows, &plans(&options.profiles), options)
}

/// Of jobs, with machines of the first paper's time, too; or of the system's own processes.
fn placements(environment: &Environment, options: &PlacementsArgs) -> Result<u8> {
    let measuring = &options.measuring;
    if !options.os {
        return of_then(environment, &[&renga_bench::placements::ROW], measuring);
    }
    ledger::measure(environment, &[&renga_bench::os_placements::ROW], &plans_of_today(&measuring.profiles), measuring)
}

/// Of papers whose figures are of today's machines.
fn of_today(environment: &Environment, options: &Ledger, paper: &'static [LedgerRow]) -> Result<u8> {
    let measuring = &options.measuring;
    ledger::measure(environment, &ledger::rows(&options.rows, paper)?, &plans_of_today(&measuring.profiles), measuring)
}
