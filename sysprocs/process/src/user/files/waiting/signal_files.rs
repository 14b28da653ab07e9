//! Signals that are read from a descriptor (signalfd).
//!
//! Invariant: the set is the descriptor's; the signals are the reader's, as on Linux. While a program waits for
//! them, the keeper of processes counts them as not blocked, so that they end the wait; it may believe so for longer,
//! and interrupt for nothing. Not here: waiting for other things too (`poll.rs`).

use crate::signals::{SIGCHLD, SignalSet, UNSTOPPABLE};
use crate::user::signals::frame::{SI_TIMER, SignalOrigin};
use crate::user::slot::User;
use crate::user::state::fields::{put_ints, put_words};
use crate::user::state::open_flags::{O_CLOEXEC, O_NONBLOCK, O_RDWR};
use crate::user::state::{EventSort, FileDescriptor, Object, SyscallEscape, SyscallResult, TransferMode};
use renga_hal::memory::UserMemory;
use renga_proto::procs::{Cause, PendingSignals};
use renga_rt::{Errno, apart};

/// Bytes of a `struct signalfd_siginfo`.
const INFO_BYTES: usize = 128;
/// No descriptor yet.
const NEW: u32 = -1i32 as u32;
/// Bytes of a signal set, which the call wants to hear.
const SET_BYTES: u64 = 8;

/// The `struct signalfd_siginfo` of `signal`.
fn info(signal: u8, origin: SignalOrigin) -> [u8; INFO_BYTES] {
    let mut info = [0; INFO_BYTES];
    put_ints(&mut info, [(0, signal.into())]);
    if let SignalOrigin::Sent { cause: Cause { code, sender, value, .. }, overruns } = origin {
        // A timer's number and a child's status have places of their own.
        let (pid, timer) = if code == SI_TIMER { (0, sender.pid) } else { (sender.pid, 0) };
        let status = if signal == SIGCHLD { value as u32 } else { 0 };
        put_ints(
            &mut info,
            [
                (8, code as u32),
                (12, pid),
                (16, sender.uid),
                (24, timer),
                (32, overruns),
                (40, status),
                (44, value as u32),
            ],
        );
        put_words(&mut info, [(48, value)]);
    }
    info
}

impl<M: UserMemory> User<M> {
    /// signalfd4: a descriptor of the set at `place`, or another set for one that is there.
    pub(crate) async fn make_signal_file(&mut self) -> Result<u64, Errno> {
        let (number, place, flags) = (self.int(0), self.argument(1), self.int(3));
        if self.argument(2) != SET_BYTES || flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL);
        }
        let mask = self.get_word(place).await? & !UNSTOPPABLE;
        if number == NEW {
            let object = Object::Signals { mask, id: self.draw_id() };
            return self.add_descriptor(FileDescriptor::opened(object, 0, 0o600, O_RDWR | flags)).await;
        }
        match self.program.files.get(number.into())?.object {
            Object::Signals { id, .. } => self.program.files.change(number.into(), Object::Signals { mask, id }),
            _ => return Err(Errno::EINVAL),
        }
        Ok(number.into())
    }

    /// Which signal descriptor a new one is: three bytes that are most unlikely to be those of one that was closed.
    fn draw_id(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.services.random.fill(&mut bytes[..3]);
        u32::from_le_bytes(bytes)
    }

    /// Which of `mask` wait.
    pub(crate) async fn waiting_of(&mut self, mask: SignalSet) -> Result<SignalSet, Errno> {
        let pid = self.thread.tid;
        Ok(self.services.clients.procs.call(PendingSignals { pid }, ()).await? & mask)
    }

    /// Reads records of `file`: a number of an event file, or signals.
    pub(crate) async fn read_records(
        &mut self,
        file: &FileDescriptor,
        place: u64,
        bytes: u64,
        mode: TransferMode,
    ) -> SyscallResult {
        match (file.object, mode.offset) {
            (Object::Signals { mask, .. }, None) => self.read_signals(mask, file, place, bytes).await,
            (Object::Events { sort: EventSort::Notices, .. }, None) => {
                apart!(self.read_notices(file, place, bytes, mode))
            }
            _ => self.read_events(file, place, bytes, mode).await,
        }
    }

    /// Reads as many signals as there are and have room in `bytes` bytes at `place`, at least one.
    async fn read_signals(&mut self, mask: SignalSet, file: &FileDescriptor, place: u64, bytes: u64) -> SyscallResult {
        let room = bytes / INFO_BYTES as u64;
        if room == 0 {
            return Err(Errno::EINVAL.into());
        }
        let until_ns = (file.flags & O_NONBLOCK != 0).then_some(0);
        let mut next = Some(self.take_or_await(mask, until_ns).await.map_err(|escape| match escape {
            SyscallEscape::Fail(Errno::EINTR) => SyscallEscape::Restart,
            other => other,
        })?);
        let mut count = 0;
        // Each pass passes a signal on.
        while let Some((signal, origin)) = next.take() {
            let at = place.wrapping_add(count * INFO_BYTES as u64);
            self.put(at, &info(signal, origin)).await?;
            count += 1;
            if count < room {
                next = self.take_wanted(mask).await?;
            }
        }
        Ok(count * INFO_BYTES as u64)
    }
}
