//! Descriptors of processes (pidfd): polled, waited for and signalled without a number that another process may have.
//!
//! Invariant: such a descriptor is an event file of the process's board, which the process ends as its last deed: it is
//! readable from then on. Not here: waiting for children (`lifecycle/wait.rs`), the event files (`renga_clock`).

use crate::signals::SIGNALS;
use crate::user::lifecycle::relations::{INFO_BYTES, SI_USER, queued_cause};
use crate::user::slot::User;
use crate::user::state::fields::int_at;
use crate::user::state::open_flags::{O_CLOEXEC, O_NONBLOCK, O_RDWR};
use crate::user::state::{EventSort, FileDescriptor, Handle, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::events::{AskProcess, DropEvents, EndProcess, EventFile, MakeProcessFile, SetProcess, WatchedProcess};
use renga_proto::procs::{WAIT_ENDED, WAIT_KEEP, WAIT_NO_HANG, WaitChild, board_of};
use renga_proto::used::Used;
use renga_rt::{Errno, Retry};

impl<M: UserMemory> User<M> {
    pub(crate) async fn open_process(&mut self) -> Result<u64, Errno> {
        let (pid, flags) = (self.int(0), self.int(1));
        if flags & !O_NONBLOCK != 0 || pid as i32 <= 0 {
            return Err(Errno::EINVAL);
        }
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE);
        }
        let board = board_of(pid, self.services.file_board);
        let made = self.make_process_file(board).await?;
        if let Err(errno) = self.follow_process(board, made, pid).await {
            self.drop_process_file(board, made).await;
            return Err(errno);
        }
        self.add_event_file(board, made, EventSort::Process, O_RDWR | O_CLOEXEC | flags).await
    }

    /// A file of no process yet, on `board`.
    pub(crate) async fn make_process_file(&mut self, board: u8) -> Result<EventFile, Errno> {
        let mut events = self.services.events(board).map_err(|_| Errno::ESRCH)?;
        events.call_retrying(MakeProcessFile {}, ()).await
    }

    pub(crate) async fn drop_process_file(&mut self, board: u8, EventFile { number, generation }: EventFile) {
        if let Ok(mut events) = self.services.events(board) {
            // It is this program's own.
            let _ = events.call(DropEvents { number, generation }, ()).await;
        }
    }

    /// A fresh file is that of process `pid` from now on. `ESRCH`: there is none; `EINVAL`: it is a thread.
    pub(crate) async fn follow_process(&mut self, board: u8, made: EventFile, pid: u32) -> Result<(), Errno> {
        let EventFile { number, generation } = made;
        let follow = |ended| SetProcess { number, generation, pid, ended };
        self.services.events(board)?.call(follow(false), ()).await?;
        // After that: if it ends meanwhile, one of both shows it.
        match self.check_thread(pid, pid).await {
            Ok(()) => Ok(()),
            Err(_) if self.check_thread(0, pid).await.is_ok() => Err(Errno::EINVAL),
            Err(_) if self.is_ended_child(pid).await => self.services.events(board)?.call(follow(true), ()).await,
            Err(errno) => Err(errno),
        }
    }

    /// As `follow_process`, of a child that was made just now: what is not found any more has ended and was waited for,
    /// by another thread or since `SIGCHLD` is ignored.
    pub(crate) async fn follow_child(&mut self, board: u8, made: EventFile, pid: u32) {
        let EventFile { number, generation } = made;
        if self.follow_process(board, made, pid).await.is_err()
            && let Ok(mut events) = self.services.events(board)
        {
            // It is this program's own.
            let _ = events.call(SetProcess { number, generation, pid, ended: true }, ()).await;
        }
    }

    /// Whether `pid` is a child that has ended and was not waited for yet.
    async fn is_ended_child(&mut self, pid: u32) -> bool {
        let options = WAIT_ENDED | WAIT_NO_HANG | WAIT_KEEP;
        let (wanted, mut used) = (WaitChild { parent: self.thread.tid, which: pid as i32, options }, [0; Used::BYTES]);
        self.services.clients.procs.call(wanted, &mut used[..]).await.is_ok_and(|waited| waited.pid == pid)
    }

    /// The process that descriptor `number` is of. `EBADF`: it is of none.
    pub(crate) async fn process_of(&mut self, number: u64) -> Result<(WatchedProcess, FileDescriptor), Errno> {
        let descriptor = *self.program.files.get(number)?;
        let Handle { board, number, generation } =
            descriptor.object.events(EventSort::Process).map_err(|_| Errno::EBADF)?;
        let process = self.services.events(board)?.call_retrying(AskProcess { number, generation }, ()).await;
        // With its board it has ended.
        let process = process.map_err(|errno| match self.note_loss(descriptor.object, errno, false) {
            Errno::EIO => Errno::ESRCH,
            errno => errno,
        })?;
        Ok((process, descriptor))
    }

    /// Process `pid`, this slot's, has ended, and who watches it may wait for it.
    pub(crate) async fn report_end(&mut self, pid: u32) {
        if let Some(mut events) = self.services.clients.own_events.at(0) {
            // No server refuses it.
            let _ = events.call(EndProcess { pid }, ()).await;
        }
    }

    pub(crate) async fn signal_process(&mut self) -> SyscallResult<()> {
        let (number, signal, info, flags) = (self.argument(0), self.int(1), self.argument(2), self.int(3));
        if flags != 0 {
            return Err(Errno::EINVAL.into());
        }
        let (WatchedProcess { pid, ended }, _) = self.process_of(number).await?;
        let mut cause = self.cause(SI_USER);
        if info != 0 {
            let mut bytes = [0; INFO_BYTES];
            self.get(info, &mut bytes).await?;
            if int_at(&bytes, 0) != signal {
                return Err(Errno::EINVAL.into());
            }
            cause = queued_cause(&bytes, pid == self.thread.tid || pid == self.program.pid)?;
        }
        let signal = u8::try_from(signal).ok().filter(|&signal| signal <= SIGNALS).ok_or(Errno::EINVAL)?;
        match ended {
            true if self.is_ended_child(pid).await => Ok(()),
            true => Err(Errno::ESRCH.into()),
            false => Ok(self.send(pid, signal, cause).await?),
        }
    }
}
