//! What is known of the files, and what a program does that meets a fault that it cannot help.
//!
//! Invariant: a file is known only if every change of it was answered, and its program lived to see the answer. In a
//! run without faults no deviation is accepted. Not here: the medium's content (`verdict`).

use crate::program::SimProgram;
use crate::program::numbers::EXIT;
use crate::system::image::FileContents;
use renga_abi::Errno;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Exit status of a program that gave up because of a fault.
pub const GAVE_UP: u8 = 111;
/// How `wait` reports a child whose board failed, and one that wrote to a pipe whose board failed.
pub const KILLED: u32 = 9;
const BROKEN_PIPE: u32 = 13;
/// Likewise of one that a page could not be read for.
const BUS_ERROR: u32 = 7;

/// What faults of boards and of the link may make of a call.
const OF_FAULTS: [Errno; 6] = [Errno::EHOSTDOWN, Errno::ESTALE, Errno::EIO, Errno::EPIPE, Errno::ESRCH, Errno::ECHILD];

/// And what a medium that fails, or has lost what was not synced, may make of one.
const OF_MEDIUM: [Errno; 2] = [Errno::EROFS, Errno::ENOENT];

#[derive(Default)]
struct FileSystemModel {
    tree: FileContents,
    /// What was synced and not touched since: whatever happens, it is there.
    promised: FileContents,
    /// What was not promised may be lost: the medium's board has lost its power, or transfers have failed.
    doubtful: Rc<Cell<bool>>,
    /// Transfers have failed.
    damaged: bool,
    /// All programs have been started.
    begun: bool,
    /// Init is there.
    running: bool,
    unknown: BTreeSet<String>,
    /// Whether boards die, or are out of reach.
    faulty: bool,
    /// Whether boards may lose the disk's out of reach, and live.
    parted: bool,
    /// Whether all that is to happen to boards has happened.
    over: bool,
    /// Actions that programs have begun.
    begun_actions: Rc<Cell<u64>>,
    gave_up: u64,
}

/// The model of the file system. Clones are the same.
#[derive(Clone, Default)]
pub struct KnownFiles(Rc<RefCell<FileSystemModel>>);

