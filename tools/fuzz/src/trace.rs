//! Traced runs (`--trace`): refused with the place of the error, or checked against the rules of sessions.

use renga_model::trace::check;
use renga_model::trace::read::read;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    match read(bytes) {
        Err(bad) => assert!(bad.at <= bytes.len()),
        Ok(record) => {
            if let Err((place, _)) = check(&record) {
                assert!(place < record.len());
            }
        }
    }
}
