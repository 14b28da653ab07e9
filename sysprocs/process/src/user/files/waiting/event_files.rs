//! Descriptors that are read as a number: counts (eventfd) and timers (timerfd).
//!
//! Invariant: who finds nothing to take waits at the clock, as in `poll`, and tries again when it is woken; so both are
//! inherited, polled and waited for across boards as pipes are. Not here: the counts and times (`renga_clock`).

use crate::user::facts::time::{CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_REALTIME};
use crate::user::slot::{User, leaving};
use crate::user::state::open_flags::{O_CLOEXEC, O_NONBLOCK, O_RDWR};
use crate::user::state::{
    EventSort, FileDescriptor, Handle, Object, SyscallEscape, SyscallResult, TransferMode, restartable,
};
use renga_hal::memory::UserMemory;
use renga_proto::clock::{AwaitWake, Left};
use renga_proto::events::{
    AddCount, AskTimerFile, EventFile, EventKind, MakeEvents, SetTimerFile, SetWaiting, TakeCount,
};
use renga_proto::pipe::NO_PROGRAM;
use renga_rt::Errno;

/// Bytes of what is read and written.
const NUMBER_BYTES: u64 = 8;
const EFD_SEMAPHORE: u32 = 1;
const TFD_TIMER_ABSTIME: u32 = 1;
const TFD_TIMER_CANCEL_ON_SET: u32 = 2;
/// Clocks that also wake a machine that sleeps, which ours never does.
const CLOCK_REALTIME_ALARM: u32 = 8;
const CLOCK_BOOTTIME_ALARM: u32 = 9;