impl KnownFiles {
    /// Nothing yet; `faulty`: boards die, or are out of reach; `parted`: those that live may lose the disk's out of
    /// reach.
    pub fn new(faulty: bool, parted: bool) -> KnownFiles {
        KnownFiles(Rc::new(RefCell::new(FileSystemModel { faulty, parted, ..FileSystemModel::default() })))
    }
    /// Of files of a place of its own, of which nothing is known, in the same run.
    pub fn apart(&self) -> KnownFiles {
        let this = self.0.borrow();
        let (faulty, parted) = (this.faulty, this.parted);
        let (doubtful, begun_actions) = (this.doubtful.clone(), this.begun_actions.clone());
        KnownFiles(Rc::new(RefCell::new(FileSystemModel {
            faulty,
            parted,
            doubtful,
            begun_actions,
            ..FileSystemModel::default()
        })))
    }
    /// The file is on the medium with the content that it must have.
    pub fn promise(&self, name: &str) {
        if let Some(content) = self.content(name) {
            self.0.borrow_mut().promised.insert(name.into(), content);
        }
    }
    /// The file is about to be changed.
    pub fn touch(&self, name: &str) {
        self.0.borrow_mut().promised.remove(name);
    }
    /// What must be on the medium whatever has happened.
    pub fn promised(&self) -> FileContents {
        self.0.borrow().promised.clone()
    }
    /// From now on only what was promised must be there; `damaged`: because transfers fail.
    pub fn expect_losses(&self, damaged: bool) {
        let mut this = self.0.borrow_mut();
        this.doubtful.set(true);
        this.damaged |= damaged;
    }
    /// Whether only what was promised must be there.
    pub fn is_uncertain(&self) -> bool {
        self.0.borrow().doubtful.get()
    }
    /// Whether transfers have failed: then changes may be half done.
    pub fn is_damaged(&self) -> bool {
        self.0.borrow().damaged
    }
    /// All programs have been started.
    pub fn set_begun(&self) {
        self.0.borrow_mut().begun = true;
        self.set_running(true);
    }
    /// Init is there, or not any more.
    pub fn set_running(&self, running: bool) {
        self.0.borrow_mut().running = running;
    }
    /// Whether init is there.
    pub fn is_running(&self) -> bool {
        self.0.borrow().running
    }
    /// Whether they have.
    pub fn is_begun(&self) -> bool {
        self.0.borrow().begun
    }
    /// The content that a file must have, if it must be there.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow().tree.get(name).cloned()
    }
    /// Changes the expected content of a file, created if missing.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.0.borrow_mut().tree.entry(name.into()).or_default());
    }
    /// A name is gone.
    pub fn remove(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow_mut().tree.remove(name)
    }
    /// All files.
    pub fn tree(&self) -> FileContents {
        self.0.borrow().tree.clone()
    }
    /// From now on nothing is known of what is below `folder`.
    pub fn forget(&self, folder: &str) {
        self.0.borrow_mut().unknown.insert(folder.into());
    }
    /// Whether anything is known of a file.
    pub fn knows(&self, name: &str) -> bool {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        !self.0.borrow().unknown.contains(folder)
    }
    /// Whether boards die, or are out of reach.
    pub fn is_faulty(&self) -> bool {
        self.0.borrow().faulty
    }
    /// Whether boards may lose the disk's out of reach, and live.
    pub fn is_parted(&self) -> bool {
        self.0.borrow().parted
    }
    /// All that was to happen to boards has happened.
    pub fn set_over(&self) {
        self.0.borrow_mut().over = true;
    }
    /// Whether it has.
    pub fn is_over(&self) -> bool {
        self.0.borrow().over
    }
    /// A program begins its next action.
    pub fn begin_action(&self) {
        let this = self.0.borrow();
        this.begun_actions.set(this.begun_actions.get() + 1);
    }
    /// How many have begun.
    pub fn begun_actions(&self) -> u64 {
        self.0.borrow().begun_actions.get()
    }
    /// Programs that gave up.
    pub fn gave_up(&self) -> u64 {
        self.0.borrow().gave_up
    }

    /// Whether a fault explains this result.
    pub fn explains(&self, errno: Errno) -> bool {
        self.is_faulty() && (OF_FAULTS.contains(&errno) || self.is_uncertain() && OF_MEDIUM.contains(&errno))
    }
    /// Whether a fault explains how a child ended.
    pub fn explains_end(&self, status: u32) -> bool {
        let ends = [KILLED, BROKEN_PIPE, u32::from(GAVE_UP) << 8];
        let unread = self.is_uncertain() || self.is_parted();
        self.is_faulty() && (ends.contains(&status) || unread && status == BUS_ERROR)
    }

    /// What a call returned that fails only because of faults: then `program` gives up, and nothing is known of
    /// `folder` any more.
    pub async fn expect<T>(&self, program: &SimProgram, folder: &str, result: Result<T, Errno>, what: &str) -> T {
        match result {
            Ok(value) => value,
            Err(errno) if self.explains(errno) => self.give_up(program, folder).await,
            Err(errno) => panic!("{what}: {errno:?}"),
        }
    }

    /// Something else than the model says: then `program` gives up if files may have been lost, and that is all.
    pub async fn wrong<T>(&self, program: &SimProgram, folder: &str, what: String) -> T {
        assert!(self.is_uncertain(), "{what}");
        self.give_up(program, folder).await
    }

    /// Ends `program`.
    pub async fn give_up<T>(&self, program: &SimProgram, folder: &str) -> T {
        self.forget(folder);
        self.0.borrow_mut().gave_up += 1;
        let _ = program.call(EXIT, &[u64::from(GAVE_UP)]).await;
        std::future::pending().await
    }
}
