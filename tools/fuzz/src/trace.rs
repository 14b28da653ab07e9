//! Traced runs (`--trace`): refused with the line that is wrong, or held against the rules of sessions.

use renga_model::trace::check;
use renga_model::trace::read::read;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match read(text) {
        Err((line, _)) => assert!(line >= 1 && line <= text.lines().count()),
        Ok(record) => {
            if let Err((place, _)) = check(&record) {
                assert!(place < record.len());
            }
        }
    }
}
