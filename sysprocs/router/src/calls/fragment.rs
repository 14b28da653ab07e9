//! One fragment of a message: its head, and as much of the slice as fits behind it.

use renga_rt::raw::Message;
use renga_wire::Head;

/// Writes a head and as many of the bytes of `data` as fit behind it: the fragment's length, and how
/// many of the bytes.
pub(crate) fn put(head: Head, data: &[u8], room: &mut [u8]) -> (usize, usize) {
    let Ok(bytes) = head.emit(room) else { unreachable!("a head fits into a fragment") };
    let fits = data.len().min(room.len() - bytes);
    if fits > 0 {
        room[bytes..bytes + fits].copy_from_slice(&data[..fits]);
    }
    (bytes + fits, fits)
}

/// The first `count` words of a message, and zeros, which are not sent: the entry has no more words, and what lies
/// behind them is of earlier messages.
#[inline]
pub(crate) fn first_words(words: Message, count: u8) -> Message {
    core::array::from_fn(|at| if at < usize::from(count) { words[at] } else { 0 })
}

/// How much of a message is in fragments already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fragments {
    begun: bool,
    /// No message has more than a `u16` counts.
    bytes: u16,
    /// All of it is.
    pub(crate) complete: bool,
}

impl Fragments {
    /// Writes the next fragment of a message with `data` into `room`, headed by `first` or, after that one, by `more`:
    /// its length, bytes, and whether more follow.
    #[inline]
    pub(crate) fn build(
        &mut self,
        first: impl FnOnce() -> Head,
        more: Head,
        data: &[u8],
        room: &mut [u8],
    ) -> (usize, bool) {
        let head = if core::mem::replace(&mut self.begun, true) { more } else { first() };
        let (bytes, built) = put(head, &data[usize::from(self.bytes)..], room);
        self.bytes += built as u16;
        self.complete = usize::from(self.bytes) == data.len();
        (bytes, !self.complete)
    }
}

#[cfg(test)]
mod tests {
    use super::first_words;

    #[test]
    fn fragment_sends_first_words_only() {
        let words = [1, 2, 3, 4, 5, 6];
        assert_eq!(first_words(words, 0), [0; 6]);
        assert_eq!(first_words(words, 2), [1, 2, 0, 0, 0, 0]);
        assert_eq!(first_words(words, 6), words);
    }
}
