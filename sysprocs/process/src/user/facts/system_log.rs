//! The kernel's log of the program's own board, for `syslog(2)`.
//!
//! Reading removes nothing, and no program can clear the log, which is the whole board's.

use crate::user::slot::User;
use crate::user::state::SyscallResult;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::proc_files::{LOG_BYTES_MAX, LOG_PATH, ReadSynthetic, TOP, WalkSynthetic};
use renga_rt::Errno;

/// `syslog(2)`'s actions, as glibc's `klogctl` numbers them.
mod action {
    pub const CLOSE: u32 = 0;
    pub const OPEN: u32 = 1;
    pub const READ_ALL: u32 = 3;
    pub const CONSOLE_LEVEL: u32 = 8;
    pub const CONSOLE_OFF: u32 = 6;
    pub const SIZE_UNREAD: u32 = 9;
    pub const SIZE_BUFFER: u32 = 10;
}
/// Most pages of the log.
const PAGES_MAX: u64 = (LOG_BYTES_MAX / PAGE_BYTES) as u64;

impl<M: UserMemory> User<M> {
    pub(crate) async fn system_log(&mut self) -> SyscallResult {
        let (what, place, room) = (self.int(0), self.argument(1), self.int(2));
        match what {
            action::CLOSE | action::OPEN | action::SIZE_UNREAD => Ok(0),
            // No console prints it.
            action::CONSOLE_OFF..=action::CONSOLE_LEVEL => Ok(0),
            action::SIZE_BUFFER => Ok(LOG_BYTES_MAX as u64),
            action::READ_ALL if place == 0 || room > i32::MAX as u32 => Err(Errno::EINVAL.into()),
            action::READ_ALL => self.read_log(place, room.into()).await,
            2 | 4 | 5 => Err(Errno::EPERM.into()),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// The last bytes of the log, as many as there is room for.
    async fn read_log(&mut self, place: u64, room: u64) -> SyscallResult {
        let walk = WalkSynthetic { at: TOP, reader: self.program.pid, user: 0, flags: 0 };
        let number = self.services.proc_files(TOP)?.call(walk, LOG_PATH).await?.number;
        let (mut total, mut done) = (0, 0);
        for _ in 0..PAGES_MAX {
            let page = ReadSynthetic { number, offset: total };
            let bytes = self.services.proc_files(TOP)?.call(page, &mut self.scratch[..]).await?;
            total += u64::from(bytes);
            if (bytes as usize) < PAGE_BYTES {
                break;
            }
        }
        let start = total.saturating_sub(room);
        let end = total.min(room);
        // Each pass takes a page.
        while done < end {
            let page = ReadSynthetic { number, offset: start + done };
            let length = (end - done).min(PAGE_BYTES as u64) as usize;
            let bytes = self.services.proc_files(TOP)?.call(page, &mut self.scratch[..length]).await? as usize;
            if bytes == 0 {
                break;
            }
            self.put_scratch(place + done, bytes).await?;
            done += bytes as u64;
        }
        Ok(done)
    }
}
