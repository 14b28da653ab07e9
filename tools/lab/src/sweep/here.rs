//! A sweep by the cores of this machine.

use super::piece::{Piece, Sweep, missing};
use super::remaining::Remaining;
use crate::benches::workers;
use anyhow::{Context, Result};
use std::time::Instant;

/// Carries out the pieces whose results are not there, `jobs` at once; how many they were.
///
/// # Errors
/// Of the first that could not be carried out; the results of the others stay.
pub fn carry_out(sweep: &dyn Sweep, jobs: usize) -> Result<usize> {
    let pieces = missing(sweep);
    let remaining = Remaining::of(pieces.len() as u32, jobs);
    let work = |piece: &Piece| {
        let begin = Instant::now();
        let what = format!("{}{}", piece.label, remaining.one_begun());
        sweep.carry_out(piece, &what).with_context(|| piece.label.clone())?;
        remaining.one_done(begin.elapsed());
        Ok(())
    };
    workers::all(&pieces, jobs, work)?;
    Ok(pieces.len())
}