impl<M: UserMemory> User<M> {
    pub(crate) async fn make_event_file(&mut self) -> Result<u64, Errno> {
        let (count, flags) = (self.int(0), self.int(1));
        if flags & !(EFD_SEMAPHORE | O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL);
        }
        let kind = if flags & EFD_SEMAPHORE != 0 { EventKind::Semaphore } else { EventKind::Count };
        self.add_events(MakeEvents { kind, count: count.into() }, EventSort::Count, flags).await
    }

    pub(crate) async fn make_timer_file(&mut self) -> Result<u64, Errno> {
        let (clock, flags) = (self.int(0), self.int(1));
        if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL);
        }
        let kind = match clock {
            CLOCK_REALTIME | CLOCK_REALTIME_ALARM => EventKind::CalendarTimer,
            CLOCK_MONOTONIC | CLOCK_BOOTTIME | CLOCK_BOOTTIME_ALARM => EventKind::Timer,
            _ => return Err(Errno::EINVAL),
        };
        self.add_events(MakeEvents { kind, count: 0 }, EventSort::Timer, flags).await
    }

    pub(crate) async fn add_events(&mut self, make: MakeEvents, sort: EventSort, flags: u32) -> Result<u64, Errno> {
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE);
        }
        let mut own = self.services.clients.own_events.at(0).ok_or(Errno::ENFILE)?;
        let made = own.call(make, ()).await?;
        self.add_event_file(self.services.board, made, sort, O_RDWR | flags & (O_CLOEXEC | O_NONBLOCK)).await
    }

    /// A descriptor of an event file that was made on `board`.
    pub(crate) async fn add_event_file(
        &mut self,
        board: u8,
        EventFile { number, generation }: EventFile,
        sort: EventSort,
        flags: u32,
    ) -> Result<u64, Errno> {
        let object = Object::Events { at: Handle { board, number, generation }, sort };
        if flags & O_NONBLOCK != 0 {
            let set = SetWaiting { number, generation, nonblocking: true };
            self.services.events(board)?.call(set, ()).await?;
        }
        self.add_descriptor(FileDescriptor::opened(object, 0, 0o600, flags & !O_NONBLOCK)).await
    }

    /// Reads a number to `place`, where there is room for `bytes`.
    pub(crate) async fn read_events(
        &mut self,
        file: &FileDescriptor,
        place: u64,
        bytes: u64,
        mode: TransferMode,
    ) -> SyscallResult {
        check(bytes, mode)?;
        let count = self.move_number(file, None, mode).await?;
        self.put(place, &count.to_le_bytes()).await?;
        Ok(NUMBER_BYTES)
    }

    /// Adds the number at `place`, where there are `bytes`.
    pub(crate) async fn write_events(
        &mut self,
        file: &FileDescriptor,
        place: u64,
        bytes: u64,
        mode: TransferMode,
    ) -> SyscallResult {
        file.object.events(EventSort::Count)?;
        check(bytes, mode)?;
        match self.get_word(place).await? {
            u64::MAX => Err(Errno::EINVAL.into()),
            add => self.move_number(file, Some(add), mode).await.map(|_| NUMBER_BYTES),
        }
    }

    /// Adds a number to those of an event file, or without one takes what there is, when that can be; the number.
    async fn move_number(&mut self, file: &FileDescriptor, add: Option<u64>, mode: TransferMode) -> SyscallResult {
        let Object::Events { at: Handle { board, number, generation }, .. } = file.object else {
            return Err(Errno::EINVAL.into());
        };
        let slot = if mode.nonblocking { NO_PROGRAM } else { self.facts.slot };
        // Each pass moves the number or waits.
        loop {
            let mut events = self.services.events(board)?;
            let moved = match add {
                Some(add) => events.call(AddCount { number, generation, add, slot }, ()).await.map(|()| add),
                None => events.call(TakeCount { number, generation, slot }, ()).await,
            };
            match moved {
                Err(Errno::EAGAIN) if !mode.nonblocking => self.await_events(board, file).await?,
                Err(errno) => return Err(self.note_loss(file.object, errno, false).into()),
                Ok(number) => return Ok(number),
            }
        }
    }

    /// Waits to be woken by a server of `board`, which has `file`, unless the descriptor is non-blocking.
    pub(super) async fn await_events(&mut self, board: u8, file: &FileDescriptor) -> Result<(), SyscallEscape> {
        if self.status_flags(file).await? & O_NONBLOCK != 0 {
            return Err(Errno::EAGAIN.into());
        }
        if self.check_signals || self.me.wait_cancelled() {
            return Err(SyscallEscape::Restart);
        }
        let wait = AwaitWake { slot: self.facts.slot, until_ns: u64::MAX, boards: 1 << board };
        restartable(leaving!(self, self.services.clients.clock.call(wait, ())))
    }

    /// The timer that argument 0 names.
    fn timer_file(&self) -> Result<(Object, Handle), Errno> {
        let object = self.program.files.get(self.argument(0))?.object;
        Ok((object, object.events(EventSort::Timer)?))
    }

    pub(crate) async fn set_timer_file(&mut self) -> Result<(), Errno> {
        let (flags, new, old) = (self.int(1), self.argument(2), self.argument(3));
        let Left { left_ns: at_ns, interval_ns } = self.get_setting(new, 1).await?;
        if flags & !(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) != 0 {
            return Err(Errno::EINVAL);
        }
        let (object, Handle { board, number, generation }) = self.timer_file()?;
        let (absolute, cancel_on_set) = (flags & TFD_TIMER_ABSTIME != 0, flags & TFD_TIMER_CANCEL_ON_SET != 0);
        let set = SetTimerFile { number, generation, at_ns, interval_ns, absolute, cancel_on_set };
        let left = self.services.events(board)?.call(set, ()).await;
        let left = left.map_err(|errno| self.note_loss(object, errno, false))?;
        self.put_old_setting(old, left, 1).await
    }

    pub(crate) async fn get_timer_file(&mut self) -> Result<(), Errno> {
        let (object, Handle { board, number, generation }) = self.timer_file()?;
        let left = self.services.events(board)?.call(AskTimerFile { number, generation }, ()).await;
        let left = left.map_err(|errno| self.note_loss(object, errno, false))?;
        self.put_setting(self.argument(1), left, 1).await
    }
}

/// Whether a number can be transferred so.
fn check(bytes: u64, mode: TransferMode) -> Result<(), Errno> {
    match mode.offset {
        Some(_) => Err(Errno::ESPIPE),
        None if bytes < NUMBER_BYTES => Err(Errno::EINVAL),
        None => Ok(()),
    }
}
