//! The files that programs of a board map: one reference to each at the inode directory, however many use it.
//!
//! A file is known by inode number and generation. Invariant: while it is `held` the directory has one reference of
//! this board for it, and its inode is with process `slot`. When the board of the inodes was started again (`ESTALE`
//! from the router, once) it knows of none of them, so each is asked for anew; one that is gone stays, for those who
//! still use it, but is not held. Inode 0 stands for memory without a file, which the directory knows nothing of: its
//! generation is a number of ours.
//!
//! Not here: calls (`references.rs`), pages (`renga_pages`).

use renga_abi::Errno;
use renga_proto::inode::{InodeDirectory, Keep, Reactivate, Release};
use renga_proto::names::{EndUse, UseReference, is_given_back};
use renga_rt::{Client, Local};

/// Most files that the programs of a board map at a time.
pub const FILES_MAX: usize = 2048;
/// Chains by which a file is found; a power of two.
const CHAINS: usize = 256;
/// The end of a chain.
const NONE: u16 = u16::MAX;

/// Which file: its inode's number, and what tells it from others that had that number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileKey {
    pub ino: u32,
    pub generation: u32,
}

impl FileKey {
    fn is_object(self) -> bool {
        self.ino == 0
    }
    fn chain(self) -> usize {
        (self.ino ^ self.generation) as usize % CHAINS
    }
}

/// How an inode is referred to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    /// The inode's process.
    pub slot: u16,
    /// As in `InodeFacts`.
    pub session: u16,
}
impl Reference {
    /// One that the directory of inodes counts.
    const fn to(slot: u16) -> Reference {
        Reference { slot, session: 0 }
    }
}

/// Room for one file. Boot provides [`FILES_MAX`].
#[derive(Clone, Copy, Debug)]
pub struct UsedFile {
    key: FileKey,
    reference: Reference,
    held: bool,
    /// 0: it is free.
    uses: u32,
    /// The next of its chain, or of those that are free.
    next: u16,
}
impl UsedFile {
    /// Of no file.
    pub const EMPTY: UsedFile = UsedFile {
        key: FileKey { ino: 0, generation: 0 },
        reference: Reference::to(0),
        held: false,
        uses: 0,
        next: NONE,
    };
}

/// The directory of inodes, as a keeper of references calls it.
pub type Directory = Client<InodeDirectory, { Keep::BIT | Release::BIT | Reactivate::BIT }>;

/// Who counts uses of references that this board keeps, if it has no disk.
pub type Names = Local<renga_proto::names::Names, { UseReference::BIT | EndUse::BIT }>;

/// The files in use.
pub(crate) struct FileReferences {
    directory: Directory,
    names: Names,
    files: &'static mut [UsedFile],
    chains: [u16; CHAINS],
    /// The first that is free.
    free: u16,
    last_object: u32,
}

impl FileReferences {
    /// None yet, in `files`, of which there are at most [`FILES_MAX`].
    pub fn new(directory: Directory, names: Names, files: &'static mut [UsedFile]) -> Self {
        let count = files.len().min(FILES_MAX);
        for (index, file) in files.iter_mut().enumerate() {
            *file = UsedFile { next: if index + 1 < count { index as u16 + 1 } else { NONE }, ..UsedFile::EMPTY };
        }
        let free = if count > 0 { 0 } else { NONE };
        FileReferences { directory, names, files, chains: [NONE; CHAINS], free, last_object: 0 }
    }

    /// A new object that one program maps; its number, which is not 0.
    pub fn make_object(&mut self) -> Result<u32, Errno> {
        // At most one more than there are objects.
        loop {
            self.last_object = self.last_object.wrapping_add(1).max(1);
            let key = FileKey { ino: 0, generation: self.last_object };
            if self.find(key).is_none() {
                return self.add(key, Reference::to(0), false).map(|()| key.generation);
            }
        }
    }

    fn position(&self, key: FileKey) -> Option<usize> {
        let mut at = self.chains[key.chain()];
        // Bounded by the length of one chain.
        while let Some(file) = self.files.get(usize::from(at)) {
            if file.key == key {
                return Some(at.into());
            }
            at = file.next;
        }
        None
    }

    fn find(&mut self, key: FileKey) -> Option<&mut UsedFile> {
        self.position(key).map(|at| &mut self.files[at])
    }

    fn add(&mut self, key: FileKey, reference: Reference, held: bool) -> Result<(), Errno> {
        let at = self.free;
        let file = self.files.get_mut(usize::from(at)).ok_or(Errno::ENFILE)?;
        self.free = file.next;
        let next = core::mem::replace(&mut self.chains[key.chain()], at);
        *file = UsedFile { key, reference, held, uses: 1, next };
        Ok(())
    }

    fn remove(&mut self, at: usize) -> UsedFile {
        let file = self.files[at];
        let chain = file.key.chain();
        if usize::from(self.chains[chain]) == at {
            self.chains[chain] = file.next;
        } else {
            let mut before = self.chains[chain];
            // It is in this chain.
            while usize::from(self.files[usize::from(before)].next) != at {
                before = self.files[usize::from(before)].next;
            }
            self.files[usize::from(before)].next = file.next;
        }
        self.files[at] = UsedFile { next: self.free, ..UsedFile::EMPTY };
        self.free = at as u16;
        file
    }

