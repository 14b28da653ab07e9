//! Whose a program is: its user and group ids, and what they allow.
//!
//! Invariant: the rules are Linux's (credentials(7)), with this difference: all capabilities are those of the effective
//! user 0, and over files those of the file-system user 0; nobody else has any. Not here: the system calls
//! (`user/facts/users.rs`), walks along paths (`user/files/permitted_path.rs`).

use crate::user::state::fields::{half_at, int_at};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::open_flags::{O_ACCMODE, O_RDONLY, O_TRUNC, O_WRONLY, S_IFCHR, S_IFDIR, S_IFMT, S_IFREG};
use heapless::Vec;
use renga_proto::inode::{InodeOwner, STAT_BYTES};
use renga_proto::procs::Users;
use renga_proto::stat::{MODE_AT, OWNER_AT};
use renga_proto::terminals::PairFacts;
use renga_rt::Errno;

/// Further groups that a program may be in.
pub const GROUPS_MAX: usize = 32;
/// As an id: it stays, or it is none.
pub const KEEP: u32 = u32::MAX;
/// What a program may want of a file, in the bits of a mode's last digit.
pub const MAY_EXECUTE: u32 = 1;
pub const MAY_WRITE: u32 = 2;
pub const MAY_READ: u32 = 4;
const EXECUTE_BITS: u16 = 0o111;
const SET_USER: u16 = 0o4000;
const SET_GROUP: u16 = 0o2000;
const GROUP_MAY_EXECUTE: u16 = 0o010;
const STICKY: u16 = 0o1000;
const OTHERS_MAY_WRITE: u16 = 0o002;

/// The four ids of a kind, users or groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ids {
    pub real: u32,
    pub effective: u32,
    pub saved: u32,
    /// For files.
    pub files: u32,
}

impl Ids {
    pub const fn all(id: u32) -> Ids {
        Ids { real: id, effective: id, saved: id, files: id }
    }

    fn has(self, id: u32) -> bool {
        [self.real, self.effective, self.saved].contains(&id)
    }

    /// `setuid`, of a program that is `privileged` or not.
    pub fn set(self, privileged: bool, id: u32) -> Result<Ids, Errno> {
        match () {
            () if id == KEEP => Err(Errno::EINVAL),
            () if privileged => Ok(Ids::all(id)),
            () if id == self.real || id == self.saved => Ok(Ids { effective: id, files: id, ..self }),
            () => Err(Errno::EPERM),
        }
    }

    /// `setreuid`.
    pub fn set_two(self, privileged: bool, real: u32, effective: u32) -> Result<Ids, Errno> {
        let mut new = self;
        if real != KEEP {
            if !privileged && real != self.real && real != self.effective {
                return Err(Errno::EPERM);
            }
            new.real = real;
        }
        if effective != KEEP {
            if !privileged && !self.has(effective) {
                return Err(Errno::EPERM);
            }
            new.effective = effective;
        }
        if real != KEEP || (effective != KEEP && effective != self.real) {
            new.saved = new.effective;
        }
        Ok(Ids { files: new.effective, ..new })
    }

    /// `setresuid`.
    pub fn set_three(self, privileged: bool, [real, effective, saved]: [u32; 3]) -> Result<Ids, Errno> {
        if !privileged && [real, effective, saved].into_iter().any(|id| id != KEEP && !self.has(id)) {
            return Err(Errno::EPERM);
        }
        let new = |id: u32, old: u32| if id == KEEP { old } else { id };
        let effective = new(effective, self.effective);
        Ok(Ids { real: new(real, self.real), effective, saved: new(saved, self.saved), files: effective })
    }

    /// `setfsuid`, which has no error.
    pub fn set_files(self, privileged: bool, id: u32) -> Ids {
        let allowed = id != KEEP && (privileged || id == self.files || self.has(id));
        Ids { files: if allowed { id } else { self.files }, ..self }
    }

    /// For another program: the saved id is the effective one.
    fn after_exec(self, given: Option<u32>) -> Ids {
        let effective = given.unwrap_or(self.effective);
        Ids { real: self.real, effective, saved: effective, files: effective }
    }

    fn to_words(self) -> [u64; 2] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [pair(self.real, self.effective), pair(self.saved, self.files)]
    }

    fn of_words([first, second]: [u64; 2]) -> Ids {
        let half = |word: u64| (word as u32, (word >> 32) as u32);
        let ((real, effective), (saved, files)) = (half(first), half(second));
        Ids { real, effective, saved, files }
    }
}

