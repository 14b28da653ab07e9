//! The arguments of `openat2`: flags and mode in a structure, all of which must be known.
//!
//! Not here: opening (`open.rs`). Ways to resolve paths that `openat` does not have are refused.

use crate::user::files::path::PERMISSIONS;
use crate::user::slot::User;
use crate::user::state::fields::word_at;
use crate::user::state::open_flags::{
    O_ACCMODE, O_APPEND, O_CLOEXEC, O_CREAT, O_DIRECT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_PATH,
    O_SYNC, O_TMPFILE, O_TRUNC,
};
use renga_hal::memory::UserMemory;
use renga_rt::Errno;

/// Bytes of `struct open_how` as first defined: flags, mode, ways to resolve.
const HOW_BYTES: usize = 24;
/// Most bytes of a later form, which must be 0: what `read_zeros` reads.
const HOW_BYTES_MAX: usize = 256;
const O_LARGEFILE: u32 = 0o400_000;
const O_ASYNC: u32 = 0o20_000;
const O_NOATIME: u32 = 0o1_000_000;
const KNOWN: u32 = O_ACCMODE
    | O_APPEND
    | O_ASYNC
    | O_CLOEXEC
    | O_CREAT
    | O_DIRECT
    | O_DIRECTORY
    | O_EXCL
    | O_LARGEFILE
    | O_NOATIME
    | O_NOCTTY
    | O_NOFOLLOW
    | O_NONBLOCK
    | O_PATH
    | O_SYNC
    | O_TMPFILE
    | O_TRUNC;

impl<M: UserMemory> User<M> {
    /// Flags and mode of the present call.
    pub(crate) async fn open_how(&mut self) -> Result<(u32, u64), Errno> {
        let (place, bytes) = (self.argument(2), self.argument(3) as usize);
        let mut how = [0; HOW_BYTES_MAX];
        match bytes {
            HOW_BYTES..=HOW_BYTES_MAX => self.get(place, &mut how[..bytes]).await?,
            0..HOW_BYTES => return Err(Errno::EINVAL),
            _ => return Err(Errno::E2BIG),
        }
        if how[HOW_BYTES..].iter().any(|&byte| byte != 0) {
            return Err(Errno::E2BIG);
        }
        let [flags, mode, resolve] = [0, 8, 16].map(|at| word_at(&how, at));
        let creates = flags & u64::from(O_CREAT) != 0 || flags & u64::from(O_TMPFILE) == u64::from(O_TMPFILE);
        let path_only = flags & u64::from(O_PATH) != 0;
        let allowed = if path_only { O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC } else { KNOWN };
        let allowed_mode = if creates { PERMISSIONS } else { 0 };
        if flags & !u64::from(allowed) != 0 || mode & !allowed_mode != 0 || resolve != 0 {
            return Err(Errno::EINVAL);
        }
        Ok((flags as u32, mode))
    }
}
