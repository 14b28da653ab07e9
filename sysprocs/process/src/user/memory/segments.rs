//! Shared memory of System V. A segment is a file in `/dev/shm`, so that programs of all boards attach it.
//!
//! Invariant: the file's name has the segment's identifier, which is the key or, of a segment without one, random above
//! all keys; its size is whole pages, and the file has it before it has the name. A removed segment has no name: those
//! that have attached it keep it, and nobody attaches it any more. Not here: how pages are shared (`renga_memory`).

use crate::user::files::open::lookup_flags;
use crate::user::slot::User;
use crate::user::state::fields::{STAT_SIZE_AT, half_at, int_at, put_ints, put_words, word_at};
use crate::user::state::open_flags::{O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, S_IFMT, S_IFREG};
use crate::user::state::{FileDescriptor, SyscallResult};
use core::fmt::Write;
use heapless::String;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_memory::{MapAddress, Mapping, access_of};
use renga_proto::file::{FileStatus, SetSize};
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::{Link, NO_FOLLOW, Open, ROOT, StatusOf, Unlink};
use renga_proto::stat::{INO_AT, MODE_AT, OWNER_AT, half};
use renga_rt::{Errno, apart};

const PAGE: u64 = PAGE_BYTES as u64;
const IPC_PRIVATE: u32 = 0;
const IPC_CREAT: u32 = 0o1000;
const IPC_EXCL: u32 = 0o2000;
const IPC_RMID: u32 = 0;
const IPC_STAT: u32 = 2;
const SHM_LOCK: u32 = 11;
const SHM_UNLOCK: u32 = 12;
const SHM_RDONLY: u32 = 0o10000;
const SHM_RND: u32 = 0o20000;
const SHM_REMAP: u32 = 0o40000;
const SHM_EXEC: u32 = 0o100000;
const PROT_READ: u64 = 1;
const PROT_WRITE: u64 = 2;
const PROT_EXEC: u64 = 4;
const WRITE_BITS: u32 = 0o222;
const MODE_BITS: u32 = 0o777;
/// Identifiers of segments without a key begin here; keys end.
const PRIVATE_IDS: u32 = 0x7f00_0000;
const PRIVATE_MASK: u32 = 0x00ff_ffff;
/// Random identifiers that are tried, and times that others make or remove the segment of a key meanwhile.
const TRIES_MAX: u32 = 8;
/// Others may have any segment.
const ATTACHED_MIN: usize = 1;
/// The largest segment: all addresses of a program.
const BYTES_MAX: u64 = 1 << 39;
const PATH_BYTES: usize = 48;
const DIRECTORY: &str = "/dev/shm/";
/// `struct shmid64_ds`.
const STATUS_BYTES: usize = 112;
const SEGMENT_SIZE_AT: usize = 48;
const CHANGED_AT: usize = 72;
const ATTACHED_AT: usize = 88;
/// When the file's status changed, in a `struct stat`.
const STAT_CHANGED_AT: usize = 104;

fn path_of(id: u32) -> String<PATH_BYTES> {
    let mut path = String::new();
    // It fits.
    let _ = write!(path, "{DIRECTORY}.sysv-{id:08x}");
    path
}

/// Of a call about a segment that is not there.
fn no_segment(errno: Errno) -> Errno {
    if errno == Errno::ENOENT { Errno::EINVAL } else { errno }
}

impl<M: UserMemory> User<M> {
    /// `shmget`.
    pub(crate) async fn get_segment(&mut self) -> Result<u64, Errno> {
        let (key, bytes, flags) = (self.int(0), self.argument(1), self.int(2));
        if key == IPC_PRIVATE {
            for _ in 0..TRIES_MAX {
                let mut random = [0; 4];
                self.services.random.fill(&mut random);
                let id = PRIVATE_IDS | u32::from_le_bytes(random) & PRIVATE_MASK;
                match self.make_segment(id, bytes, flags).await {
                    Err(Errno::EEXIST) => {}
                    made => return made,
                }
            }
            return Err(Errno::ENOSPC);
        }
        if key >= PRIVATE_IDS {
            return Err(Errno::ENOSPC);
        }
        for _ in 0..TRIES_MAX {
            let found = self.find_segment(key, bytes, flags).await;
            let absent = found == Err(Errno::ENOENT);
            if flags & IPC_CREAT == 0 || !absent && flags & IPC_EXCL == 0 {
                return found;
            }
            if !absent {
                return Err(Errno::EEXIST);
            }
            match self.make_segment(key, bytes, flags).await {
                Err(Errno::EEXIST) if flags & IPC_EXCL == 0 => {}
                made => return made,
            }
        }
        Err(Errno::ENOENT)
    }

