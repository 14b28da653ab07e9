//! Attributes of a file under the write lease of its program's board: changed in that board's cache, and completed from
//! there.
//!
//! Not here: the cached attributes (`leased_files.rs`).

use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::pages::{CompleteStatus, FileId, IN_RECORD, NO_LEASE, Pages, WriteLeased};
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

/// Completes a `struct stat` that was granted under `lease` of this board; `false`: that lease is over.
///
/// # Errors
/// As of any call.
pub async fn complete_status<const ENTRIES: u32>(
    pages: &mut Client<Pages, ENTRIES>,
    file: FileId,
    lease: u64,
    status: &mut [u8],
) -> Result<bool, Errno> {
    if lease == NO_LEASE {
        return Ok(true);
    }
    match pages.call(CompleteStatus { file, lease }, status).await {
        Err(Errno::ENOLCK) => Ok(false),
        done => done.map(|()| true),
    }
}
