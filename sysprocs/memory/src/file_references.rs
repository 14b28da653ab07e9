//! The files that programs of a board map: one reference to each at the inode directory, however many use it.
//!
//! A file is known by inode number and generation. Invariant: while the session in which its reference was got is the
//! present one, that counts once, at the directory or at the board's name cache, and its inode is with process `slot`.
//! With a session all of them end, so each is reactivated; one that is gone stays, for those who still use it, but
//! without a reference. The router says once that a session is over (`ESTALE`), maybe long after: only origins
//! say what is good. Inode 0 stands for memory without a file, which the directory knows nothing of: its generation is
//! a number of ours.
//!
//! Not here: calls (`references.rs`), pages (`renga_pages`).

use renga_abi::Errno;
use renga_proto::inode::{InodeDirectory, Keep, Reactivate, Release};
use renga_proto::inode_release::give_back;
use renga_proto::names::{AddCachedReference, ReleaseCachedReference};
use renga_proto::pages::FileId;
use renga_proto::sessions::{ReferenceOrigin, Sessions};
use renga_rt::linked_list::{self, RowNumber};
use renga_rt::{Client, Local};

/// Most files that the programs of a board map at a time.
pub const FILES_MAX: usize = 2048;
/// Chains by which a file is found; a power of two.
const CHAINS: usize = 256;

/// The chain of a file.
fn chain(file: FileId) -> usize {
    (file.ino ^ file.generation) as usize % CHAINS
}

/// How an inode is referred to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    /// The inode's process.
    pub slot: u16,
    /// When it was got, and who counts it.
    pub origin: ReferenceOrigin,
}

/// Room for one file. Boot provides [`FILES_MAX`].
#[derive(Clone, Copy, Debug)]
pub struct UsedFile {
    key: FileId,
    /// None: it was not to be had.
    reference: Option<Reference>,
    /// 0: it is free.
    count: u32,
    /// A program was started from it since it is in use.
    runs: bool,
    /// The next of its chain, or of those that are free.
    next: u16,
}
impl UsedFile {
    /// Of no file.
    pub const EMPTY: UsedFile = UsedFile { key: FileId::ANY, reference: None, count: 0, runs: false, next: u16::NONE };

    fn next(&mut self) -> &mut u16 {
        &mut self.next
    }
}

/// The directory of inodes, as a keeper of references calls it.
pub type DirectoryClient = Client<InodeDirectory, { Keep::BIT | Release::BIT | Reactivate::BIT }>;

/// The name cache, which counts uses of this board's references, if it has no disk.
pub type Names = Local<renga_proto::names::Names, { AddCachedReference::BIT | ReleaseCachedReference::BIT }>;

/// The files in use.
pub(crate) struct FileReferences {
    directory: DirectoryClient,
    names: Names,
    sessions: &'static Sessions,
    /// The session in which all files were reactivated.
    session: u32,
    files: &'static mut [UsedFile],
    chains: [u16; CHAINS],
    /// The first that is free.
    free: u16,
    last_object: u32,
}

impl FileReferences {
    /// None yet, in `files`, of which there are at most [`FILES_MAX`].
    pub fn new(
        directory: DirectoryClient,
        names: Names,
        files: &'static mut [UsedFile],
        sessions: &'static Sessions,
    ) -> Self {
        let (chains, mut free) = ([u16::NONE; CHAINS], u16::NONE);
        files.fill(UsedFile::EMPTY);
        for index in (0..files.len().min(FILES_MAX)).rev() {
            linked_list::chain(files, &mut free, UsedFile::next, index as u16);
        }
        let session = sessions.now(directory.server().board.0);
        FileReferences { directory, names, sessions, session, files, chains, free, last_object: 0 }
    }

    /// A new object that one program maps; its number, which is not 0.
    pub fn make_object(&mut self) -> Result<u32, Errno> {
        // At most one more than there are objects.
        loop {
            self.last_object = self.last_object.wrapping_add(1).max(1);
            let key = FileId::object(self.last_object);
            if self.find(key).is_none() {
                return self.add(key, None).map(|()| key.generation);
            }
        }
    }

    fn position(&self, key: FileId) -> Option<usize> {
        let first = self.chains[chain(key)];
        linked_list::find(self.files, first, |file| file.next, |file| file.key == key).map(usize::from)
    }

    fn find(&mut self, key: FileId) -> Option<&mut UsedFile> {
        self.position(key).map(|at| &mut self.files[at])
    }

    fn add(&mut self, key: FileId, reference: Option<Reference>) -> Result<(), Errno> {
        let at = self.free;
        let file = self.files.get_mut(usize::from(at)).ok_or(Errno::ENFILE)?;
        self.free = file.next;
        *file = UsedFile { key, reference, count: 1, ..UsedFile::EMPTY };
        linked_list::chain(self.files, &mut self.chains[chain(key)], UsedFile::next, at);
        Ok(())
    }

    fn remove(&mut self, at: u16) -> UsedFile {
        let file = self.files[at.at()];
        linked_list::unchain(self.files, &mut self.chains[chain(file.key)], UsedFile::next, at);
        self.files[at.at()] = UsedFile::EMPTY;
        linked_list::chain(self.files, &mut self.free, UsedFile::next, at);
        file
    }

    fn board(&self) -> u8 {
        self.directory.server().board.0
    }

    /// The reference by which a file can be called now.
    fn good(&mut self, key: FileId) -> Option<Reference> {
        let (sessions, board) = (self.sessions, self.board());
        let reference = self.find(key)?.reference;
        reference.filter(|reference| sessions.is_good(board, reference.origin))
    }

