//! Making and finding programs.

use crate::syscall::{execute, plain};
use crate::{Errno, ProgramArguments};
use core::ffi::CStr;

const ENOENT: Errno = Errno(2);
const SIGCHLD: isize = 17;
/// Bytes of the longest path tried.
const PATH_BYTES_MAX: usize = 1024;

/// Forks; 0 in the child.
pub fn fork() -> Result<u32, Errno> {
    plain(220, [SIGCHLD, 0, 0]).map(|pid| pid as u32)
}

/// Executes `name`, searched along PATH if it has no slash. Returns only if that failed.
pub fn execute_by_name(name: &CStr, list: &[*const u8], arguments: &ProgramArguments) -> Errno {
    let environment = arguments.environment();
    if name.to_bytes().contains(&b'/') {
        return execute(name, list, environment);
    }
    let mut last = ENOENT;
    for directory in arguments.variable(b"PATH").unwrap_or(b"/bin:/usr/bin:/sbin").split(|&byte| byte == b':') {
        let mut path = [0; PATH_BYTES_MAX];
        let (place, bytes) = (directory.len(), name.to_bytes_with_nul());
        if place + 1 + bytes.len() > PATH_BYTES_MAX {
            continue;
        }
        path[..place].copy_from_slice(directory);
        path[place] = b'/';
        path[place + 1..place + 1 + bytes.len()].copy_from_slice(bytes);
        if let Ok(path) = CStr::from_bytes_until_nul(&path) {
            match execute(path, list, environment) {
                ENOENT => {}
                errno => last = errno,
            }
        }
    }
    last
}

/// The exit code that a shell gives for a wait status.
pub fn exit_code(status: u32) -> i32 {
    match status & 0x7f {
        0 => (status >> 8 & 0xff) as i32,
        signal => 128 + signal as i32,
    }
}
