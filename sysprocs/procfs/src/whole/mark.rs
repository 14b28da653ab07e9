//! `/proc/renga/mark`: the word that is written there names the phase of the run that begins.
//!
//! Invariant: nothing is kept; a probe records word and time, for traces and for `renga bench compare`.

use crate::server::ProcFilesState;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

renga_rt::probe! {
    /// A phase begins: its name, the first byte lowest, then zeros.
    Mark = "mark" [8, 8];
}

/// Longest word.
const WORD_BYTES_MAX: usize = 16;

impl<M: UserMemory> ProcFilesState<M> {
    /// Records the word. `EINVAL`: it is none, too long, or more than one.
    pub(super) fn mark(&self, text: &[u8]) -> Result<(), Errno> {
        let [first, rest] = word(text).ok_or(Errno::EINVAL)?;
        self.me.probe(Mark, [first, rest]);
        Ok(())
    }
}

/// The one word that `text` has, as two numbers.
fn word(text: &[u8]) -> Option<[u64; 2]> {
    let word = text.trim_ascii();
    if word.is_empty() || word.len() > WORD_BYTES_MAX || !word.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let mut bytes = [0; WORD_BYTES_MAX];
    bytes[..word.len()].copy_from_slice(word);
    let (halves, _) = bytes.as_chunks::<8>();
    Some([u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])])
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn mark_is_one_word_of_16_bytes_at_most() {
        assert_eq!(word(b" load\n"), Some([u64::from_le_bytes(*b"load\0\0\0\0"), 0]));
        assert_eq!(word(b"0123456789abcdef").map(|[_, rest]| rest.to_le_bytes()), Some(*b"89abcdef"));
        for bad in [&b""[..], b"\n", b"two words", b"0123456789abcdefg", b"caf\xe9"] {
            assert_eq!(word(bad), None, "{}", bad.escape_ascii());
        }
    }
}
