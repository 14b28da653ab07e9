//! From the lines of `renga run --trace` to a record.
//!
//! Invariant: whatever a file contains, it is read or refused with the number of a line. Lines that are not
//! about frames or starts of boards are skipped.

use super::Recorded;
use serde_json::Value;
use std::collections::BTreeMap;

/// Boards of a trace at most: numbers that a frame can name.
const BOARDS_MAX: usize = 15;

/// Reads a trace.
///
/// # Errors
/// The line, counted from 1, that is wrong, and what is wrong with it.
pub fn read(text: &str) -> Result<Vec<Recorded>, (usize, String)> {
    let mut names = BTreeMap::new();
    let mut timed: Vec<(u64, Recorded)> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let wrong = |what: &str| (place + 1, what.to_string());
        let value: Value = serde_json::from_str(line).map_err(|error| (place + 1, error.to_string()))?;
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        match value.get("event").and_then(Value::as_str) {
            Some("start") => {
                let name = value.get("board").and_then(Value::as_str).ok_or_else(|| wrong("no board"))?;
                let at_ns = number("t_ns").ok_or_else(|| wrong("no time"))?;
                // A board without a frame so far has said nothing that could be forgotten.
                if let Some(board) = names.get(name) {
                    timed.push((at_ns, Recorded::Started(*board)));
                }
            }
            Some("frame") => {
                let digits = value.get("frame").and_then(Value::as_str).ok_or_else(|| wrong("no frame"))?;
                let bytes = bytes(digits).ok_or_else(|| wrong("a frame is not hexadecimal"))?;
                let from = value.get("from").and_then(Value::as_str).ok_or_else(|| wrong("no sender"))?;
                let source = bytes.first().map_or(0, |byte| byte & 0xf);
                if names.len() < BOARDS_MAX {
                    names.entry(from.to_string()).or_insert(source);
                }
                let said_ns = number("sent_ns").ok_or_else(|| wrong("no time"))?;
                let to = bytes.first().map_or(0, |byte| byte >> 4);
                if let Some(heard_ns) = number("delivered_ns") {
                    timed.push((heard_ns, Recorded::Heard(to, bytes.clone())));
                }
                timed.push((said_ns, Recorded::Said(source, bytes)));
            }
            _ => {}
        }
    }
    // At the same time a frame is heard before the next is said.
    timed.sort_by_key(|(at_ns, part)| (*at_ns, matches!(part, Recorded::Said(..))));
    Ok(timed.into_iter().map(|(_, part)| part).collect())
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
