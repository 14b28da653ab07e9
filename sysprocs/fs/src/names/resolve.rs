//! Telling other boards what paths lead to, and recalling that before it changes.
//!
//! Invariant: what is told is so while the lock of names is held, and the boards that are told are noted before that is given
//! back. Whoever changes a name revokes it first, under the exclusive lock: so no board is told of it until the change has
//! been made. Not here: the notes (`inode/name_holders.rs`, `inode/lending`), who holds (`held`).

use crate::inode::known_path::may_open;
use crate::names::walk::{LookupWorker, Node};
use renga_proto::inode::{
    GiveUp, GrantName, InodeFacts, LeaseStatus, LeasedFacts, NameHolders, STAT_BYTES, SessionWith, Status, TakeHolders,
};
use renga_proto::names::ALL_DIRECTORIES;
use renga_proto::pages::{RevokeNameFrom, RevokeReferenceFrom};
use renga_proto::path::{NO_FOLLOW, Resolve};
use renga_proto::sessions::Stamp;
use renga_rt::{BOARDS_MAX, Errno};

impl LookupWorker {
    /// Walks along `path`, and writes the steps to `out`; how many bytes.
    pub(crate) async fn tell(
        &mut self,
        resolve: Resolve,
        board: u8,
        path: &[u8],
        out: &mut [u8],
    ) -> Result<u32, Errno> {
        self.steps.clear();
        self.lock(false).await;
        self.told = Some(board);
        let found = self.resolve(resolve.at.into(), path, resolve.flags & NO_FOLLOW == 0).await;
        self.told = None;
        let mut status = [0; STAT_BYTES];
        let leased = match found {
            Ok(node) => match self.lease_end(&node, &resolve, board, &mut status).await {
                Ok(leased) => Ok((node, leased)),
                Err(errno) => {
                    self.release(node).await;
                    Err(errno)
                }
            },
            Err(errno) => Err(errno),
        };
        let passed = match &leased {
            Ok((node, _)) if resolve.opens => self.hand_over(node.slot, board).await,
            _ => Ok(()),
        };
        self.unlock().await;
        passed?;
        let ended = match leased {
            Ok((node, leased)) => self.tell_end(node, leased, resolve.opens, &mut status).await,
            Err(errno) => Err(errno),
        };
        if let Err(errno) = ended {
            self.steps.refuse(errno);
        }
        let steps = self.steps.bytes();
        out.get_mut(..steps.len()).ok_or(Errno::EINVAL)?.copy_from_slice(steps);
        Ok(steps.len() as u32)
    }

    /// Tells that `name` in `directory` stands for inode `ino`, or (0) for nothing, if that may be held.
    pub(crate) async fn tell_name(&mut self, board: u8, directory: u32, name: &[u8], ino: u32, kind: u8) {
        let granted = self.steps.has_room_for(name)
            && self.directory.call(GrantName { directory, board }, name).await == Ok(true);
        if granted {
            self.steps.put_name(directory, name, ino, kind);
        }
    }

    /// Under the lock of names: what the inode says at once.
    async fn lease_end(
        &mut self,
        node: &Node,
        resolve: &Resolve,
        board: u8,
        status: &mut [u8],
    ) -> Result<LeasedFacts, Errno> {
        if resolve.opens {
            may_open(node.kind, resolve.flags)?;
        }
        self.inode(node.slot)?.call(LeaseStatus { board }, status).await
    }

    /// Without the lock, as an inode that is lent may have to ask its board, and wait for it.
    async fn tell_end(
        &mut self,
        node: Node,
        leased: LeasedFacts,
        opens: bool,
        status: &mut [u8; STAT_BYTES],
    ) -> Result<(), Errno> {
        let LeasedFacts { mut mode, birth, known, held } = leased;
        let (slot, ino) = (node.slot, node.ino);
        let mut asked = Ok(());
        if opens && !known {
            // The reference is that of who asked.
            mode = self.open_facts(slot).await.map_or(mode, |facts| facts.mode);
        } else if !opens {
            if !known {
                let none: &[u8] = &[];
                asked = match self.inode(slot) {
                    Ok(mut inode) => inode.call(Status {}, (none, &mut status[..])).await,
                    Err(errno) => Err(errno),
                };
            }
            self.release(node).await;
        }
        asked?;
        self.steps.end_at(&InodeFacts { slot, ino, mode, birth, stamp: Stamp::NONE }, held, status);
        Ok(())
    }

    /// Before `name` in `directory` changes: no board holds it when this is over.
    pub(crate) async fn recall_name(&mut self, directory: &Node, name: &[u8]) {
        let aware = self.aware_of(directory);
        let holders = self.directory.call(TakeHolders { directory: directory.ino, aware }, name).await;
        if let Ok(NameHolders { one, all }) = holders {
            self.recall_from(all, ALL_DIRECTORIES, &[]).await;
            self.recall_from(one & !all & !aware, directory.ino, name).await;
        }
    }

    /// No board of `boards` holds names in `directory` when this is over.
    pub(crate) async fn recall_names(&mut self, boards: u8, directory: &Node) {
        self.recall_from(boards, directory.ino, &[]).await;
    }

    /// No board of `boards` keeps a reference to an inode without links that nobody there uses.
    pub(crate) async fn recall_references(&mut self, boards: u8, node: &Node) {
        let (slot, ino) = (node.slot, node.ino);
        for board in (0..BOARDS_MAX as u8).filter(|board| *board != self.board && boards >> board & 1 != 0) {
            let Ok(session) = self.directory.call(SessionWith { board }, ()).await else { continue };
            // One that does not answer is dead: it refers to nothing.
            if self.revocations.call(RevokeReferenceFrom { board, ino }, ()).await == Ok(true) {
                // Refused if the board has no reference any more; the name is off either way.
                let _ = self.directory.call(GiveUp { slot, ino, board, session }, ()).await;
            }
        }
    }

    async fn recall_from(&mut self, mut boards: u8, directory: u32, name: &[u8]) {
        // Each turn tells a board.
        while boards != 0 {
            let board = boards.trailing_zeros() as u8;
            boards &= boards - 1;
            // One that does not answer is dead: it holds nothing.
            let _ = self.revocations.call(RevokeNameFrom { board, directory }, name).await;
        }
    }
}
