//! How the program shares the core with others: nice values, classes, priorities (sched(7)).
//!
//! Invariant: a policy is kept with the account of a program, on its board; its board's table of processes changes it.
//! Not here: what a policy means (`renga_abi::policy`), turns (`renga-core`).

use crate::user::slot::user::User;
use crate::user::state::syscall_result::SyscallResult;
use renga_hal::memory::UserMemory;
use renga_proto::procs::{ASK_POLICY, PolicyOf, Schedule};
use renga_rt::Errno;
use renga_rt::policy::{Class, NICE_MAX, NICE_MIN, PRIORITY_MAX, Policy};

const SCHED_OTHER: u32 = 0;
const SCHED_FIFO: u32 = 1;
const SCHED_RR: u32 = 2;
const SCHED_BATCH: u32 = 3;
const SCHED_IDLE: u32 = 5;
const PRIO_PROCESS: u32 = 0;
/// What `getpriority` returns for nice value 0: more for who goes before.
const PRIORITY_NICE_0: i64 = 20;
/// Bytes of `struct sched_attr` as first defined.
const ATTRIBUTES_BYTES: usize = 48;
const NS_PER_S: u64 = 1_000_000_000;

fn class(number: u32) -> Result<Class, Errno> {
    match number {
        SCHED_OTHER => Ok(Class::Fair),
        SCHED_FIFO => Ok(Class::Fifo),
        SCHED_RR => Ok(Class::RoundRobin),
        SCHED_BATCH => Ok(Class::Batch),
        SCHED_IDLE => Ok(Class::Idle),
        _ => Err(Errno::EINVAL),
    }
}

/// The lowest and the highest priority of a class.
fn priorities(class: Class) -> (u8, u8) {
    match class {
        Class::Fifo | Class::RoundRobin => (1, PRIORITY_MAX),
        Class::Fair | Class::Batch | Class::Idle => (0, 0),
    }
}

/// `old`, with another class and priority.
fn changed(old: Policy, class: Class, priority: u32) -> Result<Policy, Errno> {
    let (least, most) = priorities(class);
    let fits = (u32::from(least)..=u32::from(most)).contains(&priority);
    if fits { Ok(Policy { class, priority: priority as u8, ..old }) } else { Err(Errno::EINVAL) }
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(crate) fn yield_slice(&mut self) -> SyscallResult {
        self.me.yield_slice();
        Ok(0)
    }

    /// The policy of the process that argument 0 means; `change` sees it and says what it is to be.
    async fn with_policy(
        &mut self,
        pid: u32,
        change: impl Fn(Policy) -> Result<Policy, Errno>,
    ) -> Result<Policy, Errno> {
        if pid as i32 <= -1 {
            return Err(Errno::EINVAL);
        }
        let old = self.schedule_of(pid, ASK_POLICY).await?.policy;
        let new = change(old)?;
        if new != old {
            self.schedule_of(pid, new.to_word()).await?;
        }
        Ok(old)
    }

    /// How process `pid`, or this one if that is 0, is scheduled; changed to `change` unless that is `ASK_POLICY`.
    pub(crate) async fn schedule_of(&mut self, pid: u32, change: u64) -> Result<Schedule, Errno> {
        let pid = if pid == 0 { self.program.pid } else { pid };
        let word = self.services.procs_of(pid)?.call(PolicyOf { pid, change }, ()).await?;
        Schedule::from_word(word).ok_or(Errno::EIO)
    }

    async fn policy_of(&mut self, pid: u32) -> Result<Policy, Errno> {
        self.with_policy(pid, Ok).await
    }

    pub(crate) async fn set_priority(&mut self) -> SyscallResult {
        if self.int(0) != PRIO_PROCESS {
            return Err(Errno::EINVAL.into());
        }
        let nice = (self.int(2) as i32).clamp(NICE_MIN.into(), NICE_MAX.into()) as i8;
        self.with_policy(self.int(1), |old| Ok(Policy { nice, ..old })).await?;
        Ok(0)
    }

    pub(crate) async fn get_priority(&mut self) -> SyscallResult {
        if self.int(0) != PRIO_PROCESS {
            return Err(Errno::EINVAL.into());
        }
        let nice = self.policy_of(self.int(1)).await?.nice;
        Ok((PRIORITY_NICE_0 - i64::from(nice)) as u64)
    }

    pub(crate) async fn set_scheduler(&mut self) -> SyscallResult {
        let class = class(self.int(1))?;
        let priority = self.get_int(self.argument(2)).await?;
        self.with_policy(self.int(0), |old| changed(old, class, priority)).await?;
        Ok(0)
    }

    pub(crate) async fn get_scheduler(&mut self) -> SyscallResult {
        Ok(self.policy_of(self.int(0)).await?.to_word() & 0xff)
    }

    pub(crate) async fn set_scheduler_parameters(&mut self) -> SyscallResult {
        let priority = self.get_int(self.argument(1)).await?;
        self.with_policy(self.int(0), |old| changed(old, old.class, priority)).await?;
        Ok(0)
    }

    pub(crate) async fn get_scheduler_parameters(&mut self) -> SyscallResult {
        let priority = self.policy_of(self.int(0)).await?.priority;
        self.put(self.argument(1), &u32::from(priority).to_le_bytes()).await?;
        Ok(0)
    }

    pub(crate) fn get_priority_max(&mut self) -> SyscallResult {
        Ok(priorities(class(self.int(0))?).1.into())
    }

    pub(crate) fn get_priority_min(&mut self) -> SyscallResult {
        Ok(priorities(class(self.int(0))?).0.into())
    }

    pub(crate) async fn get_round_robin_interval(&mut self) -> SyscallResult {
        let slice_ns = self.policy_of(self.int(0)).await?.class.slice_ns();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&(slice_ns / NS_PER_S).to_le_bytes());
        bytes[8..].copy_from_slice(&(slice_ns % NS_PER_S).to_le_bytes());
        self.put(self.argument(1), &bytes).await?;
        Ok(0)
    }

    pub(crate) async fn set_scheduler_attributes(&mut self) -> SyscallResult {
        let mut bytes = [0; ATTRIBUTES_BYTES];
        self.get(self.argument(1), &mut bytes).await?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (class, nice, priority) = (class(word(4))?, word(16) as i32, word(20));
        if self.int(2) != 0 || word(8) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let nice = nice.clamp(NICE_MIN.into(), NICE_MAX.into()) as i8;
        self.with_policy(self.int(0), |old| Ok(Policy { nice, ..changed(old, class, priority)? })).await?;
        Ok(0)
    }

    pub(crate) async fn get_scheduler_attributes(&mut self) -> SyscallResult {
        if u64::from(self.int(2)) < ATTRIBUTES_BYTES as u64 || self.int(3) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let policy = self.policy_of(self.int(0)).await?;
        let mut bytes = [0; ATTRIBUTES_BYTES];
        let class = (policy.to_word() & 0xff) as u32;
        let words = [
            (0, ATTRIBUTES_BYTES as u32),
            (4, class),
            (16, i32::from(policy.nice) as u32),
            (20, u32::from(policy.priority)),
        ];
        for (at, word) in words {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        self.put(self.argument(1), &bytes).await?;
        Ok(0)
    }

    async fn get_int(&mut self, address: u64) -> Result<u32, Errno> {
        let mut bytes = [0; 4];
        self.get(address, &mut bytes).await?;
        Ok(u32::from_le_bytes(bytes))
    }
}
