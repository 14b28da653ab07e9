//! The same rows on Linux, in the same call: kept by content, as all runs of benches are.
//!
//! Its card has the times of the usual profile's medium. A null_blk device has one time for all requests. So rows that
//! wait for writes of the medium run once more, on a card all of whose requests take as long as a write.

use super::report::{self, LinuxFigures};
use super::rows::UnixRow;
use super::{input, measure_on};
use crate::benches::Runner;
use anyhow::{Context, Result};
use renga_bench::run::{BenchMachine, BenchRun, CardTimes, CostProfile, LinuxForm};
use renga_cluster::linux::LinuxBoard;
use renga_fs::Medium;
use renga_images::disk_image::FileContent;
use renga_workspace::environment::Environment;
use std::collections::BTreeMap;

/// # Errors
/// If a run fails, or does not say what it measured.
pub(super) fn measure(environment: &Environment, rows: &[&UnixRow]) -> Result<LinuxFigures> {
    let runner = Runner::open(environment)?;
    let release = LinuxBoard::release(environment, &runner.progress)?;
    let medium = Medium::named(renga_profile::usual().medium).context("the medium is one of the models")?;
    let mut figures = BTreeMap::new();
    for (writes, request_us) in [(false, medium.read_us()), (true, medium.write_us())] {
        let rows: Vec<&UnixRow> = rows.iter().filter(|row| row.writes_medium == writes).copied().collect();
        if rows.is_empty() {
            continue;
        }
        let rate_mb_s = medium.bytes_per_s() / 1_000_000;
        let card = CardTimes { request_us: request_us.try_into()?, rate_mb_s: rate_mb_s.try_into()? };
        let run = run(card, &rows);
        let facts = runner.facts(&run)?;
        let (_, outcome) = match runner.remembered(&facts) {
            Some(kept) => kept,
            None => runner.carry_out(&run, facts, "Linux")?,
        };
        figures.extend(report::figures(&outcome.text, &rows)?);
    }
    runner.progress.finish();
    Ok(LinuxFigures { release, rows: figures })
}

fn run(card: CardTimes, rows: &[&UnixRow]) -> BenchRun {
    let machine = BenchMachine::Linux(LinuxForm { card: Some(card), ..LinuxForm::PLAIN });
    let script = format!("{}{}", input::PREPARE, measure_on("", rows));
    let files = input::files().into_iter().filter_map(|file| match file.content {
        FileContent::Bytes(bytes) => Some((file.dest, bytes)),
        _ => None,
    });
    BenchRun { files: files.collect(), script, ..BenchRun::new(machine, CostProfile::Pi3, "small", "") }
}
