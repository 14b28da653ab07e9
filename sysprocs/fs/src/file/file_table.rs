//! The table of open-file processes of one board.
//!
//! Invariant: a number is given out at most once until it comes back.

use renga_proto::slots::{FileTable, FileTableCall};
use renga_rt::{Errno, Never, Port};

/// Open files that a board may have.
const FILES_MAX: usize = 256;

/// Serves the numbers below `files`, of which 256 are used at most.
pub async fn file_table(mut port: Port<FileTable>, files: usize) -> Never {
    let mut taken = [false; FILES_MAX];
    let files = files.min(FILES_MAX);
    loop {
        match port.accept().await {
            FileTableCall::TakeFile(call) => {
                let free = taken[..files].iter().position(|taken| !taken);
                if let Some(number) = free {
                    taken[number] = true;
                }
                call.reply(free.map(|number| number as u16).ok_or(Errno::ENFILE));
            }
            FileTableCall::FreeFile(call) => {
                let number = usize::from(call.entry().file);
                let held = number < files && core::mem::replace(&mut taken[number], false);
                call.reply(if held { Ok(()) } else { Err(Errno::EINVAL) });
            }
        }
    }
}
