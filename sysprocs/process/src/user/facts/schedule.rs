//! How the program shares the core with others: nice values, classes, priorities (sched(7)); and on which cores it may
//! run.
//!
//! Invariant: a policy is kept with the account of a program, on its board; its board's table of processes changes
//! it. A set of cores without one that runs programs is refused. Not here: the meaning of a policy
//! (`renga_abi::policy`), time slices (`renga-core`).

use crate::user::facts::time::time_words;
use crate::user::slot::User;
use crate::user::state::SyscallResult;
use crate::user::state::fields::{int_at, put_ints};
use renga_hal::memory::UserMemory;
use renga_proto::procs::{ASK_POLICY, OF_GROUP, PolicyOf, Schedule};
use renga_rt::Errno;
use renga_rt::policy::{Class, NICE_MAX, NICE_MIN, PRIORITY_MAX, Policy};

const PRIO_PROCESS: u32 = 0;
const PRIO_PGRP: u32 = 1;
const PRIO_USER: u32 = 2;
/// What `getpriority` returns for nice value 0: more for who goes before.
const PRIORITY_NICE_0: i64 = 20;
/// Bytes of `struct sched_attr` as first defined.
const ATTRIBUTES_BYTES: usize = 48;
/// Bytes of a set of processors: a word.
const SET_BYTES: u32 = 8;

/// Of I/O priorities: what they are of, where the class is, and how many levels each has.
const IOPRIO_WHO_PROCESS: u32 = 1;
const IOPRIO_WHO_USER: u32 = 3;
const IO_CLASS_BIT: u32 = 13;
const IO_LEVELS: u32 = 8;

