//! `NODE.TXT`: the text file on a board's card with the board's identity.
//!
//! ```text
//! renga-node 1
//! cluster=lab
//! system=pair
//! placement=0123456789abcdef
//! board=0
//! name=a
//! boards=a,b
//! model=pi3
//! link=pins
//! check=2dce9e16
//! ```
//!
//! Each line once, in any order but the first and the last. `check` is the CRC-32C of all bytes before its line;
//! carriage returns count for nothing, so that an editor that adds them does no harm.
//!
//! Invariant: [`NodeFile`]'s `Display` is the inverse of [`NodeFile::parse`]; a file with a changed byte is refused.
//! Not here: the rest of the card (`tools/renga`), the use of the file (`renga-image`).

mod check;
mod fault;
mod model;
mod node_file;
mod on_card;

pub use fault::NodeFault;
pub use model::{LinkMode, Model};
pub use node_file::NodeFile;
pub use on_card::{NODE_BYTES_MAX, NoNodeFile, read_node_file};

/// The file's name on the card, in the root folder of the first partition.
pub const NODE_FILE: &str = "NODE.TXT";
/// Longest name of a cluster, a system or a board, bytes.
pub const NAME_BYTES_MAX: usize = 32;
/// Boards of a cluster at most: four bits of address, of which one value means all.
pub const BOARDS_MAX: usize = 15;
