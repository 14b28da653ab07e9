//! A round as its reader sees it.

use super::flow::{DATA_BYTES, Flow};
use super::round::{Round, Share};
use core::fmt::{Display, Formatter, Result};

impl Display for Round {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for board in 1..usize::from(self.boards) {
            let Some(pair) = &self.pairs[board] else {
                writeln!(f, "board {board}: does not answer")?;
                continue;
            };
            line(f, (0, board), &pair.there)?;
            line(f, (board, 0), &pair.back)?;
            let trips = &pair.trips;
            writeln!(
                f,
                "0 <-> {board}  {} round trips: {} / {} / {} us (least / mean / most)",
                trips.count,
                trips.least_us,
                trips.mean_us(),
                trips.most_us
            )?;
        }
        for board in 0..usize::from(self.boards) {
            if let Some(share) = &self.shares[board] {
                self.share(f, board, share)?;
            }
        }
        writeln!(f, "linkbench: {}", if self.is_whole() { "every frame came" } else { "NOT ALL CAME" })
    }
}

fn line(f: &mut Formatter<'_>, (from, to): (usize, usize), flow: &Flow) -> Result {
    writeln!(
        f,
        "{from} -> {to}   {:>6} kbit/s, {:>5} frames/s of {DATA_BYTES} bytes; {} came, {} are missing, {} came twice",
        flow.rate_kbps(),
        flow.frames_per_s(),
        flow.frames,
        flow.missing,
        flow.double
    )
}

impl Round {
    fn share(&self, f: &mut Formatter<'_>, board: usize, share: &Share) -> Result {
        write!(
            f,
            "all at once: board {board} sent {}, {} came, {} are missing",
            share.sent, share.came.frames, share.came.missing
        )?;
        match self.rotation_us(board) {
            Some(us) => writeln!(f, "; the token each {us} us")?,
            None => writeln!(f)?,
        }
        let errors = &share.errors;
        writeln!(
            f,
            "  since its start: {} sent again, {} given up, {} not sent, {} broken, {} tokens made",
            errors.again, errors.given_up, errors.unsent, errors.broken, errors.tokens
        )
    }
}