    /// After the end of a session: reactivates all files.
    async fn renew_session(&mut self) {
        let board = self.board();
        let (mut at, mut now) = (0, self.sessions.now(board));
        // Begins again with each further end.
        while self.session != now {
            let Some(file) = self.files.get(at) else {
                self.session = now;
                return;
            };
            let key = file.key;
            if !key.is_object() && file.count > 0 && self.good(key).is_none() {
                match self.ask(key).await {
                    Err(Errno::EHOSTDOWN) => return, // with the next call
                    found => self.files[at].reference = found.ok(),
                }
            }
            at += 1;
            if now != self.sessions.now(board) {
                (at, now) = (0, self.sessions.now(board));
            }
        }
    }

    /// A further reference to a file that was known.
    async fn ask(&mut self, key: FileId) -> Result<Reference, Errno> {
        let FileId { ino, generation } = key;
        let mut repeated = false;
        loop {
            let origin = self.sessions.origin(self.board());
            match self.directory.call(Reactivate { ino, generation }, ()).await {
                // The router reports the end of a session once.
                Err(Errno::ESTALE) if !core::mem::replace(&mut repeated, true) => {}
                found => return found.map(|slot| Reference { slot, origin }),
            }
        }
    }

    /// As `ask`, for a file that another reference here keeps active in process `slot`, unless that is of an earlier
    /// session.
    async fn refer(&mut self, key: FileId, slot: u16) -> Result<Reference, Errno> {
        let FileId { ino, generation } = key;
        if let Some(mut names) = self.names.at(0)
            && let Ok(session) = names.call(AddCachedReference { ino, generation, slot }, ()).await
        {
            return Ok(Reference { slot, origin: ReferenceOrigin { session, kept: true } });
        }
        let origin = self.sessions.origin(self.board());
        match self.directory.call(Keep { slot, ino }, ()).await {
            Ok(()) => Ok(Reference { slot, origin }),
            Err(Errno::EINVAL | Errno::ESTALE) => self.ask(key).await,
            Err(errno) => Err(errno),
        }
    }

    async fn give_back(&mut self, key: FileId, reference: Reference) -> Result<(), Errno> {
        let of = (key.ino, reference.slot, reference.origin);
        give_back(&mut self.names, &mut self.directory, self.sessions, of).await
    }

    /// One program more maps a file that another reference keeps active.
    pub async fn keep(&mut self, key: FileId, slot: u16) -> Result<(), Errno> {
        self.renew_session().await;
        if self.find(key).is_some() {
            if !key.is_object() {
                self.reopen(key).await?;
            }
            self.find(key).into_iter().for_each(|file| file.count += 1);
            return Ok(());
        }
        if key.is_object() {
            return Err(Errno::EINVAL);
        }
        if self.free == u16::NONE {
            return Err(Errno::ENFILE);
        }
        let reference = self.refer(key, slot).await?;
        self.add(key, Some(reference))?;
        self.renew(key).await;
        Ok(())
    }

    /// Renews the new reference too, if its session has ended after all others were renewed.
    async fn renew(&mut self, key: FileId) {
        if self.good(key).is_none() {
            // The next fault reports what is wrong.
            let _ = self.reopen(key).await;
        }
    }

    /// As `keep`, for a reference that the caller has and gives up.
    pub async fn take_over(&mut self, key: FileId, reference: Reference) -> Result<(), Errno> {
        self.renew_session().await;
        let known = self.good(key).is_some();
        match self.find(key) {
            None => self.add(key, Some(reference))?,
            Some(file) => {
                file.count += 1;
                file.reference = file.reference.filter(|_| known).or(Some(reference));
            }
        }
        if !known {
            self.renew(key).await;
            return Ok(());
        }
        // The board has one already. The next sync reports an error.
        let _ = self.give_back(key, reference).await;
        Ok(())
    }

    /// A program runs `key`.
    pub fn note_program(&mut self, key: FileId) {
        self.find(key).into_iter().for_each(|file| file.runs = true);
    }

    /// A program runs the file of inode `ino`, whichever generation is in use.
    pub fn note_program_of(&mut self, ino: u32) {
        self.files.iter_mut().filter(|file| file.count > 0 && file.key.ino == ino).for_each(|file| file.runs = true);
    }

    /// Whether a program runs `key`.
    pub fn runs(&self, key: FileId) -> bool {
        self.position(key).is_some_and(|at| self.files[at].runs)
    }

    /// One program less maps it; whether it is an object that is needed no more. `EINVAL`: none does.
    pub async fn release(&mut self, key: FileId) -> Result<bool, Errno> {
        let index = self.position(key).ok_or(Errno::EINVAL)?;
        self.files[index].count -= 1;
        if self.files[index].count > 0 {
            return Ok(false);
        }
        let file = self.remove(index as u16);
        self.renew_session().await;
        if let Some(reference) = file.reference {
            self.give_back(key, reference).await?;
        }
        Ok(key.is_object())
    }

    /// The present slot of a file that a program here maps, and of which some other was tried in vain.
    pub async fn reopen(&mut self, key: FileId) -> Result<u16, Errno> {
        self.renew_session().await;
        if let Some(reference) = self.good(key) {
            return Ok(reference.slot);
        }
        if self.find(key).is_none() {
            return Err(Errno::EINVAL);
        }
        let reference = self.ask(key).await?;
        self.find(key).into_iter().for_each(|file| file.reference = Some(reference));
        Ok(reference.slot)
    }
}
