//! Signals that are read from a descriptor (signalfd).
//!
//! Invariant: the set is the descriptor's; the signals are those of whoever reads, as on Linux. While a program waits for
//! them, the keeper of processes counts them as not blocked, so that they end the wait; it may believe so for longer, and
//! interrupt for nothing. Not here: waiting for other things too (`poll.rs`).

use crate::signals::{SIGCHLD, SignalSet, UNSTOPPABLE};
use crate::user::User;
use crate::user::escape::{Escape, Outcome};
use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::open::{O_CLOEXEC, O_NONBLOCK, O_RDWR};
use crate::user::signals::delivery::Origin;
use renga_hal::memory::UserMemory;
use renga_proto::clock::AwaitWake;
use renga_proto::procs::{Cause, PendingSignals};
use renga_rt::Errno;

/// Bytes of a `struct signalfd_siginfo`.
const INFO_BYTES: usize = 128;
/// `si_code`: a timer expired.
const SI_TIMER: i32 = -2;
/// No descriptor yet.
const NEW: u32 = -1i32 as u32;
/// Bytes of a signal set, which the call wants to hear.
const SET_BYTES: u64 = 8;

/// The `struct signalfd_siginfo` of `signal`.
fn info(signal: u8, origin: Origin) -> [u8; INFO_BYTES] {
    let mut info = [0; INFO_BYTES];
    info[..4].copy_from_slice(&u32::from(signal).to_le_bytes());
    if let Origin::Sent { cause: Cause { code, sender, value, .. }, overruns } = origin {
        info[8..12].copy_from_slice(&code.to_le_bytes());
        // A timer's number and a child's status have places of their own.
        let (pid, timer) = if code == SI_TIMER { (0, sender) } else { (sender, 0) };
        info[12..16].copy_from_slice(&pid.to_le_bytes());
        info[24..28].copy_from_slice(&timer.to_le_bytes());
        info[32..36].copy_from_slice(&overruns.to_le_bytes());
        info[40..44].copy_from_slice(&if signal == SIGCHLD { value as u32 } else { 0 }.to_le_bytes());
        info[44..48].copy_from_slice(&(value as u32).to_le_bytes());
        info[48..56].copy_from_slice(&value.to_le_bytes());
    }
    info
}

impl<M: UserMemory + ?Sized> User<M> {
    /// signalfd4: a descriptor of the set at `place`, or another set for one that is there.
    pub(in crate::user) async fn make_signal_file(&mut self) -> Outcome {
        let (number, place, flags) = (self.int(0), self.argument(1), self.int(3));
        if self.argument(2) != SET_BYTES || flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let mask = self.get_word(place).await? & !UNSTOPPABLE;
        if number == NEW {
            let (flags, close_on_exec) = (O_RDWR | flags & O_NONBLOCK, flags & O_CLOEXEC != 0);
            let object = Object::Signals { mask, id: self.draw_id() };
            return self.add_descriptor(Descriptor { object, ino: 0, mode: 0o600, flags, close_on_exec }).await;
        }
        match self.program.files.get(number.into())?.object {
            Object::Signals { id, .. } => self.program.files.change(number.into(), Object::Signals { mask, id }),
            _ => return Err(Errno::EINVAL.into()),
        }
        Ok(number.into())
    }

    /// Which signal descriptor a new one is: three bytes that are most unlikely to be those of one that was closed.
    fn draw_id(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.services.fill_random(&mut bytes[..3]);
        u32::from_le_bytes(bytes)
    }

    /// Has signals of `mask` end a wait, though they are blocked or ignored.
    pub(in crate::user) async fn listen_for(&mut self, mask: SignalSet) {
        self.tell_ignored(mask).await;
    }

    /// Which of `mask` wait.
    pub(in crate::user) async fn waiting_of(&mut self, mask: SignalSet) -> Result<SignalSet, Errno> {
        let pid = self.program.pid;
        Ok(self.services.clients.procs.call(PendingSignals { pid }, ()).await? & mask)
    }

    /// Reads as many signals as there are and have room in `bytes` bytes at `place`, at least one.
    pub(in crate::user) async fn read_signals(&mut self, file: &Descriptor, place: u64, bytes: u64) -> Outcome {
        let Object::Signals { mask, .. } = file.object else { return Err(Errno::EINVAL.into()) };
        let room = bytes / INFO_BYTES as u64;
        if room == 0 {
            return Err(Errno::EINVAL.into());
        }
        let mut count = 0;
        // Each turn takes a signal, or waits for one.
        while count < room {
            if let Some((signal, origin)) = self.take_one_of(mask).await? {
                let at = place.wrapping_add(count * INFO_BYTES as u64);
                self.put(at, &info(signal, origin)).await?;
                count += 1;
            } else if count > 0 {
                break;
            } else if file.flags & O_NONBLOCK != 0 {
                return Err(Errno::EAGAIN.into());
            } else {
                self.await_one_of(mask).await?;
            }
        }
        Ok(count * INFO_BYTES as u64)
    }

    /// Waits until a signal of `mask` may be there; another one has the call made again.
    async fn await_one_of(&mut self, mask: SignalSet) -> Result<(), Escape> {
        self.listen_for(mask).await;
        if self.waiting_of(mask).await? != 0 {
            return Ok(());
        }
        if self.look_at_signals || self.me.wait_cancelled() {
            return Err(Escape::Restart);
        }
        let wait = AwaitWake { slot: self.facts.slot, until_ns: u64::MAX, boards: 0 };
        match self.services.clients.clock.call(wait, ()).await {
            Ok(()) | Err(Errno::EINTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Takes one of `mask`, if any waits.
    pub(in crate::user) async fn take_one_of(&mut self, mask: SignalSet) -> Result<Option<(u8, Origin)>, Escape> {
        if self.waiting_of(mask).await? == 0 {
            return Ok(None);
        }
        self.take_wanted(mask).await
    }
}
