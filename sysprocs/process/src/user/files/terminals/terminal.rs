//! Device control: the terminal's attributes, foreground group and size.

use crate::signals::SIGTTOU;
use crate::user::files::terminals::pair::{FIONREAD, TCFLSH, TCXONC, TIOCGPTPEER};
use crate::user::slot::{User, leaving};
use crate::user::state::fields::word_at;
use crate::user::state::open_flags::{O_NONBLOCK, S_IFBLK, S_IFMT, S_IFREG, is_path_only};
use crate::user::state::{EventSort, FileDescriptor, OwnTerminal, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::console::{TERMIOS_BYTES, WindowSize};
use renga_proto::file::{Seek, Whence};
use renga_proto::pipe::PipeBytes;
use renga_rt::{Errno, apart};

const TCGETS: u32 = 0x5401;
const TCSETS: u32 = 0x5402;
const TCSETSW: u32 = 0x5403;
const TCSETSF: u32 = 0x5404;
const TCSBRK: u32 = 0x5409;
const TIOCSCTTY: u32 = 0x540e;
const TIOCGPGRP: u32 = 0x540f;
const TIOCSPGRP: u32 = 0x5410;
const TIOCGWINSZ: u32 = 0x5413;
const TIOCSWINSZ: u32 = 0x5414;
const FIONBIO: u32 = 0x5421;
const FIOASYNC: u32 = 0x5452;
const TIOCNOTTY: u32 = 0x5422;
const TCSBRKP: u32 = 0x5425;
const TIOCGSID: u32 = 0x5429;
const FIONCLEX: u32 = 0x5450;
const FIOCLEX: u32 = 0x5451;

/// Where a `struct stat` has the size.
const SIZE_AT: usize = 48;

impl<M: UserMemory> User<M> {
    pub(crate) async fn control_device(&mut self) -> SyscallResult {
        match self.int(1) {
            TIOCGPTPEER => Ok(apart!(self.open_peer(self.argument(0), self.argument(2) as u32))?),
            request => self.control_object(self.argument(0), request, self.argument(2)).await.map(|()| 0),
        }
    }

    async fn control_object(&mut self, number: u64, request: u32, place: u64) -> SyscallResult<()> {
        let FileDescriptor { object, flags, .. } = *self.program.files.get(number)?;
        match request {
            _ if is_path_only(flags) => Err(Errno::EBADF.into()),
            FIOCLEX | FIONCLEX => {
                self.program.files.get_mut(number)?.close_on_exec = request == FIOCLEX;
                Ok(())
            }
            FIOASYNC => Ok(self.get_int(place).await.map(drop)?), // nobody gets a signal for input
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
            FIONREAD if object.terminal().is_none() => {
                if let Ok(at) = object.events(EventSort::Notices) {
                    let bytes = apart!(self.count_notices(at));
                    let bytes = bytes.map_err(|errno| self.note_loss(object, errno, false))?;
                    return Ok(self.put(place, &bytes.to_le_bytes()).await?);
                }
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
            request if object.socket().is_ok() => Ok(apart!(self.control_interface(object, request, place))?),
            request => match object.terminal() {
                Some(terminal) => self.control_terminal(terminal, request, place).await,
                None => Err(Errno::ENOTTY.into()),
            },
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

    async fn control_terminal(&mut self, terminal: OwnTerminal, request: u32, place: u64) -> SyscallResult<()> {
        if matches!(request, TCSETS | TCSETSW | TCSETSF | TCSBRK | TCSBRKP | TCFLSH | TCXONC | TIOCSPGRP) {
            self.await_foreground(terminal.slave(), SIGTTOU).await?;
        }
        match request {
            TCGETS => {
                let attributes = self.services.attributes(terminal).await?;
                self.put(place, &attributes).await?;
            }
            TCSETS | TCSETSW | TCSETSF => {
                let mut attributes = [0; TERMIOS_BYTES];
                self.get(place, &mut attributes).await?;
                self.services.set_attributes(terminal, request == TCSETSF, &attributes[..]).await?;
            }
            TIOCGWINSZ => {
                let size = self.services.window(terminal).await?;
                self.put_words(place, [u64::from(size.rows) | u64::from(size.columns) << 16]).await?;
            }
            TIOCSWINSZ => {
                let size = self.get_word(place).await?;
                let size = WindowSize { rows: size as u16, columns: (size >> 16) as u16 };
                self.services.set_window(terminal, size).await?;
            }
            TCSBRK | TCSBRKP => {}
            TCFLSH if terminal == OwnTerminal::Console => {}
            TIOCGPGRP | TIOCSPGRP | TIOCGSID | TIOCSCTTY | TIOCNOTTY => {
                return Ok(apart!(self.control_session(terminal, request, place))?);
            }
            request => return apart!(self.control_pair(terminal, request, place)),
        }
        Ok(())
    }

    /// What concerns the session that has the terminal.
    async fn control_session(&mut self, terminal: OwnTerminal, request: u32, place: u64) -> Result<(), Errno> {
        let slave = terminal.slave();
        match request {
            TIOCSPGRP => {
                let session = self.own_terminal(slave, Errno::ENOTTY).await?.session;
                let group = self.get_int(place).await?;
                if group as i32 <= 0 {
                    return Err(Errno::EINVAL);
                }
                if !self.is_in_session(group, session).await? {
                    let known = self.relations_of(group).await.is_ok();
                    return Err(if known { Errno::EPERM } else { Errno::ESRCH });
                }
                self.services.set_job_control(slave, group, session).await?;
            }
            TIOCSCTTY => return self.take_terminal(slave, place == 1 && self.program.credentials.is_root()).await,
            TIOCNOTTY => {
                self.own_terminal(slave, Errno::ENOTTY).await?;
                self.leave_terminal(self.program.pid).await?;
            }
            _ => {
                // Who has the master need not be of the session.
                let jobs = match terminal.is_master() {
                    true => self.services.job_control(slave).await?,
                    false => self.own_terminal(slave, Errno::ENOTTY).await?,
                };
                if request == TIOCGSID && jobs.session == 0 {
                    return Err(Errno::ENOTTY);
                }
                let answer = if request == TIOCGSID { jobs.session } else { jobs.group };
                self.put(place, &answer.to_le_bytes()).await?;
            }
        }
        Ok(())
    }
}
