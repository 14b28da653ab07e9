//! An init that cannot be started: the console says why, in one line, and the board ends with a status of its own.
//!
//! Called by: the first slot's loop (`slot_loop.rs`), once. Not here: a disk without a file system: boot refuses it.

use crate::user::slot::User;
use renga_hal::memory::UserMemory;
use renga_proto::console::WriteTerminal;
use renga_rt::Errno;

/// The wait status of an init that never ran: next to that of a board that died, 70, and none that a shell gives.
pub(super) const MISSING_INIT: u32 = 71 << 8;

impl<M: UserMemory> User<M> {
    /// Writes why on the console.
    pub(super) async fn report_missing_init(&mut self, errno: Errno) {
        self.me.log("init cannot be started", [u64::from(errno.0), 0]);
        let what = match errno {
            Errno::ENOENT => " is not on the disk: it is damaged, or not Renga's",
            Errno::ENOEXEC | Errno::EACCES => " is no program: the disk is damaged, or not Renga's",
            Errno::EIO | Errno::EINVAL | Errno::ENODEV | Errno::ENXIO => {
                " cannot be read: the disk's file system cannot be mounted, or is damaged"
            }
            _ => " cannot be started",
        };
        let line = ["renga: ", self.facts.boot_program, what, " (", errno.name(), "); e2fsck -f checks it\n"];
        for part in line {
            let Ok(mut console) = self.services.console() else { return };
            // Without a console there is nothing more to do.
            let _ = console.call(WriteTerminal { checked: true }, part.as_bytes()).await;
        }
    }
}
