//! Which process has the inode of an open file: in this session, and after the end of one.
//!
//! Invariant: this process calls an inode only by a reference that is valid in the session of the call: it checks the
//! reference's origin first, and if the session ends in between the router refuses the call (`ESTALE`). The router
//! may also report a session that ended before the reference was granted: then the call is repeated. Not here: the
//! calls (`on_inode` in `open_file.rs`).

use crate::file::loss_mark::LossMark;
use crate::file::open_file::{FileClients, INODE, OpenFile};
use renga_hal::memory::UserMemory;
use renga_proto::inode::{Inode, Reactivate};
use renga_proto::inode_release::give_back;
use renga_rt::{Client, Errno};

/// A call to the inode; again if the end of an earlier session was reported, or if the inode had to be reopened.
macro_rules! on_inode {
    ($state:expr, $entry:expr, $lends:expr) => {{
        let mut tries = $crate::file::inode_session::Tries::default();
        loop {
            let reply = match $state.inode()? {
                Some(mut inode) => inode.call($entry, $lends).await,
                None => Err(Errno::ESTALE),
            };
            if reply.as_ref().err() != Some(&Errno::ESTALE) || !$state.find_again(&mut tries).await? {
                break reply.map_err($crate::file::inode_session::of_the_disk);
            }
        }
    }};
}

pub(super) use on_inode;

/// What was done already about a call that was answered with `ESTALE`.
#[derive(Default)]
pub(super) struct Tries {
    reported: bool,
    reopened: bool,
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// The inode's process, if it is known in this session.
    pub(super) fn inode(&mut self) -> Result<Option<Client<Inode, INODE>>, Errno> {
        self.check()?;
        let Some(slot) = self.slot.filter(|_| self.is_good()) else { return Ok(None) };
        self.clients.inodes.at(self.board, usize::from(slot)).map(Some).ok_or(Errno::EIO)
    }

    /// Whether the reference to the inode has not ended with its session.
    fn is_good(&self) -> bool {
        self.sessions.is_good(self.board, self.origin)
    }

    /// After `ESTALE`: whether the call is to be made again.
    pub(super) async fn find_again(&mut self, tries: &mut Tries) -> Result<bool, Errno> {
        let known = self.slot.is_some() && self.is_good();
        if known && !core::mem::replace(&mut tries.reported, true) {
            return Ok(true); // it was about an earlier session
        }
        let again = !core::mem::replace(&mut tries.reopened, true);
        if again {
            self.reopen().await?;
        } else {
            self.forget_inode().await;
        }
        Ok(again)
    }

    /// The inode's process is not the one that was known.
    pub(super) async fn forget_inode(&mut self) {
        self.lost |= core::mem::take(&mut self.written);
        self.loss_mark = LossMark::UNKNOWN;
        self.let_go().await;
    }

    /// Gives the reference to the inode back, if there still is one.
    pub(super) async fn let_go(&mut self) {
        let FileClients { names, inode_directory, .. } = &mut self.clients;
        if let Some(slot) = self.slot.take() {
            // It is this process's own, so that it is not refused.
            let _ = give_back(names, inode_directory, self.sessions, (self.ino, slot, self.origin)).await;
        }
    }

    /// Reopens the inode. Until that succeeds no process is called.
    async fn reopen(&mut self) -> Result<(), Errno> {
        self.forget_inode().await;
        let wanted = Reactivate { ino: self.ino, generation: self.generation };
        let mut origin = self.sessions.origin(self.board);
        let mut found = self.clients.inode_directory.call(wanted, ()).await;
        if found == Err(Errno::ESTALE) {
            // The router reports the end of a session once, instead of the call.
            origin = self.sessions.origin(self.board);
            found = self.clients.inode_directory.call(wanted, ()).await;
        }
        // To the program this is not about a name.
        let reported = |errno| if errno == Errno::ENOENT { Errno::ESTALE } else { of_the_disk(errno) };
        (self.slot, self.origin) = (Some(found.map_err(reported)?), origin);
        Ok(())
    }
}

/// What a caller is notified of an error of the inodes' board: one that has died is not this one.
pub(super) fn of_the_disk(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::EIO } else { errno }
}
