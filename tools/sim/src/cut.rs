//! The omitted parts of a random run, short enough to type: the result of shrinking, or one power cut instead of all
//! incidents.
//!
//! Invariant: the text of a cut reads back as the same cut. Not here: finding one (`campaign::shrink`).

use std::fmt;
use std::str::FromStr;

/// What is kept. Fields left out of the text keep everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    boards: Option<u8>,
    incidents: Option<Vec<usize>>,
    actors: Option<Vec<usize>>,
    steps: Option<usize>,
    quiet: bool,
    power: Option<PowerCut>,
}

/// The one thing that happens to the boards, at an event counted from the moment when all programs have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerCut {
    /// The disk's board loses its power during the write after so many.
    Write(u64),
    /// This board loses its power at the frame after so many.
    Frame(u8, u64),
}

impl PowerCut {
    /// The same kind of cut at another event.
    pub fn at(self, number: u64) -> PowerCut {
        match self {
            PowerCut::Write(_) => PowerCut::Write(number),
            PowerCut::Frame(board, _) => PowerCut::Frame(board, number),
        }
    }
}

impl Cut {
    /// How many of `boards` boards, if fewer.
    pub fn boards(&self, boards: u8) -> Option<u8> {
        self.boards.filter(|kept| *kept < boards)
    }
    /// Whether the link has no faults and no wait is cancelled.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }
    /// How many of the `all` steps that `actor` was to do.
    pub fn steps(&self, actor: usize, all: usize) -> usize {
        let kept = self.actors.as_ref().is_none_or(|actors| actors.contains(&actor));
        if kept { self.steps.map_or(all, |steps| steps.min(all)) } else { 0 }
    }
    /// Removes the omitted incidents.
    pub fn keep<T>(&self, incidents: &mut Vec<T>) {
        let Some(kept) = &self.incidents else { return };
        let mut number = 0;
        incidents.retain(|_| {
            number += 1;
            kept.contains(&(number - 1))
        });
    }

    /// With so many boards at most.
    pub fn with_boards(&self, boards: u8) -> Cut {
        Cut { boards: Some(boards), ..self.clone() }
    }
    /// With these incidents, by their numbers in the whole run.
    pub fn with_incidents(&self, incidents: &[usize]) -> Cut {
        Cut { incidents: Some(incidents.to_vec()), ..self.clone() }
    }
    /// With these actors, likewise.
    pub fn with_actors(&self, actors: &[usize]) -> Cut {
        Cut { actors: Some(actors.to_vec()), ..self.clone() }
    }
    /// With so many steps of each actor at most.
    pub fn with_steps(&self, steps: usize) -> Cut {
        Cut { steps: Some(steps), ..self.clone() }
    }
    /// Instead of all incidents.
    pub fn power(&self) -> Option<PowerCut> {
        self.power
    }
    /// With this power cut instead of all incidents.
    pub fn with_power(&self, power: PowerCut) -> Cut {
        Cut { power: Some(power), ..self.clone() }
    }
    /// Without faults of the link.
    pub fn quietly(&self) -> Cut {
        Cut { quiet: true, ..self.clone() }
    }
}

const PARTS: &str = "boards=N, incidents=N,N, actors=N,N, steps=N, quiet, write=N, frame=BOARD,N";

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.boards.map(|boards| format!("boards={boards}")));
        parts.extend(self.incidents.as_ref().map(|incidents| format!("incidents={}", list(incidents))));
        parts.extend(self.actors.as_ref().map(|actors| format!("actors={}", list(actors))));
        parts.extend(self.steps.map(|steps| format!("steps={steps}")));
        parts.extend(self.quiet.then(|| "quiet".into()));
        parts.extend(self.power.map(|power| match power {
            PowerCut::Write(number) => format!("write={number}"),
            PowerCut::Frame(board, number) => format!("frame={board},{number}"),
        }));
        f.write_str(&parts.join(":"))
    }
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Cut, String> {
        let mut cut = Cut::default();
        for part in text.split(':').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let bad = |error: std::num::ParseIntError| format!("`{part}`: {error}");
            let numbers = || value.split(',').filter(|text| !text.is_empty()).map(str::parse).collect();
            match name {
                "boards" => cut.boards = Some(value.parse().map_err(bad)?),
                "incidents" => cut.incidents = Some(Result::map_err(numbers(), bad)?),
                "actors" => cut.actors = Some(Result::map_err(numbers(), bad)?),
                "steps" => cut.steps = Some(value.parse().map_err(bad)?),
                "quiet" => cut.quiet = true,
                "write" => cut.power = Some(PowerCut::Write(value.parse().map_err(bad)?)),
                "frame" => {
                    let (board, number) = value.split_once(',').ok_or(format!("`{part}` is not frame=BOARD,N"))?;
                    cut.power = Some(PowerCut::Frame(board.parse().map_err(bad)?, number.parse().map_err(bad)?));
                }
                _ => return Err(format!("`{part}` is not one of {PARTS}")),
            }
        }
        Ok(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, PowerCut};

    #[test]
    fn cut_printed_is_parsed_back() {
        let cut = Cut::default().with_boards(3).with_incidents(&[]).with_actors(&[0, 7]).with_steps(12).quietly();
        assert_eq!(cut.to_string().parse(), Ok(cut.clone()));
        for power in [PowerCut::Write(17), PowerCut::Frame(1, 170)] {
            let cut = cut.with_power(power);
            assert_eq!(cut.to_string().parse(), Ok(cut));
        }
        assert_eq!("".parse(), Ok(Cut::default()));
        assert!("bords=2".parse::<Cut>().is_err());
    }
}
