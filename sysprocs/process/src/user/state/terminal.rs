//! A terminal: the console, or the slave of a pair.
//!
//! Not here: calls to either (`servers/terminal_calls.rs`).

use crate::user::state::{Handle, Object};
use renga_proto::terminals::{TerminalHandle, TerminalSide, pair_name};

/// A terminal, by way of its own descriptor or its master's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnTerminal {
    Console,
    Pair { board: u8, at: TerminalHandle },
}

/// In the word of a terminal: it is a pair's.
const IS_PAIR: u64 = 1 << 20;

impl OwnTerminal {
    /// The terminal itself, whichever side this was.
    pub fn slave(self) -> OwnTerminal {
        match self {
            OwnTerminal::Pair { board, at } => {
                OwnTerminal::Pair { board, at: TerminalHandle { side: TerminalSide::Slave, ..at } }
            }
            console => console,
        }
    }
    /// As its master, which knows of those that had it when it was hung up.
    pub fn master(self) -> OwnTerminal {
        match self.slave() {
            OwnTerminal::Pair { board, at } => OwnTerminal::Pair { board, at: at.other() },
            console => console,
        }
    }
    pub fn is_master(self) -> bool {
        matches!(self, OwnTerminal::Pair { at: TerminalHandle { side: TerminalSide::Master, .. }, .. })
    }
    /// What the pair is called in the cluster.
    pub fn name(self) -> Option<u32> {
        if let OwnTerminal::Pair { board, at } = self { Some(pair_name(board, at.number)) } else { None }
    }
    /// For listings: 0 for the console, or 1 more than the pair's name; and the pair's generation.
    pub fn listed(self) -> [u64; 2] {
        match self {
            OwnTerminal::Console => [0; 2],
            OwnTerminal::Pair { board, at } => [1 + u64::from(pair_name(board, at.number)), u64::from(at.generation)],
        }
    }
    /// In one word: generation, a mark, board and number; 0: the console.
    pub fn to_word(self) -> u64 {
        match self {
            OwnTerminal::Console => 0,
            OwnTerminal::Pair { board, at } => {
                let (generation, number) = (u64::from(at.generation), u64::from(at.number));
                generation << 32 | IS_PAIR | u64::from(board) << 24 | number & 0xffff
            }
        }
    }
    /// A terminal itself, of its word.
    pub fn from_word(word: u64) -> OwnTerminal {
        let (number, generation) = (word as u16, (word >> 32) as u32);
        match word & IS_PAIR {
            0 => OwnTerminal::Console,
            _ => OwnTerminal::Pair {
                board: (word >> 24) as u8,
                at: TerminalHandle { number, side: TerminalSide::Slave, generation },
            },
        }
    }
}

impl Handle {
    /// As the handle of a side of a pair.
    pub fn side(self, side: TerminalSide) -> TerminalHandle {
        TerminalHandle { number: self.number, side, generation: self.generation }
    }
}

impl Object {
    /// The side `at` of a pair of `board`.
    pub fn of_pair(board: u8, at: TerminalHandle) -> Object {
        let TerminalHandle { number, side, generation } = at;
        Object::Terminal { at: Handle { board, number, generation }, side }
    }
    /// The terminal that it is, or is the master of.
    pub fn terminal(self) -> Option<OwnTerminal> {
        match self {
            Object::Console => Some(OwnTerminal::Console),
            Object::Terminal { at: Handle { board, number, generation }, side } => {
                Some(OwnTerminal::Pair { board, at: TerminalHandle { number, side, generation } })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OwnTerminal, TerminalHandle, TerminalSide};

    #[test]
    fn terminal_word_round_trips() {
        let at = TerminalHandle { number: 31, side: TerminalSide::Slave, generation: u32::MAX };
        for terminal in [OwnTerminal::Console, OwnTerminal::Pair { board: 7, at }] {
            assert_eq!(OwnTerminal::from_word(terminal.to_word()), terminal);
        }
    }
}
