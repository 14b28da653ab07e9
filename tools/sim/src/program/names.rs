//! System calls about names, as programs write them.

use super::calls::numbers::{
    CHDIR, FCHMOD, FCHMODAT, FCHOWNAT, GETCWD, GETDENTS64, LINKAT, MKDIRAT, MKNODAT, NEWFSTATAT, RENAMEAT2, STATFS,
    SYMLINKAT, SYNC, UNLINKAT, UTIMENSAT,
};
use super::calls::{AT_FDCWD, BUFFER, Open, Result, SECOND, SMALL};
use super::exchange::SimProgram;
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::PATH_BYTES_MAX;

/// In `unlinkat`: a directory.
const AT_REMOVEDIR: u64 = 0x200;
/// In `newfstatat`: of the link itself.
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;

/// In `newfstatat`: without a path the open file.
const AT_EMPTY_PATH: u64 = 0x1000;

/// Of a `struct linux_dirent64`, before the name.
const LISTED_HEADER_BYTES: usize = 19;

/// Part of a `struct stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Type and permission bits.
    pub mode: u32,
    /// Names.
    pub links: u32,
    /// Size.
    pub bytes: u64,
}

/// Another part of a `struct stat`: what `chmod`, `chown` and `utimes` set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits.
    pub mode: u16,
    /// Owner and group.
    pub owner: (u32, u32),
    /// Time of the last access and of the last change of content, s.
    pub times_s: (u64, u64),
}