    /// Asks for all files anew.
    async fn begin_anew(&mut self) {
        self.files.iter_mut().for_each(|file| file.held = false);
        let mut at = 0;
        // Begins again with each further life of that board.
        while let Some(file) = self.files.get_mut(at) {
            let FileKey { ino, generation } = file.key;
            at += 1;
            if file.key.is_object() || file.uses == 0 {
                continue;
            }
            match self.directory.call(Reactivate { ino, generation }, ()).await {
                Ok(slot) => (file.reference, file.held) = (Reference::to(slot), true),
                Err(Errno::ESTALE) => {
                    self.files.iter_mut().for_each(|file| file.held = false);
                    at = 0;
                }
                Err(_) => {}
            }
        }
    }

    /// A reference to a file that was known; its slot.
    async fn ask_anew(&mut self, key: FileKey) -> Result<u16, Errno> {
        let FileKey { ino, generation } = key;
        let mut found = self.directory.call(Reactivate { ino, generation }, ()).await;
        if found == Err(Errno::ESTALE) {
            self.begin_anew().await;
            found = self.directory.call(Reactivate { ino, generation }, ()).await;
        }
        if found == Err(Errno::ESTALE) {
            self.files.iter_mut().for_each(|file| file.held = false);
        }
        found
    }

    /// Gives a reference back.
    async fn give_back(&mut self, key: FileKey, reference: Reference) -> Result<(), Errno> {
        let Reference { slot, session } = reference;
        if !is_given_back(&mut self.names, key.ino, session).await {
            return Ok(());
        }
        match self.directory.call(Release { slot, ino: key.ino }, ()).await {
            Err(Errno::ESTALE) => {
                // It was of another life.
                self.begin_anew().await;
                Ok(())
            }
            released => released,
        }
    }

    /// Whether the reference has not ended with its session.
    async fn is_of_now(&mut self, ino: u32, reference: Reference) -> bool {
        let Reference { slot, session } = reference;
        let Some(mut names) = self.names.at(0).filter(|_| session != 0) else { return true };
        let Ok(now) = names.call(UseReference { ino, slot }, ()).await else { return false };
        // It was in use already, so that nothing is to be given back.
        let _ = names.call(EndUse { ino, session: now }, ()).await;
        now == session
    }

    /// One program more maps a file that something else holds active.
    pub async fn keep(&mut self, key: FileKey, slot: u16) -> Result<(), Errno> {
        if let Some(&mut UsedFile { reference, held, .. }) = self.find(key) {
            let here = key.is_object() || (held && reference.slot == slot && self.is_of_now(key.ino, reference).await);
            let Some(file) = self.find(key) else { return Err(Errno::EINVAL) };
            file.uses += 1;
            let known = reference.slot;
            if here {
                return Ok(());
            }
            // The reference is of an earlier life.
            let found = self.reopen(key, known).await;
            if found.is_err()
                && let Some(file) = self.find(key)
            {
                file.uses -= 1;
            }
            return found.map(|_| ());
        }
        if key.is_object() {
            return Err(Errno::EINVAL);
        }
        if self.free == NONE {
            return Err(Errno::ENFILE);
        }
        if let Some(mut names) = self.names.at(0)
            && let Ok(session) = names.call(UseReference { ino: key.ino, slot }, ()).await
        {
            return self.add(key, Reference { slot, session }, true);
        }
        let slot = match self.directory.call(Keep { slot, ino: key.ino }, ()).await {
            Ok(()) => slot,
            Err(Errno::ESTALE) => {
                self.begin_anew().await;
                self.ask_anew(key).await?
            }
            // The caller's slot is of an earlier life.
            Err(Errno::EINVAL) => self.ask_anew(key).await?,
            Err(errno) => return Err(errno),
        };
        self.add(key, Reference::to(slot), true)
    }

    /// As `keep`, for a reference that the caller has and gives up.
    pub async fn adopt(&mut self, key: FileKey, reference: Reference) -> Result<(), Errno> {
        let Some(file) = self.find(key) else { return self.add(key, reference, true) };
        // With another session, that of the former reference is over.
        if file.reference.session != 0 && reference.session != 0 && file.reference.session != reference.session {
            (file.reference, file.held, file.uses) = (reference, true, file.uses + 1);
            return Ok(());
        }
        self.keep(key, reference.slot).await?;
        // The board has one already. An error is told to who syncs.
        let _ = self.give_back(key, reference).await;
        Ok(())
    }

    /// One program less maps it; whether it is an object that is needed no more. `EINVAL`: none does.
    pub async fn release(&mut self, key: FileKey) -> Result<bool, Errno> {
        let index = self.position(key).ok_or(Errno::EINVAL)?;
        self.files[index].uses -= 1;
        if self.files[index].uses > 0 {
            return Ok(false);
        }
        let file = self.remove(index);
        let given = if file.held { self.give_back(key, file.reference).await } else { Ok(()) };
        given.map(|()| key.is_object())
    }

    /// The present slot of a file that a program here maps, and of which `slot` turned out not to be the process.
    pub async fn reopen(&mut self, key: FileKey, slot: u16) -> Result<u16, Errno> {
        let known = self.find(key).filter(|file| file.held).map(|file| file.reference.slot);
        if let Some(known) = known.filter(|known| *known != slot) {
            return Ok(known);
        }
        let found = self.ask_anew(key).await?;
        let Some(file) = self.find(key) else {
            self.give_back(key, Reference::to(found)).await?;
            return Err(Errno::EINVAL);
        };
        let surplus = file.held && file.reference.slot == found;
        if !surplus {
            (file.reference, file.held) = (Reference::to(found), true);
        }
        if surplus {
            self.give_back(key, Reference::to(found)).await?;
        }
        Ok(found)
    }
}