    /// The segment of `key`, if it has so many bytes and the program may use it as `flags` say.
    async fn find_segment(&mut self, key: u32, bytes: u64, flags: u32) -> Result<u64, Errno> {
        let access = if flags & WRITE_BITS != 0 { O_RDWR } else { O_RDONLY };
        let segment = self.open_segment(key, access).await?;
        let status = self.status_of_segment(segment).await;
        let _ = self.services.release(Some(segment.object)).await; // nothing was written
        if bytes > word_at(&status?, STAT_SIZE_AT) { Err(Errno::EINVAL) } else { Ok(key.into()) }
    }

    /// Makes the segment under a name of its own first: the identifier's name is that of a whole one.
    async fn make_segment(&mut self, id: u32, bytes: u64, flags: u32) -> Result<u64, Errno> {
        if !(1..=BYTES_MAX).contains(&bytes) {
            return Err(Errno::EINVAL);
        }
        let mut random = [0; 8];
        self.services.random.fill(&mut random);
        let mut path = String::<PATH_BYTES>::new();
        // It fits.
        let _ = write!(path, "{DIRECTORY}.new-{:016x}", u64::from_le_bytes(random));
        let segment = self.open_path_of_segment(&path, O_CREAT | O_EXCL | O_RDWR, (flags & MODE_BITS) as u16).await?;
        let made = self.name_segment(segment, &path, id, bytes.next_multiple_of(PAGE)).await;
        let _ = self.services.release(Some(segment.object)).await; // nothing was written
        let removed = self.services.remove(ROOT.into(), false, path.as_bytes()).await;
        made.and(removed).map(|()| id.into())
    }

    /// Gives the file at `path` its size, and then the name of segment `id`.
    async fn name_segment(&mut self, file: FileDescriptor, path: &str, id: u32, bytes: u64) -> Result<(), Errno> {
        let at = file.object.file().ok_or(Errno::EINVAL)?;
        self.services.file(at)?.call(SetSize { bytes }, ()).await?;
        let mut paths = String::<{ 2 * PATH_BYTES }>::new();
        // They fit.
        let _ = write!(paths, "{path}\0{}", path_of(id));
        let link = Link { from_at: ROOT.into(), to_at: ROOT.into(), flags: NO_FOLLOW };
        self.services.path_lookup()?.call(link, paths.as_bytes()).await
    }

    /// Opens the file of segment `id`, as far as the program may.
    async fn open_segment(&mut self, id: u32, flags: u32) -> Result<FileDescriptor, Errno> {
        self.open_path_of_segment(&path_of(id), flags, 0).await
    }

    async fn open_path_of_segment(&mut self, path: &str, flags: u32, mode: u16) -> Result<FileDescriptor, Errno> {
        let flags = flags | O_NOFOLLOW;
        let mut length = path.len();
        self.paths[..length].copy_from_slice(path.as_bytes());
        let owner = self.program.credentials.owner();
        let mut open = Open { at: ROOT.into(), flags: lookup_flags(flags), mode, owner };
        let facts = match self.program.credentials.rules_files() {
            true => self.services.open_path(open, &self.paths[..length]).await?,
            false => apart!(self.open_permitted(&mut open, &mut length, flags))?,
        };
        if facts.mode & S_IFMT != S_IFREG {
            self.release_inode(&facts).await;
            return Err(Errno::EINVAL);
        }
        let object = self.open_file(&facts, flags).await?;
        Ok(FileDescriptor::opened(object, facts.ino, facts.mode, flags))
    }

    async fn status_of_segment(&mut self, segment: FileDescriptor) -> Result<[u8; STAT_BYTES], Errno> {
        let at = segment.object.file().ok_or(Errno::EINVAL)?;
        let mut status = [0; STAT_BYTES];
        self.services.file(at)?.call(FileStatus {}, &mut status[..]).await?;
        Ok(status)
    }

    /// `shmat`.
    pub(crate) async fn attach_segment(&mut self) -> SyscallResult {
        let (id, address, flags) = (self.int(0), self.argument(1), self.int(2));
        let place = match (address, flags & SHM_REMAP != 0) {
            (0, true) => return Err(Errno::EINVAL.into()),
            (0, false) => MapAddress::Anywhere(0),
            _ if address % PAGE != 0 && flags & SHM_RND == 0 => return Err(Errno::EINVAL.into()),
            (_, true) => MapAddress::Fixed(address - address % PAGE),
            (_, false) => MapAddress::FixedFree(address - address % PAGE),
        };
        let reads_only = flags & SHM_RDONLY != 0;
        let access = if reads_only { O_RDONLY } else { O_RDWR };
        let segment = self.open_segment(id, access).await.map_err(no_segment)?;
        let attached = self.map_segment(segment, place, flags).await;
        let _ = self.services.release(Some(segment.object)).await; // nothing was written
        attached.map_err(|errno| if errno == Errno::EEXIST { Errno::EINVAL } else { errno }.into())
    }

