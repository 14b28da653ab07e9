//! A program's change of mode, owner or times, made in its own board's cache.
//!
//! Not here: the cached attributes (`leased_files.rs`).

use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::pages::{FileId, IN_RECORD, Pages, WriteLeased};
use renga_rt::{Client, Errno};

/// Makes the change in `pages`, if that has the write lease; whether it does.
///
/// # Errors
/// As of any call.
pub async fn change_leased<const ENTRIES: u32>(
    pages: &mut Client<Pages, ENTRIES>,
    file: FileId,
    change: AttributeChange,
) -> Result<bool, Errno> {
    let mut bytes = [0; ATTRIBUTES_BYTES];
    let used = change.put(0, &mut bytes);
    match pages.call(WriteLeased { file, offset: IN_RECORD }, &bytes[..used]).await {
        Err(Errno::ENOLCK) => Ok(false),
        done => done.map(|_| true),
    }
}
