//! Words of memory that programs wait for (futex(2)), and what a program that ends leaves locked.
//!
//! Invariant: a program is in a queue before it reads the word, and is out of it when the call ends, however it ends.
//! So a wake after the word has changed finds every program that read the old value. Not here: the queues
//! (`renga_futex`).

use crate::user::slot::{User, leaving};
use crate::user::state::{SyscallEscape, SyscallResult, restartable_as};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_memory::FaultError;
use renga_proto::clock::{AwaitWake, CalendarTime};
use renga_proto::futex::{ANY_BITS, FutexKey, FutexScope, JoinQueue, MoveWaiters, WakeFutex, WasWoken};
use renga_rt::user::AccessKind;
use renga_rt::{Errno, Word};

const FUTEX_COMMAND: u32 = 0x7f;
const FUTEX_WAIT: u32 = 0;
const FUTEX_WAKE: u32 = 1;
const FUTEX_REQUEUE: u32 = 3;
const FUTEX_CMP_REQUEUE: u32 = 4;
const FUTEX_WAKE_OP: u32 = 5;
const FUTEX_WAIT_BITSET: u32 = 9;
const FUTEX_WAKE_BITSET: u32 = 10;
const FUTEX_PRIVATE: u32 = 0x80;
const FUTEX_CLOCK_REALTIME: u32 = 0x100;

/// Of a word that is a lock: others wait for it.
const FUTEX_WAITERS: u32 = 1 << 31;
/// Of a word that is a lock: its owner ended without unlocking it.
const FUTEX_OWNER_DIED: u32 = 1 << 30;
/// Of a word that is a lock: its owner.
const FUTEX_OWNER: u32 = FUTEX_OWNER_DIED - 1;
/// `struct robust_list_head`, and the entries of a list that are looked at, as on Linux.
const ROBUST_HEAD_BYTES: u64 = 24;
const ROBUST_ENTRIES_MAX: usize = 2_048;
/// Attempts to have a page that no other program has.
const CHANGES_MAX: u32 = 4;
/// In the address of an entry: it inherits priorities, which none does here.
const ROBUST_INHERITS: u64 = 1;

/// A word, and the board that keeps who waits for it.
#[derive(Clone, Copy)]
struct FutexWord {
    board: u8,
    key: FutexKey,
}

/// What `FUTEX_WAKE_OP` does to a word, and asks of what it was.
#[derive(Clone, Copy)]
struct WordChange(u32);

impl WordChange {
    /// The 12 bits from `shift` on, with their sign.
    fn number(self, shift: u32) -> i32 {
        ((self.0 >> shift) << 20) as i32 >> 20
    }

    /// What the word becomes.
    fn of(self, before: u32) -> Result<u32, Errno> {
        let number = self.number(12) as u32;
        let number = if self.0 >> 31 != 0 { 1 << (number & 31) } else { number };
        match self.0 >> 28 & 7 {
            0 => Ok(number),
            1 => Ok(before.wrapping_add(number)),
            2 => Ok(before | number),
            3 => Ok(before & !number),
            4 => Ok(before ^ number),
            _ => Err(Errno::ENOSYS),
        }
    }

