//! What the program has used: times, faults, blocks (times(2), getrusage(2), wait4(2)).
//!
//! Own time is that of the program's instructions; system time is what its own process, other processes of its board
//! and other boards did for it. Not here: how it is counted (`renga_core::account`).

use crate::user::facts::time::{NS_PER_S, NS_PER_US};
use crate::user::slot::User;
use crate::user::state::SyscallResult;
use crate::user::state::fields::put_words;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::procs::UsageOf;
use renga_proto::used::Used;
use renga_rt::Errno;
use renga_rt::account::{Count, Counts};

const USAGE_BYTES: usize = 144;
/// Sectors in a block, as `struct rusage` counts.
const SECTORS_PER_BLOCK: u64 = 8;
const KIB_PER_FRAME: u64 = PAGE_BYTES as u64 / 1024;
/// Ticks of `times`.
const NS_PER_TICK: u64 = NS_PER_S / 100;
const RUSAGE_SELF: u32 = 0;
const RUSAGE_THREAD: u32 = 1;
const RUSAGE_CHILDREN: u32 = -1i32 as u32;

/// A `struct rusage`.
pub(crate) fn resource_usage(used: Used) -> [u8; USAGE_BYTES] {
    let mut bytes = [0; USAGE_BYTES];
    for (at, ns) in [(0, used.user_ns), (16, used.system_ns)] {
        put_words(&mut bytes, [(at, ns / NS_PER_S), (at + 8, ns % NS_PER_S / NS_PER_US)]);
    }
    let words = [
        (32, used.frames * KIB_PER_FRAME),
        (64, used.faults_minor),
        (72, used.faults_major),
        (88, used.blocks_read * SECTORS_PER_BLOCK),
        (96, used.blocks_written * SECTORS_PER_BLOCK),
        (128, used.turns_given),
        (136, used.context_switches),
    ];
    put_words(&mut bytes, words);
    bytes
}

/// Bytes of all counts of an account.
const COUNTS_BYTES: usize = 8 * Count::ALL.len();

/// What an account says, but for frames.
fn counted(counts: &Counts) -> Used {
    let of = |count: Count| counts[count as usize];
    Used {
        user_ns: of(Count::UserNs),
        system_ns: of(Count::SystemNs) + of(Count::BehalfNs) + of(Count::ElsewhereNs),
        faults_minor: of(Count::FaultsMinor),
        faults_major: of(Count::FaultsMajor),
        blocks_read: of(Count::BlocksRead),
        blocks_written: of(Count::BlocksWritten),
        turns_given: of(Count::VoluntarySwitches),
        context_switches: of(Count::InvoluntarySwitches),
        frames: 0,
    }
}

impl<M: UserMemory> User<M> {
    fn counted(&self, count: Count) -> u64 {
        self.me.counts(self.me.account())[count as usize]
    }

    /// What the program itself has used: this thread, and those that have ended.
    pub(crate) fn usage(&self) -> Used {
        let used = self.usage_of_thread();
        if self.group.is_some() || self.program.past_threads.user_ns != 0 {
            return Used { frames: used.frames, ..used.plus(self.program.past_threads) };
        }
        used
    }

    /// What the program itself has used, with all threads that it has.
    async fn usage_of_all(&mut self) -> Result<Used, Errno> {
        if self.group.is_none() {
            return Ok(self.usage());
        }
        let used = self.usage_of(self.program.pid).await?;
        Ok(Used { frames: self.program.frames_most.into(), ..used })
    }

    /// What this thread has used, and the memory of all.
    pub(crate) fn usage_of_thread(&self) -> Used {
        Used { frames: self.program.frames_most.into(), ..counted(&self.me.counts(self.me.account())) }
    }

    /// What process `pid` of any board has used, but for its frames.
    pub(crate) async fn usage_of(&mut self, pid: u32) -> Result<Used, Errno> {
        let (mut bytes, mut counts) = ([0; COUNTS_BYTES], [0; Count::ALL.len()]);
        let Ok(mut procs) = self.services.procs_of(pid) else { return Err(Errno::EINVAL) };
        // As on Linux, a process that is gone has no clock.
        procs.call(UsageOf { pid }, &mut bytes[..]).await.map_err(|_| Errno::EINVAL)?;
        for (count, bytes) in counts.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *count = u64::from_le_bytes(*bytes);
        }
        Ok(counted(&counts))
    }

    /// Whether anything was fetched for the program from a medium or another board, as a number that grows.
    pub(crate) fn fetched(&self) -> u64 {
        self.counted(Count::BlocksRead) + self.counted(Count::LinkFrames)
    }

    pub(crate) async fn get_usage(&mut self) -> Result<(), Errno> {
        let used = match self.int(0) {
            RUSAGE_SELF => self.usage_of_all().await?,
            RUSAGE_THREAD => self.usage_of_thread(),
            RUSAGE_CHILDREN => self.program.children,
            _ => return Err(Errno::EINVAL),
        };
        self.put(self.argument(1), &resource_usage(used)).await
    }

    pub(crate) async fn get_times(&mut self) -> SyscallResult {
        if self.argument(0) != 0 {
            let (own, children) = (self.usage_of_all().await?, self.program.children);
            let times = [own.user_ns, own.system_ns, children.user_ns, children.system_ns];
            self.put_words(self.argument(0), times.map(|ns| ns / NS_PER_TICK)).await?;
        }
        Ok(self.me.now_ns() / NS_PER_TICK)
    }
}