fn class(number: u32) -> Result<Class, Errno> {
    u8::try_from(number).ok().and_then(Class::of).ok_or(Errno::EINVAL)
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

/// Whether `new` gives more of the core than `old`.
fn is_raised(old: Policy, new: Policy) -> bool {
    let real_time = |policy: Policy| matches!(policy.class, Class::Fifo | Class::RoundRobin);
    new.nice < old.nice || (real_time(new) && (new.class != old.class || new.priority > old.priority))
}

impl<M: UserMemory> User<M> {
    pub(crate) fn yield_slice(&mut self) -> SyscallResult {
        self.me.yield_slice();
        Ok(0)
    }

    /// Gives process `pid` the policy that `change` makes of its old one; only root gives it more of the core, others
    /// get the `refusal`.
    async fn change_policy(
        &mut self,
        pid: u32,
        refusal: Errno,
        change: impl Fn(Policy) -> Result<Policy, Errno>,
    ) -> Result<(), Errno> {
        let old = self.policy_of(pid).await?;
        let new = change(old)?;
        self.allow_change_of(pid).await?;
        if !self.program.credentials.is_root() && is_raised(old, new) {
            return Err(refusal);
        }
        if new != old {
            self.schedule_of(pid, new.to_word()).await?;
        }
        Ok(())
    }

    /// How process `pid`, or this one if that is 0, is scheduled; changed to `change` unless that is `ASK_POLICY`.
    pub(crate) async fn schedule_of(&mut self, pid: u32, change: u64) -> Result<Schedule, Errno> {
        let pid = if pid == 0 { self.thread.tid } else { pid };
        let word = self.services.procs_of(pid)?.call(PolicyOf { pid, change }, ()).await?;
        Schedule::from_word(word).ok_or(Errno::EIO)
    }

    async fn policy_of(&mut self, pid: u32) -> Result<Policy, Errno> {
        if (pid as i32) < 0 {
            return Err(Errno::EINVAL);
        }
        Ok(self.schedule_of(pid, ASK_POLICY).await?.policy)
    }

    /// The group that the present call is about, 0 for all programs; none: a process.
    async fn prioritized_group(&mut self) -> Result<Option<u32>, Errno> {
        match (self.int(0), self.int(1)) {
            (PRIO_PROCESS, _) => Ok(None),
            (PRIO_PGRP, 0) => Ok(Some(self.relations().await?.group)),
            (PRIO_PGRP, group) if group & OF_GROUP == 0 => Ok(Some(group)),
            (PRIO_USER, 0) => Ok(Some(0)),
            (PRIO_PGRP | PRIO_USER, _) => Err(Errno::ESRCH),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The lowest nice value of a group on any board, before `change`.
    async fn nice_of_group(&mut self, group: u32, change: u64) -> Result<i8, Errno> {
        let (procs, mut lowest) = (&mut self.services.clients.all_procs, None);
        for board in 0..procs.boards() {
            let Some(mut there) = procs.at(board, 0) else { continue };
            // A dead board has no members.
            if let Ok(word) = there.call(PolicyOf { pid: group | OF_GROUP, change }, ()).await {
                let nice = Schedule::from_word(word).ok_or(Errno::EIO)?.policy.nice;
                lowest = Some(lowest.map_or(nice, |lowest: i8| lowest.min(nice)));
            }
        }
        lowest.ok_or(Errno::ESRCH)
    }

    pub(crate) async fn set_priority(&mut self) -> Result<(), Errno> {
        let nice = (self.int(2) as i32).clamp(NICE_MIN.into(), NICE_MAX.into()) as i8;
        if let Some(group) = self.prioritized_group().await? {
            if !self.program.credentials.is_root() {
                return Err(Errno::EPERM); // members may be others'
            }
            let (policy, nobody) = (Policy { nice, ..Policy::DEFAULT }, 0);
            let change = Schedule { policy, cores: nobody, all_cores: nobody }.to_word();
            return self.nice_of_group(group, change).await.map(|_| ());
        }
        self.change_policy(self.int(1), Errno::EACCES, |old| Ok(Policy { nice, ..old })).await
    }

    pub(crate) async fn get_priority(&mut self) -> SyscallResult {
        let nice = match self.prioritized_group().await? {
            Some(group) => self.nice_of_group(group, ASK_POLICY).await?,
            None => self.policy_of(self.int(1)).await?.nice,
        };
        Ok((PRIORITY_NICE_0 - i64::from(nice)) as u64)
    }

    /// The address of what argument `index` names. `EINVAL`: none.
    fn attributes_at(&self, index: usize) -> Result<u64, Errno> {
        if self.argument(index) == 0 { Err(Errno::EINVAL) } else { Ok(self.argument(index)) }
    }

    pub(crate) async fn set_scheduler(&mut self) -> Result<(), Errno> {
        let class = class(self.int(1))?;
        let priority = self.get_int(self.attributes_at(2)?).await?;
        self.change_policy(self.int(0), Errno::EPERM, |old| changed(old, class, priority)).await
    }

    pub(crate) async fn get_scheduler(&mut self) -> SyscallResult {
        Ok(self.policy_of(self.int(0)).await?.class as u64)
    }

    pub(crate) async fn set_scheduler_parameters(&mut self) -> Result<(), Errno> {
        let priority = self.get_int(self.attributes_at(1)?).await?;
        self.change_policy(self.int(0), Errno::EPERM, |old| changed(old, old.class, priority)).await
    }

    pub(crate) async fn get_scheduler_parameters(&mut self) -> Result<(), Errno> {
        let place = self.attributes_at(1)?;
        let priority = self.policy_of(self.int(0)).await?.priority;
        self.put(place, &u32::from(priority).to_le_bytes()).await
    }

    pub(crate) fn get_priority_max(&mut self) -> SyscallResult {
        Ok(priorities(class(self.int(0))?).1.into())
    }

    pub(crate) fn get_priority_min(&mut self) -> SyscallResult {
        Ok(priorities(class(self.int(0))?).0.into())
    }

    pub(crate) async fn get_round_robin_interval(&mut self) -> Result<(), Errno> {
        let slice_ns = self.policy_of(self.int(0)).await?.class.slice_ns(self.facts.slice_ns);
        self.put_words(self.argument(1), time_words(slice_ns)).await
    }

    pub(crate) async fn set_scheduler_attributes(&mut self) -> Result<(), Errno> {
        let mut bytes = [0; ATTRIBUTES_BYTES];
        self.get(self.attributes_at(1)?, &mut bytes).await?;
        let (class, nice, priority) = (class(int_at(&bytes, 4))?, int_at(&bytes, 16) as i32, int_at(&bytes, 20));
        if self.int(2) != 0 || int_at(&bytes, 8) != 0 {
            return Err(Errno::EINVAL);
        }
        let nice = nice.clamp(NICE_MIN.into(), NICE_MAX.into()) as i8;
        self.change_policy(self.int(0), Errno::EPERM, |old| Ok(Policy { nice, ..changed(old, class, priority)? })).await
    }

    pub(crate) async fn get_scheduler_attributes(&mut self) -> Result<(), Errno> {
        let place = self.attributes_at(1)?;
        if u64::from(self.int(2)) < ATTRIBUTES_BYTES as u64 || self.int(3) != 0 {
            return Err(Errno::EINVAL);
        }
        let policy = self.policy_of(self.int(0)).await?;
        let mut bytes = [0; ATTRIBUTES_BYTES];
        let class = policy.class as u32;
        let (nice, priority) = (i32::from(policy.nice) as u32, u32::from(policy.priority));
        put_ints(&mut bytes, [(0, ATTRIBUTES_BYTES as u32), (4, class), (16, nice), (20, priority)]);
        self.put(place, &bytes).await
    }

    pub(crate) async fn get_affinity(&mut self) -> SyscallResult {
        if self.int(1) < SET_BYTES || !self.int(1).is_multiple_of(SET_BYTES) {
            return Err(Errno::EINVAL.into());
        }
        let Schedule { cores, .. } = self.schedule_of(self.int(0), ASK_POLICY).await?;
        self.put(self.argument(2), &u64::from(cores).to_le_bytes()).await?;
        Ok(SET_BYTES.into())
    }

    pub(crate) async fn set_affinity(&mut self) -> Result<(), Errno> {
        let mut first = [0];
        if self.int(1) > 0 {
            self.get(self.argument(2), &mut first).await?;
        }
        let Schedule { policy, all_cores, .. } = self.schedule_of(self.int(0), ASK_POLICY).await?;
        self.allow_change_of(self.int(0)).await?;
        let cores = first[0] & all_cores;
        if cores == 0 {
            return Err(Errno::EINVAL);
        }
        self.schedule_of(self.int(0), Schedule { policy, cores, all_cores }.to_word()).await.map(|_| ())
    }

    /// `ioprio_set`: checked, and without effect.
    pub(crate) async fn set_io_priority(&mut self) -> Result<(), Errno> {
        self.find_io_priority().await?;
        let (class, level) = (self.int(2) >> IO_CLASS_BIT, self.int(2) & ((1 << IO_CLASS_BIT) - 1));
        match class {
            0 if level == 0 => Ok(()),
            1..=3 if level < IO_LEVELS => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }

    /// `ioprio_get`: nobody has any.
    pub(crate) async fn get_io_priority(&mut self) -> Result<(), Errno> {
        self.find_io_priority().await
    }

    /// Whether there is what an I/O priority is of: a process, a group or a user.
    async fn find_io_priority(&mut self) -> Result<(), Errno> {
        match self.int(0) {
            IOPRIO_WHO_PROCESS if self.int(1) != 0 => self.relations_of(self.int(1)).await.map(|_| ()),
            IOPRIO_WHO_PROCESS..=IOPRIO_WHO_USER => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) async fn get_processor(&mut self) -> Result<(), Errno> {
        let (processor, node) = (self.argument(0), self.argument(1));
        self.put_unless_null(processor, &u32::from(self.me.program_core()).to_le_bytes()).await?;
        self.put_unless_null(node, &0u32.to_le_bytes()).await
    }
}
