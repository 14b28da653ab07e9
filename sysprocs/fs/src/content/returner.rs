//! The content returner: has files taken home that this board has written, when much of that is dirty or frames are scarce.
//!
//! Not here: what is dirty (`renga_pages`), taking it (`inode/write_lease.rs`).

use renga_proto::inode::{Inode, LeaseWrite};
use renga_proto::pages::{CountDirty, Dirty, OldestHeld, Pages};
use renga_rt::{Client, Family, Me, Never};

/// Serves nobody: the page cache of its board wakes it.
pub async fn content_returner(
    mut me: Me,
    mut pages: Client<Pages>,
    mut inodes: Family<Inode, { LeaseWrite::BIT }>,
) -> Never {
    loop {
        me.notified().await;
        let Ok(Dirty { pages: dirty, spare }) = pages.call(CountDirty {}, ()).await else { continue };
        // Each turn takes pages home.
        for _ in spare..dirty {
            let board = (0..inodes.boards()).find(|&board| inodes.count(board) > 0);
            let Ok(oldest) = pages.call(OldestHeld {}, ()).await else { break };
            let Some(mut inode) = board.and_then(|board| inodes.at(board, oldest.slot.into())) else { break };
            // What cannot come stays, until there is room for it or its board is dead.
            if inode.call(LeaseWrite::take_home(oldest.file.ino), ()).await.is_err() {
                break;
            }
            if !pages.call(CountDirty {}, ()).await.is_ok_and(|left| left.pages > left.spare) {
                break;
            }
        }
    }
}