impl SimProgram {
    /// Removes a name.
    pub async fn unlink(&self, path: &str) -> Result<()> {
        let path = self.path(path).await;
        self.call(UNLINKAT, &[AT_FDCWD, path, 0]).await.map(drop)
    }
    /// Makes a directory.
    pub async fn make_directory(&self, path: &str) -> Result<()> {
        let path = self.path(path).await;
        self.call(MKDIRAT, &[AT_FDCWD, path, 0o755]).await.map(drop)
    }
    /// Removes an empty directory.
    pub async fn remove_directory(&self, path: &str) -> Result<()> {
        let path = self.path(path).await;
        self.call(UNLINKAT, &[AT_FDCWD, path, AT_REMOVEDIR]).await.map(drop)
    }
    /// Makes a character device.
    pub async fn make_device(&self, path: &str, major: u64, minor: u64) -> Result<()> {
        let path = self.path(path).await;
        self.call(MKNODAT, &[AT_FDCWD, path, 0o020_600, major << 8 | minor]).await.map(drop)
    }
    /// Makes an empty file.
    pub async fn make_file(&self, path: &str, mode: u16) -> Result<()> {
        let path = self.path(path).await;
        self.call(MKNODAT, &[AT_FDCWD, path, 0o100_000 | u64::from(mode), 0]).await.map(drop)
    }
    /// Makes a symbolic link.
    pub async fn make_link(&self, target: &str, path: &str) -> Result<()> {
        let (target, path) = (self.path(target).await, self.string(self.base + SECOND, path).await);
        self.call(SYMLINKAT, &[target, AT_FDCWD, path]).await.map(drop)
    }
    /// Makes another name for a file.
    pub async fn link(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (self.path(from).await, self.string(self.base + SECOND, to).await);
        self.call(LINKAT, &[AT_FDCWD, from, AT_FDCWD, to, 0]).await.map(drop)
    }
    /// Sets permission bits.
    pub async fn change_mode(&self, path: &str, mode: u16) -> Result<()> {
        let path = self.path(path).await;
        self.call(FCHMODAT, &[AT_FDCWD, path, mode.into()]).await.map(drop)
    }
    /// Sets permission bits of what is open.
    pub async fn change_mode_of(&self, file: u64, mode: u16) -> Result<()> {
        self.call(FCHMOD, &[file, mode.into()]).await.map(drop)
    }
    /// Sets owner and group.
    pub async fn change_owner(&self, path: &str, (uid, gid): (u32, u32)) -> Result<()> {
        let path = self.path(path).await;
        self.call(FCHOWNAT, &[AT_FDCWD, path, uid.into(), gid.into(), 0]).await.map(drop)
    }
    /// Sets both times.
    pub async fn change_times(&self, path: &str, (access_s, modify_s): (u64, u64)) -> Result<()> {
        let (path, place) = (self.path(path).await, self.base + SMALL);
        let times: Vec<u8> = [access_s, 0, modify_s, 0].into_iter().flat_map(u64::to_le_bytes).collect();
        self.store(place, &times).await;
        self.call(UTIMENSAT, &[AT_FDCWD, path, place, 0]).await.map(drop)
    }
    /// What of a file can be set.
    pub async fn attributes(&self, path: &str) -> Result<Attributes> {
        let (path, place) = (self.path(path).await, self.base + SMALL);
        self.call(NEWFSTATAT, &[AT_FDCWD, path, place, 0]).await?;
        let found = self.load(place, 104).await;
        let half = |at: usize| u32::from_le_bytes(found[at..at + 4].try_into().unwrap_or_default());
        let word = |at: usize| u64::from_le_bytes(found[at..at + 8].try_into().unwrap_or_default());
        let mode = (half(16) & 0o7777) as u16;
        Ok(Attributes { mode, owner: (half(24), half(28)), times_s: (word(72), word(88)) })
    }
    /// Free inodes.
    pub async fn free_inodes(&self) -> Result<u64> {
        self.free().await.map(|(inodes, _)| inodes)
    }
    /// Free inodes and blocks.
    pub async fn free(&self) -> Result<(u64, u64)> {
        let (path, place) = (self.path("/").await, self.base + SMALL);
        self.call(STATFS, &[path, place]).await?;
        let found = self.load(place, 56).await;
        let word = |at: usize| u64::from_le_bytes(found[at..at + 8].try_into().unwrap_or_default());
        Ok((word(48), word(24)))
    }
    /// Waits until everything is on the medium.
    pub async fn sync_all(&self) -> Result<()> {
        self.call(SYNC, &[]).await.map(drop)
    }
    /// What stat says, or lstat if links are not to be followed.
    pub async fn status(&self, path: &str, follow: bool) -> Result<Status> {
        let (path, place) = (self.path(path).await, self.base + SMALL);
        let flags = if follow { 0 } else { AT_SYMLINK_NOFOLLOW };
        self.call(NEWFSTATAT, &[AT_FDCWD, path, place, flags]).await?;
        let found = self.load(place, 56).await;
        let word = |at: usize| u32::from_le_bytes(found[at..at + 4].try_into().unwrap_or_default());
        Ok(Status { mode: word(16), links: word(20), bytes: word(48).into() })
    }
    /// The `struct stat` of an open file, or (`AT_FDCWD`) of what is at the path.
    pub async fn status_bytes(&self, file: u64, path: &str) -> Result<Vec<u8>> {
        let (path, place) = (self.path(path).await, self.base + SMALL);
        self.call(NEWFSTATAT, &[file, path, place, AT_EMPTY_PATH]).await?;
        Ok(self.load(place, STAT_BYTES).await)
    }
    /// The names in the directory at the path, read by so many bytes at a time.
    pub async fn list(&self, path: &str, step: u64) -> Result<Vec<String>> {
        let directory = self.open(path, Open::Read).await?;
        let listed = self.list_open(directory, step).await;
        self.close(directory).await?;
        listed
    }
    /// The names from an open directory's offset on.
    pub async fn list_open(&self, directory: u64, step: u64) -> Result<Vec<String>> {
        let mut names = Vec::new();
        loop {
            let bytes = self.call(GETDENTS64, &[directory, self.base + BUFFER, step]).await? as usize;
            let entries = self.load(self.base + BUFFER, bytes).await;
            let mut at = 0;
            while at < bytes {
                let next = at + usize::from(u16::from_le_bytes([entries[at + 16], entries[at + 17]]));
                let name = entries[at + LISTED_HEADER_BYTES..next].split(|byte| *byte == 0).next().unwrap();
                names.push(String::from_utf8(name.to_vec()).unwrap());
                at = next;
            }
            if bytes == 0 {
                return Ok(names);
            }
        }
    }
    /// Changes the working directory.
    pub async fn change_directory(&self, path: &str) -> Result<()> {
        let path = self.path(path).await;
        self.call(CHDIR, &[path]).await.map(drop)
    }
    /// The path of the working directory.
    pub async fn working_directory(&self) -> Result<String> {
        let bytes = self.call(GETCWD, &[self.base + BUFFER, PATH_BYTES_MAX as u64]).await? as usize;
        let path = self.load(self.base + BUFFER, bytes - 1).await;
        Ok(String::from_utf8(path).unwrap())
    }
    /// Moves a name.
    pub async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (self.path(from).await, self.string(self.base + SECOND, to).await);
        self.call(RENAMEAT2, &[AT_FDCWD, from, AT_FDCWD, to, 0]).await.map(drop)
    }
}