    /// Whether what it was is as asked.
    fn holds(self, before: u32) -> Result<bool, Errno> {
        let (before, number) = (before as i32, self.number(0));
        match self.0 >> 24 & 15 {
            0 => Ok(before == number),
            1 => Ok(before != number),
            2 => Ok(before < number),
            3 => Ok(before <= number),
            4 => Ok(before > number),
            5 => Ok(before >= number),
            _ => Err(Errno::ENOSYS),
        }
    }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn futex(&mut self) -> SyscallResult {
        let (address, operation, value, limit) = (self.argument(0), self.int(1), self.int(2), self.argument(3));
        let bits = self.int(5);
        let private = operation & FUTEX_PRIVATE != 0;
        let by_calendar = operation & FUTEX_CLOCK_REALTIME != 0;
        match operation & !(FUTEX_PRIVATE | FUTEX_CLOCK_REALTIME) {
            FUTEX_WAIT if !by_calendar => {
                let until_ns = self.time_limit(limit).await?;
                self.wait_for_word(address, (private, value, ANY_BITS), until_ns).await
            }
            FUTEX_WAIT_BITSET => {
                let until_ns = self.futex_limit(limit, by_calendar).await?;
                self.wait_for_word(address, (private, value, bits), until_ns).await
            }
            FUTEX_WAKE if !by_calendar => Ok(self.wake_word(address, private, (value, ANY_BITS)).await?),
            FUTEX_WAKE_BITSET if !by_calendar => Ok(self.wake_word(address, private, (value, bits)).await?),
            FUTEX_REQUEUE if !by_calendar => Ok(self.move_waiters(address, private, None).await?),
            FUTEX_CMP_REQUEUE if !by_calendar => Ok(self.move_waiters(address, private, Some(bits)).await?),
            FUTEX_WAKE_OP if !by_calendar => Ok(self.change_and_wake(address, private).await?),
            // Inherited priorities.
            _ => Err(Errno::ENOSYS.into()),
        }
    }

    /// When a wait ends whose `struct timespec` at `time` is a time since boot, or of the calendar as it is now; 0:
    /// never.
    async fn futex_limit(&mut self, time: u64, by_calendar: bool) -> Result<Option<u64>, Errno> {
        if time == 0 {
            return Ok(None);
        }
        let until_ns = self.get_time(time).await?;
        if !by_calendar {
            return Ok(Some(until_ns));
        }
        let calendar_ns = self.services.clients.clock.call(CalendarTime {}, ()).await?;
        Ok(Some(self.me.now_ns().saturating_add(until_ns.saturating_sub(calendar_ns))))
    }

    /// The word at `address`, which may be waited for.
    fn word_at(&mut self, address: u64, private: bool) -> Result<FutexWord, Errno> {
        if !address.is_multiple_of(size_of::<u32>() as u64) {
            return Err(Errno::EINVAL);
        }
        let Some(space) = &self.program.space else { return Err(Errno::EFAULT) };
        let own = (self.services.board, FutexScope::Private, u64::from(space.number()), address);
        let (board, scope, object, offset) = match space.shared_at(address) {
            None if !space.has_area_at(address) => return Err(Errno::EFAULT),
            Some((object, offset)) if !private => {
                let board = if object.is_object() { self.services.board } else { self.services.file_board };
                (board, FutexScope::Shared, object.id().to_word(), offset)
            }
            _ => own,
        };
        Ok(FutexWord { board, key: FutexKey { scope, object, offset } })
    }

    /// Waits until the word at `address`, which must have `value`, is woken with one of `bits`.
    async fn wait_for_word(
        &mut self,
        address: u64,
        (private, value, bits): (bool, u32, u32),
        until_ns: Option<u64>,
    ) -> SyscallResult {
        if bits == 0 {
            return Err(Errno::EINVAL.into());
        }
        let FutexWord { board, key } = self.word_at(address, private)?;
        let slot = self.facts.slot;
        self.services.futexes(board)?.call(JoinQueue { key, bits, slot }, ()).await?;
        let waited = match self.get_int(address).await {
            Ok(now) if now == value => self.await_woken(board, until_ns).await,
            Ok(_) => Err(Errno::EAGAIN.into()),
            Err(errno) => Err(errno.into()),
        };
        if waited.is_ok() {
            return Ok(0);
        }
        // A board that died with the word has no queue any more, and nobody will wake this program.
        match self.services.futexes(board)?.call(WasWoken { slot, leaves: true }, ()).await {
            Ok(true) => Ok(0),
            _ => {
                if waited == Err(SyscallEscape::RestartUnlessHandled) && self.int(1) & FUTEX_COMMAND == FUTEX_WAIT {
                    self.thread.deadline_ns = until_ns; // its argument is a time from now
                }
                waited.map(|()| 0)
            }
        }
    }

