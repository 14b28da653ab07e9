//! The process that recalls pages from the boards' caches, for all inodes of its board: a caller on another board
//! costs that board a proxy with its pages, and inodes are many.
//!
//! Not here: what is recalled from whom (`leases.rs`).

use renga_proto::pages::{Pages, Recall, RecallFrom, Recalls, RecallsCall};
use renga_rt::{Errno, Family, Never, Port};

/// Most lives of a board that one recall is told of.
const LIVES_MAX: u32 = 4;

/// Serves recalls from `caches`.
pub async fn recalls(mut port: Port<Recalls>, mut caches: Family<Pages, { Recall::BIT }>) -> Never {
    loop {
        let RecallsCall::RecallFrom(call) = port.accept().await;
        let RecallFrom { board, file, from, to } = call.entry();
        let left = recall(&mut caches, board, Recall { file, from, to }).await;
        call.reply(left);
    }
}

async fn recall(caches: &mut Family<Pages, { Recall::BIT }>, board: u8, recall: Recall) -> Result<u32, Errno> {
    for _ in 0..LIVES_MAX {
        let left = caches.at(board, 0).ok_or(Errno::EINVAL)?.call(recall, ()).await;
        // It was started again, and may have been granted something since.
        if left != Err(Errno::ESTALE) {
            return left;
        }
    }
    Err(Errno::EHOSTDOWN)
}
