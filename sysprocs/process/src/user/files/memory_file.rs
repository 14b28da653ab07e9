//! `memfd_create`: a file without a name. It is one of the disk, whose name is removed at once.
//!
//! Invariant: no name stays, whatever fails.

use crate::user::slot::User;
use crate::user::state::FileDescriptor;
use crate::user::state::open_flags::{O_CLOEXEC, O_RDWR};
use core::fmt::Write;
use heapless::String;
use renga_hal::memory::UserMemory;
use renga_proto::path::{OPEN_CREATE, OPEN_EXCLUSIVE, OPEN_WRITE, Open, ROOT};
use renga_rt::Errno;

const MFD_CLOEXEC: u32 = 1;
const MFD_ALLOW_SEALING: u32 = 2;
const MFD_EXEC: u32 = 16;
/// Most bytes of the name that only listings show.
const NAME_BYTES_MAX: usize = 249;
/// Bytes of the name on the disk.
const PATH_BYTES: usize = 64;
const MODE: u16 = 0o777;

impl<M: UserMemory> User<M> {
    pub(crate) async fn make_memory_file(&mut self) -> Result<u64, Errno> {
        let (name, flags) = (self.argument(0), self.int(1));
        if flags & !(MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC) != 0 {
            return Err(Errno::EINVAL);
        }
        match self.get_path_or_empty(name, 0).await {
            Ok(0..=NAME_BYTES_MAX) => {}
            Ok(_) | Err(Errno::ENAMETOOLONG) => return Err(Errno::EINVAL),
            Err(errno) => return Err(errno),
        }
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE);
        }
        let mut random = [0; 8];
        self.services.random.fill(&mut random);
        let (mut path, pid) = (String::<PATH_BYTES>::new(), self.program.pid);
        // Two numbers fit.
        let _ = write!(path, "/.memfd-{pid}-{:016x}", u64::from_le_bytes(random));
        let owner = self.program.credentials.owner();
        let open = Open { at: ROOT.into(), flags: OPEN_CREATE | OPEN_EXCLUSIVE | OPEN_WRITE, mode: MODE, owner };
        let facts = self.services.open_path(open, path.as_bytes()).await?;
        let removed = self.services.remove(ROOT.into(), false, path.as_bytes()).await;
        let object = self.open_file(&facts, O_RDWR).await?;
        if let Err(errno) = removed {
            let _ = self.services.release(Some(object)).await; // nothing was written yet
            return Err(errno);
        }
        let cloexec = if flags & MFD_CLOEXEC != 0 { O_CLOEXEC } else { 0 };
        self.add_descriptor(FileDescriptor::opened(object, facts.ino, facts.mode, O_RDWR | cloexec)).await
    }
}
