//! How programs share the processor: nice values, scheduling classes, cores.

use crate::Errno;
use crate::syscall::{call, plain};

const SCHED_SETSCHEDULER: usize = 119;
const SCHED_GETSCHEDULER: usize = 120;
const SCHED_GETPARAM: usize = 121;
const SCHED_SETAFFINITY: usize = 122;
const SETPRIORITY: usize = 140;
const GETPRIORITY: usize = 141;
const PRIO_PROCESS: isize = 0;
/// What the kernel's `getpriority` returns for nice value 0.
const NICE_0: i32 = 20;

/// A class as `chrt` calls it.
pub struct ClassName {
    /// The character of its option.
    pub option: u8,
    /// Linux's number of it.
    pub number: u32,
    /// Linux's name of it.
    pub name: &'static str,
}

/// The number of the class that `chrt` takes without an option.
pub const ROUND_ROBIN: u32 = 2;

/// The classes.
pub const CLASSES: [ClassName; 5] = [
    ClassName { option: b'o', number: 0, name: "SCHED_OTHER" },
    ClassName { option: b'f', number: 1, name: "SCHED_FIFO" },
    ClassName { option: b'r', number: ROUND_ROBIN, name: "SCHED_RR" },
    ClassName { option: b'b', number: 3, name: "SCHED_BATCH" },
    ClassName { option: b'i', number: 5, name: "SCHED_IDLE" },
];

/// The nice value of process `pid`; 0: the own one.
pub fn nice(pid: u32) -> Result<i32, Errno> {
    plain(GETPRIORITY, [PRIO_PROCESS, pid as isize, 0]).map(|priority| NICE_0 - priority as i32)
}

/// Changes it.
pub fn set_nice(pid: u32, nice: i32) -> Result<(), Errno> {
    plain(SETPRIORITY, [PRIO_PROCESS, pid as isize, nice as isize]).map(|_| ())
}

/// Puts process `pid` into a class, with a priority in it.
pub fn set_scheduler(pid: u32, class: u32, priority: u32) -> Result<(), Errno> {
    let at = core::ptr::from_ref(&priority) as isize;
    // SAFETY: the address is that of a live `struct sched_param`, which is one number.
    unsafe { call(SCHED_SETSCHEDULER, [pid as isize, class as isize, at, 0, 0, 0]) }.map(|_| ())
}

/// Keeps the own process on one core.
pub fn pin(core: u32) -> Result<(), Errno> {
    let cores = 1u64 << core.min(u64::BITS - 1);
    let at = core::ptr::from_ref(&cores) as isize;
    // SAFETY: the address is that of a live set of cores of that many bytes.
    unsafe { call(SCHED_SETAFFINITY, [0, size_of_val(&cores) as isize, at, 0, 0, 0]) }.map(|_| ())
}

/// The class and the priority of process `pid`.
pub fn priority_of(pid: u32) -> Result<(u32, u32), Errno> {
    let class = plain(SCHED_GETSCHEDULER, [pid as isize, 0, 0])?;
    let mut priority = 0u32;
    let at = core::ptr::from_mut(&mut priority) as isize;
    // SAFETY: as above, to be written.
    unsafe { call(SCHED_GETPARAM, [pid as isize, at, 0, 0, 0, 0]) }?;
    Ok((class as u32, priority))
}
