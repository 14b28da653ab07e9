//! What programs of this board have made by a lookup worker: what that changes is given up before, and cached again
//! with the answer.
//!
//! Invariant: from the beginning of a make to its end nothing is cached of the name that is made and of the status of
//! its directory, so that the disk's board need not revoke them from here. So nothing that was granted meanwhile, or
//! before, is kept but the answer, and that only if nothing was revoked and nothing else was being made at any time
//! meanwhile: who answers later may know less.
//! Not here: the making (`names/remote_lookup.rs`).

use crate::lease_cache::cache_state::NameCacheState;
use crate::lookup::path_walk::{Until, WalkEnd, walk};
use renga_proto::names::CreationBegun;
use renga_proto::pages::FileId;
use renga_proto::steps;
use renga_proto::steps::WalkStep;
use renga_rt::Errno;

impl NameCacheState {
    pub(super) fn begin_make(&mut self, at: FileId, path: &[u8]) -> Result<CreationBegun, Errno> {
        let (directory, name) = match walk(&mut self.names, at, path, Until::LastName) {
            Ok(WalkEnd { ino, rest, .. }) => (ino, without_slashes(rest)),
            Err(_) => (0, &path[..0]), // a lookup worker says what is wrong
        };
        // What is left may be more than a name.
        let known = !name.is_empty() && !name.contains(&b'/');
        if known && self.names.stands_for_something(directory, name) {
            return Err(Errno::EEXIST);
        }
        let alone = self.makes == 0;
        if !alone {
            self.lose_name(self.made_in);
            self.lose_name(directory);
        }
        self.cache_generation += 1;
        self.makes += 1;
        self.made_in = if alone && known { directory } else { 0 };
        if !known {
            return Ok(CreationBegun { cache_generation: self.cache_generation, directory: 0 });
        }
        self.names.forget(directory, name);
        self.inodes.forget(directory);
        Ok(CreationBegun { cache_generation: self.cache_generation, directory })
    }

    pub(super) fn end_make(&mut self, cache_generation: u64, answer: &[u8]) -> Result<(), Errno> {
        self.makes = self.makes.checked_sub(1).ok_or(Errno::EINVAL)?;
        // Results of calls still under way may be from before this one.
        self.cache_generation += u64::from(self.makes > 0);
        let good = cache_generation == self.cache_generation;
        if good {
            self.keep(answer);
        }
        if !good || !self.holds_what_was_made(answer) {
            self.lose_name(self.made_in);
        }
        self.made_in = 0;
        if good { Ok(()) } else { Err(Errno::ESTALE) }
    }

    fn holds_what_was_made(&mut self, answer: &[u8]) -> bool {
        let created = steps::each(answer).find_map(|step| match step {
            WalkStep::Name { directory, name, .. } if directory == self.made_in => Some((directory, name)),
            _ => None,
        });
        created.is_some_and(|(directory, name)| self.names.stands_for_something(directory, name))
    }
}

fn without_slashes(name: &[u8]) -> &[u8] {
    let slashes = name.iter().rev().take_while(|byte| **byte == b'/').count();
    &name[..name.len() - slashes]
}
