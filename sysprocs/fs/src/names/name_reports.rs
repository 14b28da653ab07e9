//! What a lookup worker reports to those who watch files: names that were made, removed or moved, and the counts of
//! links that change with them.
//!
//! Invariant: a report follows the change, under the exclusive lock of names, so that reports have the order of the
//! changes. Called by: `name_change.rs`, `rename.rs`. Not here: the reports (`change_reports.rs`).

use crate::change_reports::ChangedInode;
use crate::names::worker_state::{InodeReference, LookupWorker};
use renga_proto::inode::NameOf;
use renga_proto::notices::{ATTRIBUTES, MOVED_FROM, MOVED_SELF, MOVED_TO};
use renga_rt::{Errno, apart};

/// A directory, and a name in it.
type InDirectory<'a> = (&'a InodeReference, &'a [u8]);

impl LookupWorker {
    /// The name, which stands or stood for `node`, has changed so.
    pub(crate) async fn report_name(
        &mut self,
        (directory, name): InDirectory<'_>,
        node: &InodeReference,
        (change, cookie): (u32, u32),
    ) {
        let what = ChangedInode { ino: node.ino, parent: directory.ino, is_directory: node.is_directory() };
        if self.reports.watched.inodes.has(what.parent) {
            apart!(self.reports.report(what, change, (name, cookie)));
        }
    }

    /// The count of the links of `node` has changed.
    pub(crate) async fn report_links(&mut self, node: &InodeReference) {
        self.report_self(node, ATTRIBUTES, node.is_directory()).await;
    }

    async fn report_self(&mut self, node: &InodeReference, change: u32, is_directory: bool) {
        if self.reports.watched.inodes.has(node.ino) {
            apart!(self.reports.report(ChangedInode { ino: node.ino, parent: 0, is_directory }, change, (&[], 0)));
        }
    }

    /// A name of inode `child` in inode `directory`; its bytes.
    pub(crate) async fn name_in(&mut self, directory: u32, child: u32, out: &mut [u8]) -> Result<u32, Errno> {
        // 0 would be any.
        if child == 0 {
            return Err(Errno::ENOENT);
        }
        let node = self.begin_at(directory.into()).await?;
        self.inode(node.slot)?.call(NameOf { ino: child }, out).await
    }

    /// `node` has moved, and has taken its new name from `target`.
    pub(crate) async fn report_move(
        &mut self,
        node: &InodeReference,
        (old, new): (InDirectory<'_>, InDirectory<'_>),
        target: Option<&InodeReference>,
    ) {
        let cookie = self.reports.watched.next_move();
        self.report_name(old, node, (MOVED_FROM, cookie)).await;
        self.report_name(new, node, (MOVED_TO, cookie)).await;
        if let Some(target) = target {
            self.report_links(target).await;
        }
        self.report_self(node, MOVED_SELF, false).await;
    }
}
