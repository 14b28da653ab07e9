//! What programs of this board have made by a walker: what that changes is given up before, and held again with the answer.
//!
//! Invariant: from the beginning of a make to its end nothing is held of the name that is made and of the status of its
//! directory, so that the disk's board need not recall them from here. So nothing that was told meanwhile, or before, is kept but
//! the answer, and that only if nothing was recalled and nothing else was being made at any time meanwhile: who answers later
//! may know less.
//! Not here: the making (`names/making.rs`).

use crate::format::inode_record::{DIRECTORY, TYPE_MASK};
use crate::held::name_cache::State;
use crate::inode::known_path::{Reached, Until, walk};
use renga_proto::names::MakeBegun;
use renga_proto::pages::FileId;
use renga_proto::steps::{self, Step};
use renga_rt::Errno;

impl State {
    pub(super) fn begin_make(&mut self, at: FileId, path: &[u8]) -> Result<MakeBegun, Errno> {
        let (directory, name) = match walk(&mut self.names, at, path, Until::LastName) {
            Ok(Reached { ino, rest, .. }) => (ino, without_slashes(rest)),
            Err(_) => (0, &path[..0]), // a walker says what is wrong
        };
        // What is left may be more than a name.
        let known = !name.is_empty() && !name.contains(&b'/');
        if known && self.names.stands_for_something(directory, name) {
            return Err(Errno::EEXIST);
        }
        self.ticket += 1;
        self.makes += 1;
        if !known {
            self.made_in = 0;
            return Ok(MakeBegun { ticket: self.ticket, directory: 0 });
        }
        let complete = self.makes == 1 && self.inodes.is_complete(directory);
        self.made_in = if complete { directory } else { 0 };
        self.names.forget(directory, name);
        self.inodes.forget(directory);
        Ok(MakeBegun { ticket: self.ticket, directory })
    }

    pub(super) fn end_make(&mut self, ticket: u64, told: &[u8]) -> Result<(), Errno> {
        self.makes = self.makes.checked_sub(1).ok_or(Errno::EINVAL)?;
        // What those are told that are still under way may be from before this one.
        self.ticket += u64::from(self.makes > 0);
        if ticket != self.ticket {
            return Err(Errno::ESTALE);
        }
        self.keep(told);
        self.note_complete(told);
        Ok(())
    }

    /// All names are held of a directory that was made, as it has none, and still of the one in which something was.
    fn note_complete(&mut self, mut told: &[u8]) {
        let mut held = false;
        // Each turn passes a step.
        while let Some((step, rest)) = steps::first(told) {
            match step {
                Step::Name { directory, name, .. } => {
                    held = directory == self.made_in && self.names.stands_for_something(directory, name);
                }
                Step::Folder { facts, .. } if held => self.inodes.set_complete(facts.ino, facts.ino == self.made_in),
                Step::Inode { facts, held: true, .. } if facts.mode & TYPE_MASK == DIRECTORY => {
                    self.inodes.set_complete(facts.ino, true);
                }
                _ => {}
            }
            told = rest;
        }
        self.made_in = 0;
    }
}

fn without_slashes(name: &[u8]) -> &[u8] {
    let slashes = name.iter().rev().take_while(|byte| **byte == b'/').count();
    &name[..name.len() - slashes]
}
