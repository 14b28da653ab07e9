//! The process that keeps a board's references to the inodes of mapped files.
//!
//! Not here: what it keeps (`file_references.rs`), pages (`renga_pages`).

use crate::file_references::{DirectoryClient, FileReferences, Names, Reference, UsedFile};
use renga_abi::Errno;
use renga_proto::pages::{Cut, Pages};
use renga_proto::references::{KeepFile, References, ReferencesCall, TakeOverFile};
use renga_proto::sessions::Sessions;
use renga_rt::{Client, Me, Never, Port, reply};

/// Serves the references, with room for `files`.
pub async fn references(
    me: Me,
    mut port: Port<References>,
    directory: DirectoryClient,
    mut pages: Client<Pages>,
    names: Names,
    files: &'static mut [UsedFile],
    sessions: &'static Sessions,
) -> Never {
    let mut files = FileReferences::new(directory, names, files, sessions);
    loop {
        match port.accept().await {
            ReferencesCall::KeepFile(call) => {
                let KeepFile { file, slot } = call.entry();
                reply!(call, files.keep(file, slot).await);
            }
            ReferencesCall::TakeOverFile(call) => {
                let TakeOverFile { file, slot, origin } = call.entry();
                reply!(call, files.take_over(file, Reference { slot, origin }).await);
            }
            ReferencesCall::ReleaseFile(call) => {
                let file = call.entry().file;
                let released = files.release(file).await;
                if released == Err(Errno::EINVAL) {
                    me.log("refused to release a file that no program maps: inode", [file.ino.into(), 0]);
                }
                if released == Ok(true) {
                    // No program maps its pages any more.
                    let _ = pages.call(Cut { file, from: 0, size: 0 }, ()).await;
                }
                call.reply(released.map(|_| ()));
            }
            ReferencesCall::MakeObject(call) => call.reply(files.make_object()),
            ReferencesCall::ReopenFile(call) => {
                reply!(call, files.reopen(call.entry().file).await);
            }
        }
    }
}
