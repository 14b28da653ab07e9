//! The files that programs of a board map: one reference to each at the inode directory, however many use it.
//!
//! A file is known by inode number and generation. Invariant: while it is `held` the directory has one reference of
//! this board for it, and its inode is with process `slot`. When the board of the inodes was started again (`ESTALE`
//! from the router, once) it knows of none of them, so each is asked for anew; one that is gone stays, for those who
//! still use it, but is not held. Inode 0 stands for memory without a file, which the directory knows nothing of: its
//! generation is a number of ours.
//!
//! Not here: calls (`references.rs`), pages (`renga_pages`).

use heapless::Vec;
use renga_abi::Errno;
use renga_proto::inode::{InodeDirectory, Keep, Reactivate, Release};
use renga_rt::Client;

/// Most files that the programs of a board map at a time.
pub const FILES_MAX: usize = 64;

/// Which file: its inode's number, and what tells it from others that had that number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileKey {
    pub ino: u32,
    pub generation: u32,
}

impl FileKey {
    fn is_object(self) -> bool {
        self.ino == 0
    }
}

struct UsedFile {
    key: FileKey,
    slot: u16,
    held: bool,
    uses: u32,
}

/// The directory of inodes, as a keeper of references calls it.
pub type Directory = Client<InodeDirectory, { Keep::BIT | Release::BIT | Reactivate::BIT }>;

/// The files in use.
pub(crate) struct FileReferences {
    directory: Directory,
    files: Vec<UsedFile, FILES_MAX>,
    last_object: u32,
}

impl FileReferences {
    /// None yet.
    pub fn new(directory: Directory) -> Self {
        FileReferences { directory, files: Vec::new(), last_object: 0 }
    }

    /// A new object that one program maps; its number, which is not 0.
    pub fn make_object(&mut self) -> Result<u32, Errno> {
        // At most one more than there are objects.
        loop {
            self.last_object = self.last_object.wrapping_add(1).max(1);
            let key = FileKey { ino: 0, generation: self.last_object };
            if self.find(key).is_none() {
                return self
                    .files
                    .push(UsedFile { key, slot: 0, held: false, uses: 1 })
                    .map_err(|_| Errno::ENFILE)
                    .map(|()| key.generation);
            }
        }
    }

    fn find(&mut self, key: FileKey) -> Option<&mut UsedFile> {
        self.files.iter_mut().find(|file| file.key == key)
    }

    fn add(&mut self, key: FileKey, slot: u16) -> Result<(), Errno> {
        self.files.push(UsedFile { key, slot, held: true, uses: 1 }).map_err(|_| Errno::ENFILE)
    }

    /// Asks for all files anew.
    async fn begin_anew(&mut self) {
        self.files.iter_mut().for_each(|file| file.held = false);
        let mut at = 0;
        // Begins again with each further life of that board.
        while let Some(file) = self.files.get_mut(at) {
            let FileKey { ino, generation } = file.key;
            at += 1;
            if file.key.is_object() {
                continue;
            }
            match self.directory.call(Reactivate { ino, generation }, ()).await {
                Ok(slot) => (file.slot, file.held) = (slot, true),
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
    async fn give_back(&mut self, key: FileKey, slot: u16) -> Result<(), Errno> {
        match self.directory.call(Release { slot, ino: key.ino }, ()).await {
            Err(Errno::ESTALE) => {
                // It was of another life.
                self.begin_anew().await;
                Ok(())
            }
            released => released,
        }
    }

    /// One program more maps a file that something else holds active.
    pub async fn keep(&mut self, key: FileKey, slot: u16) -> Result<(), Errno> {
        if let Some(file) = self.find(key) {
            file.uses += 1;
            let known = file.slot;
            if key.is_object() || (file.held && known == slot) {
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
        if self.files.is_full() {
            return Err(Errno::ENFILE);
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
        self.add(key, slot)
    }

    /// One program less maps it; whether it is an object that is needed no more. `EINVAL`: none does.
    pub async fn release(&mut self, key: FileKey) -> Result<bool, Errno> {
        let index = self.files.iter().position(|file| file.key == key).ok_or(Errno::EINVAL)?;
        self.files[index].uses -= 1;
        if self.files[index].uses > 0 {
            return Ok(false);
        }
        let file = self.files.swap_remove(index);
        let given = if file.held { self.give_back(key, file.slot).await } else { Ok(()) };
        given.map(|()| key.is_object())
    }

    /// The present slot of a file that a program here maps, and of which `slot` turned out not to be the process.
    pub async fn reopen(&mut self, key: FileKey, slot: u16) -> Result<u16, Errno> {
        let known = self.find(key).filter(|file| file.held).map(|file| file.slot);
        if let Some(known) = known.filter(|known| *known != slot) {
            return Ok(known);
        }
        let found = self.ask_anew(key).await?;
        let Some(file) = self.find(key) else {
            self.give_back(key, found).await?;
            return Err(Errno::EINVAL);
        };
        let surplus = file.held && file.slot == found;
        (file.slot, file.held) = (found, true);
        if surplus {
            self.give_back(key, found).await?;
        }
        Ok(found)
    }
}