    async fn map_segment(&mut self, segment: FileDescriptor, place: MapAddress, flags: u32) -> Result<u64, Errno> {
        let length = word_at(&self.status_of_segment(segment).await?, STAT_SIZE_AT);
        let writes = flags & SHM_RDONLY == 0;
        let backing = self.backing(segment, 0, true, writes).await?;
        let write = if writes { PROT_WRITE } else { 0 };
        let execute = if flags & SHM_EXEC != 0 { PROT_EXEC } else { 0 };
        self.allow_space(length)?;
        let mapping = Mapping { place, length, access: access_of(PROT_READ | write | execute), backing };
        let (space, mut pager) = self.memory();
        let mapped = pager.map(space, mapping).await;
        self.publish_areas();
        mapped
    }

    /// `shmdt`: of what begins at the address all that follows in order.
    pub(crate) async fn detach_segment(&mut self) -> Result<(), Errno> {
        let address = self.argument(0);
        let (space, mut pager) = self.memory();
        let (mut end, mut of) = (address, None);
        for area in space.areas().iter().filter(|area| area.is_shared() && area.start_address() >= address) {
            let (ino, page) = space.mapped_file(area);
            let follows = of.unwrap_or(ino) == ino && u64::from(page) * PAGE == end - address;
            if ino == 0 || area.start_address() != end || !follows {
                break;
            }
            (end, of) = (area.end_address(), Some(ino));
        }
        if end == address {
            return Err(Errno::EINVAL);
        }
        let detached = pager.unmap(space, address, end - address).await;
        self.publish_areas();
        detached
    }

    /// `shmctl`.
    pub(crate) async fn control_segment(&mut self) -> Result<(), Errno> {
        let (id, command) = (self.int(0), self.int(1));
        match command {
            IPC_RMID => self.remove_segment(id).await.map_err(no_segment),
            IPC_STAT => {
                let segment = self.open_segment(id, O_RDONLY).await.map_err(no_segment)?;
                let status = self.status_of_segment(segment).await;
                let _ = self.services.release(Some(segment.object)).await; // nothing was written
                let status = self.describe_segment(id, segment.ino, &status?);
                self.put(self.argument(2), &status).await
            }
            // Pages of programs never leave memory.
            SHM_LOCK | SHM_UNLOCK => {
                let segment = self.open_segment(id, O_RDONLY).await.map_err(no_segment)?;
                let _ = self.services.release(Some(segment.object)).await; // nothing was written
                Ok(())
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// Takes the name off the inode whose owner was checked.
    async fn remove_segment(&mut self, id: u32) -> Result<(), Errno> {
        let (path, mut status) = (path_of(id), [0; STAT_BYTES]);
        let asked = StatusOf { at: ROOT.into(), flags: NO_FOLLOW };
        for _ in 0..TRIES_MAX {
            self.services.status_of(asked, path.as_bytes(), &mut status).await?;
            let credentials = &self.program.credentials;
            if !credentials.rules_files() && credentials.owner().uid != int_at(&status, OWNER_AT) {
                return Err(Errno::EPERM);
            }
            let unlink = Unlink { at: ROOT.into(), directory: false, expected: half(&status, INO_AT) };
            match self.services.path_lookup()?.call(unlink, path.as_bytes()).await {
                Err(Errno::ESTALE) => {} // it is another segment by now
                removed => return removed,
            }
        }
        Err(Errno::ENOENT)
    }

    /// The `struct shmid64_ds` of the segment in file `ino`. Of those that have it the caller alone is counted;
    /// at least one, so that nobody concludes that no program has it.
    fn describe_segment(&mut self, id: u32, ino: u32, status: &[u8; STAT_BYTES]) -> [u8; STATUS_BYTES] {
        let key = if id < PRIVATE_IDS { id } else { IPC_PRIVATE };
        let [owner, group] = [OWNER_AT, OWNER_AT + 4].map(|at| int_at(status, at));
        let mode = u32::from(half_at(status, MODE_AT)) & MODE_BITS;
        let (space, _) = self.memory();
        let begins = space.areas().iter().filter(|area| area.is_shared() && space.mapped_file(area) == (ino, 0));
        let attached = begins.count().max(ATTACHED_MIN) as u64;
        let mut bytes = [0; STATUS_BYTES];
        put_ints(&mut bytes, [(0, key), (4, owner), (8, group), (12, owner), (16, group), (20, mode)]);
        let size = word_at(status, STAT_SIZE_AT);
        let changed_s = word_at(status, STAT_CHANGED_AT);
        put_words(&mut bytes, [(SEGMENT_SIZE_AT, size), (CHANGED_AT, changed_s), (ATTACHED_AT, attached)]);
        bytes
    }
}
