//! Window sizes among the keys, as telnet reports them (RFC 1073).
//!
//! IAC SB NAWS, columns and rows of two bytes each, most significant first, IAC SE. A byte 255 among these comes twice,
//! and so does the key 255. UTF-8 has no such byte, so keys are never delayed. Malformed reports are dropped.
//!
//! Invariant: after any bytes, IAC SE makes the next byte a key again.

use heapless::Vec;
use renga_proto::console::WindowSize;

const IAC: u8 = 255;
const BEGIN: u8 = 250;
const END: u8 = 240;
const WINDOW_SIZE: u8 = 31;
/// The option, two numbers, and one more, which no size has.
const BYTES_MAX: usize = 6;

/// What a byte was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Came {
    Key(u8),
    /// The end of a new size.
    Window(WindowSize),
    /// A part of something else.
    Part,
}

/// What came before.
#[derive(Default)]
pub struct Incoming {
    /// The last byte was IAC.
    escaped: bool,
    /// Between IAC SB and IAC SE: what came.
    inside: Option<Vec<u8, BYTES_MAX>>,
}

impl Incoming {
    pub fn take(&mut self, byte: u8) -> Came {
        let escaped = core::mem::take(&mut self.escaped);
        match (byte, escaped) {
            (IAC, false) => {
                self.escaped = true;
                Came::Part
            }
            (BEGIN, true) => {
                self.inside = Some(Vec::new());
                Came::Part
            }
            (END, true) => self.inside.take().and_then(|bytes| size(&bytes)).map_or(Came::Part, Came::Window),
            (byte, _) => match &mut self.inside {
                None if escaped && byte != IAC => Came::Part,
                None => Came::Key(byte),
                Some(bytes) => {
                    let _ = bytes.push(byte); // full, it is too long for a size, whatever follows
                    Came::Part
                }
            },
        }
    }
}

/// The size that `bytes` say, if they do.
fn size(bytes: &[u8]) -> Option<WindowSize> {
    let &[WINDOW_SIZE, columns_high, columns_low, rows_high, rows_low] = bytes else { return None };
    let number = |high: u8, low: u8| u16::from_be_bytes([high, low]);
    Some(WindowSize { rows: number(rows_high, rows_low), columns: number(columns_high, columns_low) })
}

#[cfg(test)]
mod tests {
    use super::{Came, Incoming, WindowSize};
    use std::vec::Vec;

    fn taken(bytes: &[u8]) -> (Vec<u8>, Vec<(u16, u16)>) {
        let (mut keys, mut sizes, mut incoming) = (Vec::new(), Vec::new(), Incoming::default());
        for &byte in bytes {
            match incoming.take(byte) {
                Came::Key(key) => keys.push(key),
                Came::Window(WindowSize { rows, columns }) => sizes.push((rows, columns)),
                Came::Part => {}
            }
        }
        (keys, sizes)
    }

    #[test]
    fn window_report_is_distinguished_from_keys() {
        let small = [255, 250, 31, 0, 80, 0, 24, 255, 240];
        let odd = [255, 250, 31, 0, 255, 255, 1, 44, 255, 240];
        let all = [&b"a\x1b["[..], &small, b"b", &odd, &[255, 255], b"c"].concat();
        assert_eq!(taken(&all), (b"a\x1b[b\xffc".to_vec(), std::vec![(24, 80), (300, 255)]));
    }

    #[test]
    fn window_malformed_report_is_dropped() {
        for nonsense in [&[255, 250, 31, 0, 80, 255, 240][..], &[255, 250, 24, 1, 255, 240], &[255, 241], &[255, 240]] {
            let (keys, sizes) = taken(&[nonsense, b"x"].concat());
            assert_eq!((&keys[..], sizes.len()), (&b"x"[..], 0), "{nonsense:?}");
        }
        for before in 1..20 {
            let long = [&[255, 250][..], &[7; 20][..before], &[31, 0, 80, 0, 24, 255, 240], b"x"].concat();
            assert_eq!(taken(&long), (b"x".to_vec(), Vec::new()), "{before} bytes before what would be a size");
        }
    }
}
