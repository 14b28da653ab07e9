//! Reading and writing the file.

use super::check::{self, Summed};
use super::{BOARDS_MAX, LinkMode, Model, NAME_BYTES_MAX, NodeFault};
use core::fmt::{self, Write};

const FIRST_LINE: &str = "renga-node 1";
/// Names of the lines between the first and the last, in the order in which they are written.
const NAMES: [&str; 8] = ["cluster", "system", "placement", "board", "name", "boards", "model", "link"];
const CHECK: &str = "check";
/// Digits of `placement` and of `check`.
const PLACEMENT_DIGITS: usize = 16;
const CHECK_DIGITS: usize = 8;

/// A board's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFile<'a> {
    /// The cluster's name; boards of different clusters are not to be joined.
    pub cluster: &'a str,
    /// The system's name.
    pub system: &'a str,
    /// A number that changes with the system's placement; equal on all boards of a cluster.
    pub placement: u64,
    /// This board's number.
    pub board: u8,
    /// Its name.
    pub name: &'a str,
    /// The names of all boards, in the order of their numbers, separated by commas.
    pub boards: &'a str,
    /// The kind of board that the card is for.
    pub model: Model,
    /// What joins the boards.
    pub link: LinkMode,
}

impl<'a> NodeFile<'a> {
    /// Reads the file; zero bytes behind its last line are none of it.
    ///
    /// # Errors
    /// The first thing that is wrong with it, its checksum first of all.
    pub fn parse(bytes: &'a [u8]) -> Result<NodeFile<'a>, NodeFault> {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let bytes = bytes.get(..end).unwrap_or_default();
        let text = core::str::from_utf8(bytes).ok().filter(|text| text.is_ascii()).ok_or(NodeFault::NotText)?;
        if text.lines().next() != Some(FIRST_LINE) {
            return Err(NodeFault::Version);
        }
        check_sum(text)?;
        let values = values(text)?;
        let [cluster, system, placement, board, name, boards, model, link] = values;
        for (value, called) in [(cluster, "cluster"), (system, "system"), (name, "name")] {
            if !is_name(value) {
                return Err(NodeFault::Value(called));
            }
        }
        let count = boards.split(',').count();
        if count > BOARDS_MAX || !boards.split(',').all(is_name) {
            return Err(NodeFault::Value("boards"));
        }
        let node = NodeFile {
            cluster,
            system,
            placement: hexadecimal(placement, PLACEMENT_DIGITS).ok_or(NodeFault::Value("placement"))?,
            board: board.parse().map_err(|_| NodeFault::Value("board"))?,
            name,
            boards,
            model: Model::named(model).ok_or(NodeFault::Value("model"))?,
            link: LinkMode::named(link).ok_or(NodeFault::Value("link"))?,
        };
        if boards.split(',').nth(usize::from(node.board)) != Some(name) {
            return Err(NodeFault::NotAmongBoards);
        }
        Ok(node)
    }
}

impl fmt::Display for NodeFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Summed::new(f);
        writeln!(out, "{FIRST_LINE}")?;
        writeln!(out, "cluster={}\nsystem={}", self.cluster, self.system)?;
        writeln!(out, "placement={:016x}\nboard={}", self.placement, self.board)?;
        writeln!(out, "name={}\nboards={}", self.name, self.boards)?;
        writeln!(out, "model={}\nlink={}", self.model, self.link)?;
        let sum = out.sum();
        writeln!(f, "{CHECK}={sum:08x}")
    }
}

/// Whether `text` can name a cluster, a system or a board.
fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(letter)
}

/// A number of exactly so many small hexadecimal digits.
fn hexadecimal(text: &str, digits: usize) -> Option<u64> {
    let small = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (text.len() == digits && small).then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

fn check_sum(text: &str) -> Result<(), NodeFault> {
    let last = text.trim_end_matches(['\r', '\n']);
    let at = last.rfind('\n').map_or(0, |at| at + 1);
    let line = last.get(at..).unwrap_or_default();
    let value = line.strip_prefix(CHECK).and_then(|rest| rest.strip_prefix('=')).ok_or(NodeFault::Missing(CHECK))?;
    let found = hexadecimal(value, CHECK_DIGITS).ok_or(NodeFault::Value(CHECK))? as u32;
    let computed = check::of(text.as_bytes().get(..at).unwrap_or_default());
    if found == computed { Ok(()) } else { Err(NodeFault::Check { found, computed }) }
}

/// The values of all lines between the first and the last, in the order of [`NAMES`].
fn values(text: &str) -> Result<[&str; NAMES.len()], NodeFault> {
    let mut values = [None; NAMES.len()];
    let lines = text.lines().count();
    for (number, line) in text.lines().enumerate().take(lines - 1).skip(1) {
        let fault = NodeFault::Line(number + 1);
        let (name, value) = line.split_once('=').ok_or(fault)?;
        let place = NAMES.iter().position(|known| *known == name).ok_or(fault)?;
        let slot = values.get_mut(place).ok_or(fault)?;
        if slot.replace(value).is_some() {
            return Err(NodeFault::Twice(NAMES[place]));
        }
    }
    let mut found = [""; NAMES.len()];
    for (place, value) in values.into_iter().enumerate() {
        found[place] = value.ok_or(NodeFault::Missing(NAMES[place]))?;
    }
    Ok(found)
}
