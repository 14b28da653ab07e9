//! What was seen since there are jobs: how often each resource was contended, and who used how much of it.
//!
//! Invariant: each sample of a board is added once. Not here: what follows from it (`machine.rs`).

use crate::machine::{Orders, Samples};
use core::fmt::Write;
use renga_proto::regulation::{DISK, LINK, PROCESSOR, RESOURCES, ResourceUse};
use renga_rt::BOARDS_MAX;

/// Printed numbers end here, so that the text has an end.
const PRINTED_MAX: u64 = 999_999_999;
const NS_PER_MS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OfBoard {
    samples: u64,
    /// Samples at which its jobs contended for each resource.
    contended: [u64; RESOURCES],
    foreground: ResourceUse,
    background: ResourceUse,
}

/// Of all boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    boards: [OfBoard; BOARDS_MAX],
}

impl Totals {
    /// Adds a sample of each board, and where jobs contended.
    pub(crate) fn add(&mut self, samples: &Samples, contended: &Orders) {
        for ((total, sample), contended) in self.boards.iter_mut().zip(samples).zip(contended) {
            let Some(sample) = sample else { continue };
            total.samples += 1;
            for resource in 0..RESOURCES {
                total.contended[resource] += u64::from(contended >> resource & 1);
                total.foreground[resource] = total.foreground[resource].saturating_add(sample.foreground[resource]);
                total.background[resource] = total.background[resource].saturating_add(sample.background[resource]);
            }
        }
    }

    /// A line for each board that was seen.
    pub(crate) fn show(&self, text: &mut impl Write) -> core::fmt::Result {
        writeln!(text, "board looks cpu disk link front_ms blocks frames jobs_ms blocks frames")?;
        for (board, total) in self.boards.iter().enumerate().filter(|(_, total)| total.samples != 0) {
            write!(text, "{}", char::from(b'a' + board as u8))?;
            let [cpu, disk, link] = total.contended;
            let numbers_of = |used: ResourceUse| [used[PROCESSOR] / NS_PER_MS, used[DISK], used[LINK]];
            let numbers = [total.samples, cpu, disk, link].into_iter().chain(numbers_of(total.foreground));
            for number in numbers.chain(numbers_of(total.background)) {
                write!(text, " {}", number.min(PRINTED_MAX))?;
            }
            text.write_char('\n')?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;
    use renga_proto::regulation::Sample;
    use renga_proto::settings::TEXT_BYTES_MAX;
    use renga_rt::BOARDS_MAX;
    use std::string::String;

    fn text_of(totals: &Totals) -> String {
        let mut text = String::new();
        assert!(totals.show(&mut text).is_ok());
        text
    }

    /// Holds: jobs-counted.
    #[test]
    fn regulation_totals_add_samples_per_board() {
        let sample = |ms: u64| {
            let (foreground, background) = ([ms * 1_000_000, 2, 3], [4_000_000, 5, 6]);
            Some(Sample { foreground, background, ..Sample::default() })
        };
        let mut samples = [None; BOARDS_MAX];
        samples[1] = sample(7);
        let mut totals = Totals::default();
        let mut contended = [0; BOARDS_MAX];
        (contended[0], contended[1]) = (0b111, 0b010);
        totals.add(&samples, &contended);
        samples[1] = sample(1);
        totals.add(&samples, &[0; BOARDS_MAX]);
        let head = "board looks cpu disk link front_ms blocks frames jobs_ms blocks frames\n";
        assert_eq!(text_of(&totals), String::from(head) + "b 2 0 1 0 8 4 6 8 10 12\n");
    }

    #[test]
    fn regulation_totals_largest_text_fits() {
        let most = Sample { foreground: [u64::MAX; 3], background: [u64::MAX; 3], ..Sample::default() };
        let mut totals = Totals::default();
        totals.add(&[Some(most); BOARDS_MAX], &[0b111; BOARDS_MAX]);
        totals.boards.iter_mut().for_each(|board| (board.samples, board.contended) = (u64::MAX, [u64::MAX; 3]));
        assert!(text_of(&totals).len() <= TEXT_BYTES_MAX, "{}", text_of(&totals).len());
    }
}
