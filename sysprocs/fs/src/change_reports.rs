//! Reports of changes of files to those who watch them (inotify).
//!
//! Invariant: a change is reported when it is made, before its caller goes on; one that nobody watches costs a check
//! of the filter. The server of event files calls nobody, so any process may report to it. Called by: inodes (data,
//! attributes, ends), lookup workers (names), open files of this board (opening, reading, closing). Not here: watches
//! (`renga_clock`).

use renga_proto::events::{Events, NoteChange};
use renga_proto::notices::OF_DIRECTORY;
use renga_rt::{Local, WatchFilters};

/// What is called of the event files.
pub const REPORTS: u32 = NoteChange::BIT;

/// Whom a process reports changes to.
pub(crate) struct ChangeReports {
    pub(crate) watched: &'static WatchFilters,
    events: Local<Events, REPORTS>,
}

/// What has changed.
#[derive(Clone, Copy)]
pub(crate) struct ChangedInode {
    pub(crate) ino: u32,
    /// The directory in which it was found; 0: none hears of it.
    pub(crate) parent: u32,
    pub(crate) is_directory: bool,
}

impl ChangeReports {
    pub(crate) fn new(watched: &'static WatchFilters, events: Local<Events, REPORTS>) -> ChangeReports {
        ChangeReports { watched, events }
    }

    /// Whether the change of the inode of process `slot` may be watched; of a directory, that of a thing in it.
    #[inline(always)]
    pub(crate) fn watches(&self, ino: u32, slot: u16) -> bool {
        self.watched.inodes.is_used() && self.watched.has_inode(ino, self.watched.parent(slot))
    }

    /// Reports a change of what may be watched, with its name if it is of a name.
    pub(crate) async fn report(&mut self, what: ChangedInode, change: u32, (name, cookie): (&[u8], u32)) {
        let ChangedInode { ino, parent, is_directory } = what;
        if !self.watched.has_inode(ino, parent) {
            return;
        }
        if let Some(mut events) = self.events.at(0) {
            let change = change | if is_directory { OF_DIRECTORY } else { 0 };
            // No server refuses it.
            let _ = events.call(NoteChange { ino, parent, change, cookie }, name).await;
        }
    }
}