/// What a file's status says of who may use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileAccess {
    pub mode: u16,
    pub uid: u32,
    pub gid: u32,
}

impl FileAccess {
    pub fn of_status(status: &[u8; STAT_BYTES]) -> FileAccess {
        let [uid, gid] = [OWNER_AT, OWNER_AT + 4].map(|at| int_at(status, at));
        FileAccess { mode: half_at(status, MODE_AT), uid, gid }
    }

    pub fn of_pair(facts: &PairFacts) -> FileAccess {
        FileAccess { mode: S_IFCHR | facts.mode, uid: facts.user, gid: facts.group }
    }

    pub fn is_directory(self) -> bool {
        self.mode & S_IFMT == S_IFDIR
    }
}

/// What opening with such flags wants of the file.
pub fn wanted_by(flags: u32) -> u32 {
    let cuts = if flags & O_TRUNC != 0 { MAY_WRITE } else { 0 };
    cuts | match flags & O_ACCMODE {
        O_RDONLY => MAY_READ,
        O_WRONLY => MAY_WRITE,
        _ => MAY_READ | MAY_WRITE,
    }
}

/// Whose a program is; at first root's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Credentials {
    pub users: Ids,
    pub groups: Ids,
    /// The groups that it is in besides, in order.
    pub others: Vec<u32, GROUPS_MAX>,
    /// No exec gives it more rights (`PR_SET_NO_NEW_PRIVS`).
    pub gains_nothing: bool,
}

impl Credentials {
    /// Whether it may do what only root may, but for files.
    pub fn is_root(&self) -> bool {
        self.users.effective == 0
    }

    /// For who keeps processes.
    pub fn users(&self) -> Users {
        Users { real: self.users.real, effective: self.users.effective }
    }

    /// Whether no file refuses it.
    #[inline]
    pub fn rules_files(&self) -> bool {
        self.users.files == 0
    }

    pub fn is_in_group(&self, gid: u32) -> bool {
        gid == self.groups.files || self.others.contains(&gid)
    }

    pub fn is_owner(&self, of: FileAccess) -> bool {
        self.rules_files() || of.uid == self.users.files
    }

    /// Whether the bits of a mode allow all of `wanted`.
    pub fn permits(&self, of: FileAccess, wanted: u32) -> bool {
        if self.rules_files() {
            return wanted & MAY_EXECUTE == 0 || of.is_directory() || of.mode & EXECUTE_BITS != 0;
        }
        let shift = match () {
            () if of.uid == self.users.files => 6,
            () if self.is_in_group(of.gid) => 3,
            () => 0,
        };
        wanted & !u32::from(of.mode >> shift & 7) == 0
    }

    /// `EACCES` unless they do.
    pub fn allow(&self, of: FileAccess, wanted: u32) -> Result<(), Errno> {
        if self.permits(of, wanted) { Ok(()) } else { Err(Errno::EACCES) }
    }

    /// Whether it may remove the name of `file` from `directory`.
    pub fn allow_removal(&self, directory: FileAccess, file: FileAccess) -> Result<(), Errno> {
        self.allow(directory, MAY_WRITE | MAY_EXECUTE)?;
        let sticky = directory.mode & STICKY != 0;
        if sticky && !self.is_owner(directory) && !self.is_owner(file) { Err(Errno::EPERM) } else { Ok(()) }
    }

    /// Whether it may give `file` another name: it need not be its own if it could read and write it, and no exec of it
    /// gives rights (Linux's `protected_hardlinks`).
    pub fn allow_link(&self, file: FileAccess) -> Result<(), Errno> {
        let group = SET_GROUP | GROUP_MAY_EXECUTE;
        let gives_rights = file.mode & SET_USER != 0 || file.mode & group == group;
        let is_safe = file.mode & S_IFMT == S_IFREG && !gives_rights && self.permits(file, MAY_READ | MAY_WRITE);
        if is_safe || self.is_owner(file) { Ok(()) } else { Err(Errno::EPERM) }
    }

    /// Whether a path of its may end with that link of that directory: not with any that others have put where all may
    /// (Linux's `protected_symlinks`).
    pub fn allow_last_link(&self, directory: FileAccess, link: FileAccess) -> Result<(), Errno> {
        let is_shared = directory.mode & (STICKY | OTHERS_MAY_WRITE) == STICKY | OTHERS_MAY_WRITE;
        let trusted = link.uid == self.users.files || link.uid == directory.uid;
        if is_shared && !trusted { Err(Errno::EACCES) } else { Ok(()) }
    }

