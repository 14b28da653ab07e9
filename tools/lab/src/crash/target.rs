//! What loses its power, and at which events.

use anyhow::{Context, Result};
use renga_cluster::disturbance;
use renga_cluster::event_instants::{EventMoment, EventName};
use renga_images::system::SystemFile;

/// The name of all boards together.
const ALL: &str = "all";

/// What `all@write` or `b@frame:20` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashTarget {
    /// The board, or all of them.
    pub board: Option<u8>,
    /// Events of the board, or of all.
    pub event: EventName,
    /// Only this one, counted from 1.
    pub number: Option<u32>,
}

impl CrashTarget {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no such board or event.
    pub fn parse(text: &str, system: &SystemFile) -> Result<CrashTarget> {
        let names: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
        CrashTarget::of_boards(text, &names)
    }

    fn of_boards(text: &str, names: &[&str]) -> Result<CrashTarget> {
        let (name, what) = text
            .split_once('@')
            .with_context(|| format!("`{text}` is no board and event, as in all@write or b@frame:20"))?;
        let board = if name == ALL { None } else { Some(disturbance::board(names, name)?) };
        if !what.contains(':') {
            return Ok(CrashTarget { board, event: EventName::parse(what)?, number: None });
        }
        let EventMoment { event, number } = EventMoment::parse(what)?;
        Ok(CrashTarget { board, event, number: Some(number) })
    }

    /// How the cut at the `number`th event is named.
    pub fn point(&self, number: u32, system: &SystemFile) -> String {
        let name = self.board.map_or(ALL, |board| system.checked.boards[usize::from(board)].name.as_str());
        format!("{name}@{}:{number}", self.event)
    }
}

#[cfg(test)]
mod tests {
    use super::CrashTarget;
    use renga_cluster::event_instants::EventName;

    #[test]
    fn crash_target_names_boards_and_events_or_is_refused() {
        let read = |text: &str| CrashTarget::of_boards(text, &["a", "b"]);
        let target = |board, event, number| CrashTarget { board, event, number };
        assert_eq!(read("all@write").unwrap(), target(None, EventName::Write, None));
        assert_eq!(read("b@frame:20").unwrap(), target(Some(1), EventName::Frame, Some(20)));
        for bad in ["all", "c@write", "a@writes", "a@write:0", "a@write:x"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
