//! Writing back: changes reach the medium a while after they were made, though nobody asks for it.
//!
//! It sleeps while nothing is changed: the allocator answers when a commit is due.

use renga_proto::allocator::{Allocator, AwaitDue};
use renga_proto::inode::{CommitAll, InodeDirectory};
use renga_rt::{Client, Never};

/// Commits whenever that is due.
pub async fn write_back(mut allocator: Client<Allocator>, mut inode_directory: Client<InodeDirectory>) -> Never {
    loop {
        // Refused by nobody; a commit that fails is due again.
        let _ = allocator.call(AwaitDue {}, ()).await;
        let _ = inode_directory.call(CommitAll { whole: true }, ()).await;
    }
}