    /// The permission bits that the file of `of` gets when the program sets `mode`.
    pub fn mode_for(&self, of: FileAccess, mode: u16) -> Result<u16, Errno> {
        match () {
            () if !self.is_owner(of) => Err(Errno::EPERM),
            () if self.rules_files() || self.is_in_group(of.gid) => Ok(mode),
            () => Ok(mode & !SET_GROUP),
        }
    }

    /// The permission bits of a file that the program makes in `directory`, whose group the file may get.
    pub fn mode_of_new(&self, directory: FileAccess, mode: u16) -> u16 {
        let group = SET_GROUP | GROUP_MAY_EXECUTE;
        let gives_rights = directory.mode & SET_GROUP != 0 && mode & group == group;
        if gives_rights && !self.rules_files() && !self.is_in_group(directory.gid) { mode & !SET_GROUP } else { mode }
    }

    /// Whether it may give the file to that owner and group.
    pub fn allow_owner(&self, of: FileAccess, uid: u32, gid: u32) -> Result<(), Errno> {
        let own = of.uid == self.users.files;
        let user = uid == KEEP || (own && uid == of.uid);
        let group = gid == KEEP || (own && (gid == of.gid || self.is_in_group(gid)));
        if self.rules_files() || (user && group) { Ok(()) } else { Err(Errno::EPERM) }
    }

    /// Whether it may set the file's times: to `now`, or to any.
    pub fn allow_times(&self, of: FileAccess, now: bool) -> Result<(), Errno> {
        match () {
            () if self.is_owner(of) => Ok(()),
            () if now => self.allow(of, MAY_WRITE),
            () => Err(Errno::EPERM),
        }
    }

    /// For paths that are checked for the real user, as `access` does, or not.
    #[must_use]
    pub fn as_used(&self, real: bool) -> Credentials {
        let mut used = self.clone();
        if real {
            (used.users.files, used.groups.files) = (self.users.real, self.groups.real);
        }
        used
    }

    /// Its users and groups when it becomes the program in `file`.
    pub fn after_exec(&self, file: FileAccess) -> (Ids, Ids) {
        let group = SET_GROUP | GROUP_MAY_EXECUTE;
        let user = (file.mode & SET_USER != 0 && !self.gains_nothing).then_some(file.uid);
        let group = (file.mode & group == group && !self.gains_nothing).then_some(file.gid);
        (self.users.after_exec(user), self.groups.after_exec(group))
    }

    /// Owner and group of what it makes.
    pub fn owner(&self) -> InodeOwner {
        InodeOwner { uid: self.users.files, gid: self.groups.files }
    }

    /// `setgroups`: these, in order.
    pub fn set_groups(&mut self, mut groups: Vec<u32, GROUPS_MAX>) -> Result<(), Errno> {
        if groups.contains(&KEEP) {
            return Err(Errno::EINVAL);
        }
        groups.sort_unstable();
        self.others = groups;
        Ok(())
    }

    /// Users, groups, and how many further ones.
    pub fn to_words(&self) -> [u64; 5] {
        let ([users, more_users], [groups, more_groups]) = (self.users.to_words(), self.groups.to_words());
        [users, more_users, groups, more_groups, self.others.len() as u64]
    }

    /// Root's take one word.
    pub fn put(&self, writer: &mut ImageWriter<'_>) -> Result<(), Errno> {
        let is_roots = self.users == Ids::all(0) && self.groups == Ids::all(0);
        if is_roots && self.others.is_empty() && !self.gains_nothing {
            return writer.word(0);
        }
        let [users, more_users, groups, more_groups, others] = self.to_words();
        writer.words([1 | u64::from(self.gains_nothing) << 1 | others << 2, users, more_users, groups, more_groups])?;
        self.others.iter().try_for_each(|group| writer.put(&group.to_le_bytes()))
    }

    /// Reads them into root's.
    pub fn take(&mut self, reader: &mut ImageReader<'_>) -> Result<(), Errno> {
        let head = reader.word()?;
        if head & 1 == 0 {
            return Ok(());
        }
        let [users, more_users, groups, more_groups] = reader.words()?;
        (self.users, self.groups) = (Ids::of_words([users, more_users]), Ids::of_words([groups, more_groups]));
        self.gains_nothing = head & 2 != 0;
        for _ in 0..(head >> 2).min(GROUPS_MAX as u64 + 1) {
            self.others.push(u32::from_le_bytes(reader.take()?)).map_err(|_| Errno::EINVAL)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
