//! Device control: the terminal's attributes, foreground group and size.

use crate::signals::SIGTTOU;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::word_at;
use crate::user::state::open_flags::{O_NONBLOCK, S_IFBLK, S_IFMT, S_IFREG};
use crate::user::state::{Object, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::console::{GetAttributes, GetWindow, SetAttributes, SetForeground, SetWindow, TERMIOS_BYTES};
use renga_proto::file::{Seek, Whence};
use renga_proto::pipe::PipeBytes;
use renga_rt::{Errno, apart};

const TCGETS: u32 = 0x5401;
const TCSETS: u32 = 0x5402;
const TCSETSW: u32 = 0x5403;
const TCSETSF: u32 = 0x5404;
const TCSBRK: u32 = 0x5409;
const TCFLSH: u32 = 0x540b;
const TIOCSCTTY: u32 = 0x540e;
const TIOCGPGRP: u32 = 0x540f;
const TIOCSPGRP: u32 = 0x5410;
const TIOCGWINSZ: u32 = 0x5413;
const TIOCSWINSZ: u32 = 0x5414;
const FIONREAD: u32 = 0x541b;
const FIONBIO: u32 = 0x5421;
const TIOCNOTTY: u32 = 0x5422;
const TIOCGSID: u32 = 0x5429;
const FIONCLEX: u32 = 0x5450;
const FIOCLEX: u32 = 0x5451;

/// Where a `struct stat` has the size.
const SIZE_AT: usize = 48;

impl<M: UserMemory> User<M> {
    pub(crate) async fn control_device(&mut self) -> SyscallResult<()> {
        let (number, request, place) = (self.argument(0), self.int(1), self.argument(2));
        let object = self.program.files.get(number)?.object;
        match request {
            FIOCLEX | FIONCLEX => {
                self.program.files.get_mut(number)?.close_on_exec = request == FIOCLEX;
                Ok(())
            }
            FIONBIO => {
                let word = self.get_int(place).await?;
                let descriptor = *self.program.files.get(number)?;
                let flags = self.status_flags(&descriptor).await? & !O_NONBLOCK;
                let set = if word == 0 { 0 } else { O_NONBLOCK };
                Ok(self.set_status_flags(number, flags | set).await?)
            }
            FIONREAD if self.program.files.get(number)?.mode & S_IFMT == S_IFREG => {
                let rest = self.bytes_behind_offset(number).await?;
                self.put(place, &(rest as u32).to_le_bytes()).await?;
                Ok(())
            }
            FIONREAD if object != Object::Console => {
                if object.socket().is_ok() {
                    let bytes = apart!(self.describe_socket(object))?.bytes;
                    return Ok(self.put(place, &bytes.to_le_bytes()).await?);
                }
                let at = object.pipe().ok_or(Errno::ENOTTY)?;
                let bytes = self.services.pipe(at)?.call(PipeBytes { generation: at.generation }, ()).await?;
                self.put(place, &bytes.to_le_bytes()).await?;
                Ok(())
            }
            request if self.program.files.get(number)?.mode & S_IFMT == S_IFBLK => {
                Ok(apart!(self.control_disk(object, request, place))?)
            }
            _ if object != Object::Console => Err(Errno::ENOTTY.into()),
            request => self.control_terminal(request, place).await,
        }
    }

    /// How far the offset of a file is from its end: behind that it is less than 0, as on Linux.
    async fn bytes_behind_offset(&mut self, number: u64) -> Result<u64, Errno> {
        let size = word_at(&self.status_of(number).await?, SIZE_AT);
        let at = self.program.files.get(number)?.object.file_or(Errno::ENOTTY)?;
        let here = Seek { offset: 0, whence: Whence::Current };
        let mut file = self.services.file(at)?;
        Ok(size.wrapping_sub(leaving!(self, file.call(here, ()))?))
    }

    async fn control_terminal(&mut self, request: u32, place: u64) -> SyscallResult<()> {
        if matches!(request, TCSETS | TCSETSW | TCSETSF | TCSBRK | TCFLSH | TIOCSPGRP) {
            self.await_foreground(SIGTTOU).await?;
        }
        let mut console = self.services.console()?;
        match request {
            TCGETS => {
                let mut attributes = [0; TERMIOS_BYTES];
                console.call(GetAttributes {}, &mut attributes[..]).await?;
                self.put(place, &attributes).await?;
            }
            TCSETS | TCSETSW | TCSETSF => {
                let mut attributes = [0; TERMIOS_BYTES];
                self.get(place, &mut attributes).await?;
                console.call(SetAttributes { flush: request == TCSETSF }, &attributes[..]).await?;
            }
            TIOCGPGRP => {
                let group = self.own_terminal(Errno::ENOTTY).await?.group;
                self.put(place, &group.to_le_bytes()).await?;
            }
            TIOCSPGRP => {
                let (group, session) = (self.get_int(place).await?, self.own_terminal(Errno::ENOTTY).await?.session);
                if group as i32 <= 0 {
                    return Err(Errno::EINVAL.into());
                }
                if !self.is_in_session(group, session).await? {
                    let known = self.relations_of(group).await.is_ok();
                    return Err(if known { Errno::EPERM } else { Errno::ESRCH }.into());
                }
                console.call(SetForeground { group, session }, ()).await?;
            }
            TIOCGWINSZ => {
                let size = console.call(GetWindow {}, ()).await?;
                self.put_words(place, [u64::from(size.rows) | u64::from(size.columns) << 16]).await?;
            }
            TIOCSWINSZ => {
                let size = self.get_word(place).await?;
                console.call(SetWindow { rows: size as u16, columns: (size >> 16) as u16 }, ()).await?;
            }
            TIOCGSID => {
                let session = self.own_terminal(Errno::ENOTTY).await?.session;
                self.put(place, &session.to_le_bytes()).await?;
            }
            TIOCSCTTY => self.take_terminal(place == 1 && self.program.credentials.is_root()).await?,
            TIOCNOTTY => {
                self.own_terminal(Errno::ENOTTY).await?;
                self.leave_terminal(self.program.pid).await?;
            }
            TCFLSH | TCSBRK => {}
            _ => return Err(Errno::EINVAL.into()),
        }
        Ok(())
    }
}
