//! What a user does to a running cluster, in the words in which the page's address keeps it.
//!
//! Invariant: an action's text and the simulated time are all that it depends on.

use renga_sim::Faults;
use std::str::FromStr;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `kill BOARD`: takes its power.
    Kill(u8),
    /// `boot BOARD`: resets it, or gives it power.
    Boot(u8),
    /// `hang BOARD`: its processor stands still.
    Hang(u8),
    /// `resume BOARD`: it goes on where it was.
    Resume(u8),
    /// `cut BOARD`: its wires are cut.
    Cut(u8),
    /// `join BOARD`: they are whole again.
    Join(u8),
    /// `token`: the next hand-over of the token gets lost.
    LoseToken,
    /// `faults LOST DOUBLED CHANGED`: frames of a thousand.
    Faults(Faults),
    /// `type TEXT`: keys on the console, then the return key.
    Type(String),
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let board = || rest.parse::<u8>().map_err(|_| format!("`{text}`: `{rest}` is no board's number"));
        match verb {
            "kill" => board().map(Action::Kill),
            "boot" => board().map(Action::Boot),
            "hang" => board().map(Action::Hang),
            "resume" => board().map(Action::Resume),
            "cut" => board().map(Action::Cut),
            "join" => board().map(Action::Join),
            "token" => Ok(Action::LoseToken),
            "faults" => {
                faults(rest).map(Action::Faults).ok_or(format!("`{text}`: three numbers up to 1000 are wanted"))
            }
            "type" => Ok(Action::Type(rest.to_string())),
            _ => Err(format!("`{text}` is no action")),
        }
    }
}

/// Reads the shares of frames that are lost, doubled and changed.
fn faults(text: &str) -> Option<Faults> {
    let shares: Option<Vec<u16>> =
        text.split(' ').map(|share| share.parse().ok().filter(|share| *share <= 1000)).collect();
    match shares?[..] {
        [lost_per_mille, doubled_per_mille, changed_per_mille] => {
            Some(Faults { lost_per_mille, doubled_per_mille, changed_per_mille, ..Faults::NONE })
        }
        _ => None,
    }
}