    /// Waits until the keeper of `board` has woken this program, which is in one of its queues.
    async fn await_woken(&mut self, board: u8, until_ns: Option<u64>) -> SyscallResult<()> {
        let slot = self.facts.slot;
        let interrupted = if until_ns.is_some() { SyscallEscape::RestartUnlessHandled } else { SyscallEscape::Restart };
        // Each pass waits for a wake, which may be that of an earlier wait, or the time.
        loop {
            if self.check_signals || self.me.wait_cancelled() {
                return Err(interrupted);
            }
            if until_ns.is_some_and(|until_ns| until_ns <= self.me.now_ns()) {
                return Err(Errno::ETIMEDOUT.into());
            }
            let wait = AwaitWake { slot, until_ns: until_ns.unwrap_or(u64::MAX), boards: 1 << board };
            let waited = leaving!(self, self.services.clients.clock.call(wait, ()));
            restartable_as(interrupted, waited)?;
            if self.services.futexes(board)?.call(WasWoken { slot, leaves: false }, ()).await? {
                return Ok(());
            }
        }
    }

    /// Wakes the first `count` that wait for the word at `address` with one of `bits`; how many.
    async fn wake_word(&mut self, address: u64, private: bool, (count, bits): (u32, u32)) -> Result<u64, Errno> {
        if bits == 0 {
            return Err(Errno::EINVAL);
        }
        let FutexWord { board, key } = self.word_at(address, private)?;
        let count = (count as i32).max(1) as u32; // as on Linux
        self.services.futexes(board)?.call(WakeFutex { key, bits, count }, ()).await.map(u64::from)
    }

    /// Wakes some that wait for the word at `address`, and has others wait for a second word, if the first has `value`.
    async fn move_waiters(&mut self, address: u64, private: bool, value: Option<u32>) -> Result<u64, Errno> {
        let (count, moves, to) = (self.int(2), self.int(3), self.argument(4));
        if (count | moves) >> (u32::BITS - 1) != 0 {
            return Err(Errno::EINVAL);
        }
        let FutexWord { board, key } = self.word_at(address, private)?;
        let target = self.word_at(to, private)?;
        if let Some(value) = value
            && value != self.get_int(address).await?
        {
            return Err(Errno::EAGAIN);
        }
        let mut futexes = self.services.futexes(board)?;
        let moved = if (board, key.at(target.key.offset)) == (target.board, target.key) {
            futexes.call(MoveWaiters { key, offset: target.key.offset, count, moves }, ()).await
        } else {
            // Words of two objects have two queues: who would be moved is woken, and looks again.
            futexes.call(WakeFutex { key, bits: ANY_BITS, count: count.saturating_add(moves) }, ()).await
        };
        moved.map(u64::from)
    }

    /// Changes a second word, and wakes some that wait for the first one, and for the second if it was what is asked.
    async fn change_and_wake(&mut self, address: u64, private: bool) -> Result<u64, Errno> {
        let (count, more, second) = (self.int(2), self.int(3), self.argument(4));
        let change = WordChange(self.int(5));
        self.word_at(address, private)?;
        self.word_at(second, private)?;
        let before = self.change_word(second, change).await?;
        let also = change.holds(before)?;
        let woken = self.wake_word(address, private, (count, ANY_BITS)).await?;
        Ok(woken + if also { self.wake_word(second, private, (more, ANY_BITS)).await? } else { 0 })
    }

