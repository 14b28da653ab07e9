//! The process that keeps a board's references to the inodes of mapped files.
//!
//! Not here: what it keeps (`file_references.rs`), pages (`renga_pages`).

use crate::busy_texts::BusyTexts;
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
    let mut writers = BusyTexts::default();
    loop {
        match port.accept().await {
            ReferencesCall::KeepFile(call) => {
                let KeepFile { file, slot } = call.entry();
                reply!(call, files.keep(file, slot).await);
            }
            ReferencesCall::TakeOverFile(call) => {
                let TakeOverFile { file, slot, origin, runs } = call.entry();
                let taken = match writers.contains(file) {
                    true => Err(Errno::ETXTBSY),
                    false => files.take_over(file, Reference { slot, origin }).await,
                };
                if runs && taken.is_ok() {
                    files.note_program(file);
                }
                call.reply(taken);
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
            ReferencesCall::NoteProgram(call) => {
                files.note_program_of(call.entry().ino);
                call.reply(Ok(()));
            }
            ReferencesCall::BeginWriting(call) => {
                let file = call.entry().file;
                let runs = files.runs(file);
                if !runs {
                    writers.add(file, call.board());
                }
                call.reply(if runs { Err(Errno::ETXTBSY) } else { Ok(()) });
            }
            ReferencesCall::EndWriting(call) => {
                writers.remove(call.entry().file, call.board());
                call.reply(Ok(()));
            }
            ReferencesCall::BoardDied(call) => {
                writers.drop_board(call.entry().board);
                call.reply(Ok(()));
            }
            ReferencesCall::MakeObject(call) => call.reply(files.make_object()),
            ReferencesCall::ReopenFile(call) => {
                reply!(call, files.reopen(call.entry().file).await);
            }
        }
    }
}
