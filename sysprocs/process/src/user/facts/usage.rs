//! What the program has used: times, faults, blocks (times(2), getrusage(2), wait4(2)).
//!
//! Own time is that of the program's instructions; system time is what its own process, other processes of its board
//! and other boards did for it. Not here: how it is counted (`renga_core::account`).

use crate::user::User;
use crate::user::escape::Outcome;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::procs::UsageOf;
use renga_rt::Errno;
use renga_rt::account::{Count, Counts};

/// Bytes of `struct rusage`.
const USAGE_BYTES: usize = 144;
/// Bytes of `struct tms`.
const TIMES_BYTES: usize = 32;
/// Sectors in a block, as `struct rusage` counts.
const SECTORS_PER_BLOCK: u64 = 8;
const KIB_PER_FRAME: u64 = PAGE_BYTES as u64 / 1024;
const NS_PER_S: u64 = 1_000_000_000;
const NS_PER_US: u64 = 1_000;
/// Ticks of `times`.
const NS_PER_TICK: u64 = NS_PER_S / 100;
const RUSAGE_SELF: u32 = 0;
const RUSAGE_THREAD: u32 = 1;
const RUSAGE_CHILDREN: u32 = -1i32 as u32;

/// What a program used, or its children that it has waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Time of own instructions, ns.
    pub user_ns: u64,
    /// Time of what others did for it, ns.
    pub system_ns: u64,
    /// Faults served from memory in bits 0..32, others in 32..64.
    pub faults: u64,
    /// Most page frames at a time; of children, of the one that had most.
    pub frames: u32,
}

impl Usage {
    /// Both together.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            user_ns: self.user_ns.saturating_add(other.user_ns),
            system_ns: self.system_ns.saturating_add(other.system_ns),
            faults: self.faults.wrapping_add(other.faults),
            frames: self.frames.max(other.frames),
        }
    }

    /// A `struct rusage` with `more` words at their places.
    pub fn to_bytes(self, more: &[(usize, u64)]) -> [u8; USAGE_BYTES] {
        let mut bytes = [0; USAGE_BYTES];
        let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        for (at, ns) in [(0, self.user_ns), (16, self.system_ns)] {
            put(at, ns / NS_PER_S);
            put(at + 8, ns % NS_PER_S / NS_PER_US);
        }
        put(32, u64::from(self.frames) * KIB_PER_FRAME);
        put(64, self.faults & u64::from(u32::MAX));
        put(72, self.faults >> 32);
        more.iter().for_each(|&(at, word)| put(at, word));
        bytes
    }
}

/// Bytes of all counts of an account.
const COUNTS_BYTES: usize = 8 * Count::ALL.len();

/// What an account says of times and faults.
fn counted(counts: &Counts) -> Usage {
    let of = |count: Count| counts[count as usize];
    Usage {
        user_ns: of(Count::UserNs),
        system_ns: of(Count::SystemNs) + of(Count::BehalfNs) + of(Count::ElsewhereNs),
        faults: of(Count::FaultsMinor) & u64::from(u32::MAX) | of(Count::FaultsMajor) << 32,
        frames: 0,
    }
}

impl<M: UserMemory + ?Sized> User<M> {
    fn counted(&self, count: Count) -> u64 {
        self.me.counts(self.me.account())[count as usize]
    }

    /// What the program itself has used.
    pub(in crate::user) fn usage(&self) -> Usage {
        Usage { frames: self.program.frames_most, ..counted(&self.me.counts(self.me.account())) }
    }

    /// What process `pid` of any board has used, but for its frames.
    pub(in crate::user) async fn usage_of(&mut self, pid: u32) -> Result<Usage, Errno> {
        let (mut bytes, mut counts) = ([0; COUNTS_BYTES], [0; Count::ALL.len()]);
        let Ok(mut procs) = self.services.procs_of(pid) else { return Err(Errno::EINVAL) };
        // As on Linux, there is no clock of nobody.
        procs.call(UsageOf { pid }, &mut bytes[..]).await.map_err(|_| Errno::EINVAL)?;
        for (count, bytes) in counts.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *count = u64::from_le_bytes(*bytes);
        }
        Ok(counted(&counts))
    }

    /// Whether anything was fetched for the program from a medium or another board, told by a number that grows.
    pub(in crate::user) fn fetched(&self) -> u64 {
        self.counted(Count::BlocksRead) + self.counted(Count::LinkFrames)
    }

    pub(in crate::user) async fn get_usage(&mut self) -> Outcome {
        let bytes = match self.int(0) {
            RUSAGE_SELF | RUSAGE_THREAD => {
                let counts = self.me.counts(self.me.account());
                let blocks = |count: Count| counts[count as usize] * SECTORS_PER_BLOCK;
                let turns = |count: Count| counts[count as usize];
                self.usage().to_bytes(&[
                    (88, blocks(Count::BlocksRead)),
                    (96, blocks(Count::BlocksWritten)),
                    (128, turns(Count::TurnsGiven)),
                    (136, turns(Count::TurnsTaken)),
                ])
            }
            RUSAGE_CHILDREN => self.program.children.to_bytes(&[]),
            _ => return Err(Errno::EINVAL.into()),
        };
        self.put(self.argument(1), &bytes).await?;
        Ok(0)
    }

    pub(in crate::user) async fn get_times(&mut self) -> Outcome {
        if self.argument(0) != 0 {
            let (own, children) = (self.usage(), self.program.children);
            let mut bytes = [0; TIMES_BYTES];
            let times = [own.user_ns, own.system_ns, children.user_ns, children.system_ns];
            for (place, ns) in bytes.chunks_exact_mut(8).zip(times) {
                place.copy_from_slice(&(ns / NS_PER_TICK).to_le_bytes());
            }
            self.put(self.argument(0), &bytes).await?;
        }
        Ok(self.me.now_ns() / NS_PER_TICK)
    }
}
