//! Recorded frames checked against the rules of sessions that [`crate::calls`] rests on.
//!
//! What a board may know follows from the frames that it has said and heard, so a record of both is
//! enough: the simulator's, taken at each router's device, or that of `renga run --trace`.

pub mod read;
pub mod rules;

pub use rules::{BrokenRule, Rules};

/// Something that was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recorded {
    /// A board was started.
    Started(u8),
    /// A board said a frame.
    Sent(u8, Vec<u8>),
    /// A board heard a frame.
    Received(u8, Vec<u8>),
}

/// Holds a record against the rules: how many frames it has, or which of its parts breaks which.
///
/// # Errors
/// The place of the first part that breaks a rule, and the rule.
pub fn check(record: &[Recorded]) -> Result<usize, (usize, BrokenRule)> {
    let mut rules = Rules::default();
    for (place, part) in record.iter().enumerate() {
        match part {
            Recorded::Started(board) => rules.started(*board),
            Recorded::Sent(board, bytes) => rules.sent(*board, bytes).map_err(|broken| (place, broken))?,
            Recorded::Received(board, bytes) => rules.received(*board, bytes),
        }
    }
    Ok(record.iter().filter(|part| !matches!(part, Recorded::Started(_))).count())
}
