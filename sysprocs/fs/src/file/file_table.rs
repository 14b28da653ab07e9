//! The table of open-file processes of one board.
//!
//! Invariant: that of [`FreeList`].

use renga_proto::slots::{FileTable, FileTableCall};
use renga_rt::{Errno, FreeList, Never, Port};

/// Serves as many file processes as there are `places`.
pub async fn file_table(mut port: Port<FileTable>, places: &'static mut [u16]) -> Never {
    let mut files = FreeList::new(places);
    loop {
        match port.accept().await {
            FileTableCall::TakeFile(call) => call.reply(files.take().ok_or(Errno::ENFILE)),
            FileTableCall::FreeFile(call) => {
                let taken = files.give_back(call.entry().file);
                call.reply(if taken { Ok(()) } else { Err(Errno::EINVAL) });
            }
        }
    }
}
