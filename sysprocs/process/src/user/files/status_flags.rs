//! The status flags of what descriptors stand for: whether writes go to the end (`O_APPEND`), whether calls wait
//! (`O_NONBLOCK`).
//!
//! Invariant: of an open file, a pipe without a name, an event file and the terminal as init has it, the server keeps them, so
//! that whoever has a copy of the descriptor, also a child on another board, sees what any of them sets. Of the rest (fifos,
//! signal descriptors, devices opened by name) each program keeps them for itself, in all copies, as no server keeps one of
//! their openings. Not here: what the flags do.

use crate::user::User;
use crate::user::escape::Outcome;
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::{FROM_INIT, O_APPEND, O_NONBLOCK};
use renga_hal::memory::UserMemory;
use renga_proto::console::{GetJobControl, SetWaits};
use renga_proto::events::{AskWaiting, SetWaiting};
use renga_proto::file::{GetFlags, SetFlags};
use renga_proto::pipe::{AskBlocking, SetBlocking};
use renga_rt::{Errno, Retry};

/// Flags that can be set.
const SETTABLE: u32 = O_APPEND | O_NONBLOCK;

fn flag(nonblocking: bool) -> u32 {
    if nonblocking { O_NONBLOCK } else { 0 }
}

impl Descriptor {
    /// Whether nobody opened what it stands for by a name but, of the terminal, init.
    pub(super) fn is_inherited(&self) -> bool {
        if self.object == Object::Console { self.flags & FROM_INIT != 0 } else { self.ino == 0 }
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    /// The flags of `of`, as they are now. A call about a file is not repeated after a reboot: it names no generation, and
    /// whatever has the number now would answer.
    pub(in crate::user) async fn status_flags(&mut self, of: &Descriptor) -> Result<u32, Errno> {
        let asked = self.ask_flags(of).await;
        asked.map_err(|errno| self.note_loss(of.object, errno, false))
    }

    async fn ask_flags(&mut self, of: &Descriptor) -> Result<u32, Errno> {
        let own = of.flags;
        match of.object {
            Object::File { board, number, .. } => {
                let kept = self.services.file(board, number)?.call(GetFlags {}, ()).await?;
                Ok(own & !SETTABLE | kept & SETTABLE)
            }
            Object::Pipe { board, number, generation, end, .. } if of.is_inherited() => Ok(own
                | flag(self.services.pipe(board, number)?.call_retrying(AskBlocking { generation, end }, ()).await?)),
            Object::Events { board, number, generation, .. } => {
                Ok(own | flag(self.services.events(board)?.call_retrying(AskWaiting { number, generation }, ()).await?))
            }
            Object::Console if of.is_inherited() => {
                Ok(own | flag(self.services.console()?.call_retrying(GetJobControl {}, ()).await?.nonblocking))
            }
            _ => Ok(own),
        }
    }

    /// Sets those of `flags` that can be set of what descriptor `number` stands for.
    pub(in crate::user) async fn set_status_flags(&mut self, number: u64, flags: u32) -> Outcome {
        let of = *self.program.files.get(number)?;
        let set = self.put_flags(&of, flags & SETTABLE).await;
        let kept_here = set.map_err(|errno| self.note_loss(of.object, errno, false))?;
        self.program.files.set_flags(number, kept_here);
        Ok(0)
    }

    /// Has the server keep what it keeps of `flags`; what is left for the descriptor.
    async fn put_flags(&mut self, of: &Descriptor, flags: u32) -> Result<u32, Errno> {
        let (others, nonblocking) = (of.flags & !SETTABLE | flags, flags & O_NONBLOCK != 0);
        match of.object {
            Object::File { board, number, .. } => {
                self.services.file(board, number)?.call(SetFlags { flags }, ()).await?;
            }
            Object::Pipe { board, number, generation, end, .. } if of.is_inherited() => {
                self.services
                    .pipe(board, number)?
                    .call_retrying(SetBlocking { generation, end, nonblocking }, ())
                    .await?;
            }
            Object::Events { board, number, generation, .. } => {
                self.services.events(board)?.call_retrying(SetWaiting { number, generation, nonblocking }, ()).await?;
            }
            Object::Console if of.is_inherited() => {
                self.services.console()?.call_retrying(SetWaits { nonblocking }, ()).await?;
            }
            _ => return Ok(others),
        }
        Ok(others & !O_NONBLOCK)
    }
}
