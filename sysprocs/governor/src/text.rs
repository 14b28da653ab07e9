//! Paces as text, as `cat` shows and `echo` writes them: `wait 10`, `loop 2.5`, `fixed 50 1000`, `variable 50 1000`,
//! `off`.
//!
//! Invariant: a printed pace can be written back and means the same; a text with any error changes nothing.

use core::fmt::Write;
use heapless::String;
use renga_abi::pace::{FACTOR_ONE, Pace};
use renga_proto::settings::{SettingWords, number};

/// Bytes of a pace as text, at most.
const TEXT_BYTES_MAX: usize = 32;
/// Digits behind a factor's point.
const DECIMALS: usize = 3;
/// When none is named, ms: the paper's.
const PERIOD_MS: u32 = 1_000;

/// A written request: a program is to have a pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaceChange {
    /// Which program.
    pub pid: u32,
    /// Which pace.
    pub pace: Pace,
}

impl PaceChange {
    /// What `text` says: a pid and a pace.
    pub fn of(text: &[u8]) -> Option<PaceChange> {
        let mut words = SettingWords::of(text)?;
        let pid = words.number().filter(|&pid| pid != 0)?;
        let pace = pace(&mut words)?;
        words.end(PaceChange { pid, pace })
    }
}

fn pace(words: &mut SettingWords<'_>) -> Option<Pace> {
    match words.next()? {
        "off" => Some(Pace::Free),
        way @ ("wait" | "loop") => Pace::of_time(factor(words.next()?)?, way == "loop"),
        way @ ("fixed" | "variable") => {
            let most = words.number()?;
            let period_ms = words.next().map_or(Some(PERIOD_MS), number)?;
            Pace::of_count(most, period_ms, way == "variable")
        }
        _ => None,
    }
}

/// `pace` as text.
pub fn format_pace(pace: Pace) -> String<TEXT_BYTES_MAX> {
    let mut text = String::new();
    // All there can be has room, so that writing does not fail.
    let _ = match pace {
        Pace::Free => write!(text, "off"),
        Pace::Time { factor, spins } => {
            let (whole, part) = (factor / FACTOR_ONE, factor % FACTOR_ONE);
            let way = if spins { "loop" } else { "wait" };
            match part {
                0 => write!(text, "{way} {whole}"),
                part => write!(text, "{way} {whole}.{part:03}"),
            }
        }
        Pace::Count { most, period_ms, own_period } => {
            write!(text, "{} {most} {period_ms}", if own_period { "variable" } else { "fixed" })
        }
    };
    text
}

/// A decimal fraction in thousandths.
fn factor(word: &str) -> Option<u32> {
    let (whole, part) = word.split_once('.').unwrap_or((word, "0"));
    if part.is_empty() || part.len() > DECIMALS {
        return None;
    }
    let scale = 10_u32.pow((DECIMALS - part.len()) as u32);
    number(whole)?.checked_mul(FACTOR_ONE)?.checked_add(number(part)? * scale)
}

#[cfg(test)]
mod tests;
