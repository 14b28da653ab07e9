//! What must be the same in each run of the same command with `--stats`.

use super::Ended;

/// Output and figures.
#[derive(Debug, PartialEq, Eq)]
pub struct Facts {
    stdout: Vec<u8>,
    figures: Vec<String>,
}

impl Facts {
    pub fn of(ended: &Ended) -> Facts {
        let names = ["virtual time", "frames", "console hash", "frame hash"];
        Facts { stdout: ended.stdout.clone(), figures: ended.figures(&names) }
    }

    /// As `of`, of a run with `--trace`, whose trace must be the same too.
    pub fn of_traced(ended: &Ended) -> Facts {
        let mut facts = Facts::of(ended);
        facts.figures.extend(ended.figures(&["trace hash"]));
        facts
    }
}