    /// Changes the word at `address`; what it was. Nobody comes between: no other program runs on this core, and where
    /// others could change it (`ENOSYS`) it is not done.
    async fn change_word(&mut self, address: u64, change: WordChange) -> Result<u32, Errno> {
        change.of(0)?;
        if self.me.program_cores().count_ones() > 1 {
            return Err(Errno::ENOSYS);
        }
        let (page, at) = (address & !(PAGE_BYTES as u64 - 1), (address % PAGE_BYTES as u64) as usize);
        let machine = self.machine;
        let (space, mut pager) = self.memory();
        for _ in 0..CHANGES_MAX {
            pager.fault(space, address, AccessKind::Write).await.map_err(FaultError::errno)?;
            let Some(mut bytes) = machine.page_to_write(space.root(), page) else { continue };
            let Some(word) = bytes[at..].first_chunk_mut() else { return Err(Errno::EINVAL) };
            let before = u32::from_le_bytes(*word);
            *word = change.of(before)?.to_le_bytes();
            return Ok(before);
        }
        Err(Errno::ENOSYS) // it is shared
    }

    /// Where the list of locks that others are to get if the program ends with them is.
    pub(crate) fn set_robust_list(&mut self) -> SyscallResult {
        if self.argument(1) != ROBUST_HEAD_BYTES {
            return Err(Errno::EINVAL.into());
        }
        self.thread.robust_list = self.argument(0);
        Ok(0)
    }

    pub(crate) async fn get_robust_list(&mut self) -> Result<(), Errno> {
        let (pid, head, length) = (self.int(0), self.argument(1), self.argument(2));
        if pid != 0 && pid != self.thread.tid {
            return Err(Errno::ESRCH);
        }
        self.put_words(length, [ROBUST_HEAD_BYTES]).await?;
        self.put_words(head, [self.thread.robust_list]).await
    }

    /// The program leaves its memory: others get the locks that it has, and see that its thread is gone. What is wrong
    /// with the list or an address is the program's loss.
    pub(crate) async fn leave_words(&mut self) {
        let list = core::mem::take(&mut self.thread.robust_list);
        if list != 0 {
            let _ = self.leave_locks(list).await;
        }
        let clear_tid = core::mem::take(&mut self.thread.clear_child_tid);
        let is_seen = |space: &renga_memory::Space| space.is_borrowed() || space.may_share(clear_tid);
        if clear_tid != 0
            && self.program.space.as_ref().is_some_and(is_seen)
            && self.put(clear_tid, &[0; 4]).await.is_ok()
        {
            let _ = self.wake_word(clear_tid, false, (1, ANY_BITS)).await;
        }
    }

    async fn leave_locks(&mut self, list: u64) -> Result<(), Errno> {
        let offset = self.get_word(list.wrapping_add(8)).await?;
        let pending = self.get_word(list.wrapping_add(16)).await? & !ROBUST_INHERITS;
        let mut entry = self.get_word(list).await? & !ROBUST_INHERITS;
        for _ in 0..ROBUST_ENTRIES_MAX {
            if entry == list || entry == 0 {
                break;
            }
            // First: the next owner may use the entry for its own list.
            let next = self.get_word(entry).await? & !ROBUST_INHERITS;
            if entry != pending {
                self.leave_lock(entry.wrapping_add(offset), false).await?;
            }
            entry = next;
        }
        if pending != 0 { self.leave_lock(pending.wrapping_add(offset), true).await } else { Ok(()) }
    }

    /// Others may have the lock at `address` if it is this program's; one that it `was_unlocking` may be free, and
    /// its waiters not know.
    async fn leave_lock(&mut self, address: u64, was_unlocking: bool) -> Result<(), Errno> {
        let word = self.get_int(address).await?;
        if word & FUTEX_OWNER == self.thread.tid & FUTEX_OWNER {
            // Who comes to wait meanwhile marks the word: it may not lose that mark, and it has it from now on.
            self.put(address, &(FUTEX_OWNER_DIED | FUTEX_WAITERS).to_le_bytes()).await?;
        } else if !was_unlocking || word & FUTEX_OWNER != 0 {
            return Ok(());
        }
        self.wake_word(address, false, (1, ANY_BITS)).await.map(|_| ())
    }
}
