//! What is known of the files, and what a program does that meets a fault that it cannot help.
//!
//! Invariant: a file is known only if every change of it was answered, and its program lived to hear so.
//! In a run without faults nothing is forgiven. Not here: what is on the medium (`judge`).

use crate::program::Program;
use crate::program::numbers::EXIT;
use crate::system::image::Tree;
use renga_abi::Errno;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Exit status of a program that gave up because of a fault.
pub const GAVE_UP: u8 = 111;
/// How `wait` tells of a child whose board died, and of one that wrote to a pipe whose board died.
const KILLED: u32 = 9;
const BROKEN_PIPE: u32 = 13;

/// What faults of boards and of the link may make of a call.
const OF_FAULTS: [Errno; 6] = [Errno::EHOSTDOWN, Errno::ESTALE, Errno::EIO, Errno::EPIPE, Errno::ESRCH, Errno::ECHILD];

#[derive(Default)]
struct Knowledge {
    tree: Tree,
    unknown: BTreeSet<String>,
    /// Whether boards die, or are out of reach.
    faulty: bool,
    /// Whether all that is to happen to boards has happened.
    over: bool,
    gave_up: u64,
}

/// The model of the file system. Clones are the same.
#[derive(Clone, Default)]
pub struct Known(Rc<RefCell<Knowledge>>);

impl Known {
    /// Nothing yet; `faulty`: boards die, or are out of reach.
    pub fn new(faulty: bool) -> Known {
        Known(Rc::new(RefCell::new(Knowledge { faulty, ..Knowledge::default() })))
    }
    /// The content that a file must have, if it must be there.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow().tree.get(name).cloned()
    }
    /// Changes what a file must be, made if it was not there.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(self.0.borrow_mut().tree.entry(name.into()).or_default());
    }
    /// A name is gone.
    pub fn remove(&self, name: &str) -> Option<Vec<u8>> {
        self.0.borrow_mut().tree.remove(name)
    }
    /// All files.
    pub fn tree(&self) -> Tree {
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
    /// All that was to happen to boards has happened.
    pub fn set_over(&self) {
        self.0.borrow_mut().over = true;
    }
    /// Whether it has.
    pub fn is_over(&self) -> bool {
        self.0.borrow().over
    }
    /// Programs that gave up.
    pub fn gave_up(&self) -> u64 {
        self.0.borrow().gave_up
    }

    /// Whether a fault explains this result.
    pub fn explains(&self, errno: Errno) -> bool {
        self.is_faulty() && OF_FAULTS.contains(&errno)
    }
    /// Whether a fault explains how a child ended.
    pub fn explains_end(&self, status: u32) -> bool {
        self.is_faulty() && [KILLED, BROKEN_PIPE, u32::from(GAVE_UP) << 8].contains(&status)
    }

    /// What a call returned that fails only because of faults: then `program` gives up, and nothing is known of
    /// `folder` any more.
    pub async fn expect<T>(&self, program: &Program, folder: &str, result: Result<T, Errno>, what: &str) -> T {
        match result {
            Ok(value) => value,
            Err(errno) if self.explains(errno) => self.give_up(program, folder).await,
            Err(errno) => panic!("{what}: {errno:?}"),
        }
    }

    /// Ends `program`.
    pub async fn give_up<T>(&self, program: &Program, folder: &str) -> T {
        self.forget(folder);
        self.0.borrow_mut().gave_up += 1;
        let _ = program.call(EXIT, &[u64::from(GAVE_UP)]).await;
        std::future::pending().await
    }
}
