//! What can be wrong with the file.

use core::fmt;

/// Why a text is no `NODE.TXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeFault {
    /// Its first line is not `renga-node 1`.
    Version,
    /// It is not ASCII text.
    NotText,
    /// A line that is none of ours; its number, from 1.
    Line(usize),
    /// A line of this name is missing.
    Missing(&'static str),
    /// There are two lines of this name.
    Twice(&'static str),
    /// The value of this name is none that it can have.
    Value(&'static str),
    /// `board` and `name` are not a place and the name there in `boards`.
    NotAmongBoards,
    /// The checksum is another.
    Check {
        /// What the file says.
        found: u32,
        /// What its other lines give.
        computed: u32,
    },
}

impl fmt::Display for NodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeFault::Version => f.write_str("it does not begin with `renga-node 1`"),
            NodeFault::NotText => f.write_str("it is not text"),
            NodeFault::Line(number) => write!(f, "line {number} is not one that it may have"),
            NodeFault::Missing(name) => write!(f, "`{name}=` is missing"),
            NodeFault::Twice(name) => write!(f, "`{name}=` is there twice"),
            NodeFault::Value(name) => write!(f, "the value of `{name}=` cannot be"),
            NodeFault::NotAmongBoards => f.write_str("`boards=` has another name at the place that `board=` says"),
            NodeFault::Check { found, computed } => {
                write!(f, "it was changed: `check={found:08x}`, but its lines give {computed:08x}")
            }
        }
    }
}

impl core::error::Error for NodeFault {}
