//! System files: whatever is written in one, it is refused with a message or becomes tables.

use renga_placement::{KindFacts, check, code_kinds, parse};
use std::cell::OnceCell;

/// Longest file that is tried, bytes: as long as any that a person writes.
const TEXT_BYTES_MAX: usize = 4096;

thread_local! {
    static KINDS: OnceCell<Vec<KindFacts>> = const { OnceCell::new() };
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.len() > TEXT_BYTES_MAX {
        return;
    }
    let checked = parse(text).and_then(|system| KINDS.with(|kinds| check(&system, kinds.get_or_init(code_kinds))));
    match checked {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(checked) => {
            for (place, board) in checked.boards.iter().enumerate() {
                assert_eq!(checked.instances(place).len(), checked.process_count(place), "{}", board.name);
            }
            assert!(!checked.to_blob().is_empty() && !checked.to_text().is_empty() && !checked.to_dot().is_empty());
        }
    }
}
