//! System calls: the one place where a program leaves itself.
//!
//! Invariant: every function here hands the kernel only addresses of live Rust objects with their
//! true lengths; the kernel checks them again.

use crate::Errno;
use core::arch::asm;
use core::ffi::CStr;
use core::sync::atomic::AtomicU32;

/// Highest error number; results above `-ERRNO_MAX` are errors.
const ERRNO_MAX: isize = 4095;
/// "Relative to the working directory", for the calls that take a directory.
pub const AT_FDCWD: isize = -100;

/// Any call.
///
/// # Safety
/// The arguments must be what the call `number` takes: addresses of live objects of its lengths.
pub unsafe fn call(number: usize, arguments: [isize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: the kernel keeps all registers but x0; the caller answers for the arguments.
    unsafe {
        asm!("svc #0", in("x8") number, inlateout("x0") a => result, in("x1") b, in("x2") c,
            in("x3") d, in("x4") e, in("x5") f, options(nostack));
    }
    if (-ERRNO_MAX..0).contains(&result) { Err(Errno(-result as u16)) } else { Ok(result as usize) }
}

/// A call none of whose arguments is an address.
pub fn plain(number: usize, arguments: [isize; 3]) -> Result<usize, Errno> {
    let [a, b, c] = arguments;
    // SAFETY: numbers only; used for calls that take no address.
    unsafe { call(number, [a, b, c, 0, 0, 0]) }
}

/// Writes bytes to a file descriptor; how many.
pub fn write(descriptor: i32, bytes: &[u8]) -> Result<usize, Errno> {
    // SAFETY: the slice is live and as long as said.
    unsafe { call(64, [descriptor as isize, bytes.as_ptr() as isize, bytes.len() as isize, 0, 0, 0]) }
}

/// Opens a file; its descriptor.
pub fn open(path: &CStr, flags: i32) -> Result<i32, Errno> {
    // SAFETY: the path is live and ends with a zero.
    unsafe { call(56, [AT_FDCWD, path.as_ptr() as isize, flags as isize, 0, 0, 0]) }.map(|fd| fd as i32)
}

/// Opens a file, and makes it with these permission bits if `flags` say so; its descriptor.
pub fn open_with_mode(path: &CStr, flags: i32, mode: u32) -> Result<i32, Errno> {
    // SAFETY: the path is live and ends with a zero.
    unsafe { call(56, [AT_FDCWD, path.as_ptr() as isize, flags as isize, mode as isize, 0, 0]) }.map(|fd| fd as i32)
}

/// Closes a file descriptor.
pub fn close(descriptor: i32) -> Result<(), Errno> {
    plain(57, [descriptor as isize, 0, 0]).map(|_| ())
}

/// Reads from a file descriptor; how many bytes.
pub fn read(descriptor: i32, bytes: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the slice is live, ours alone, and as long as said.
    unsafe { call(63, [descriptor as isize, bytes.as_mut_ptr() as isize, bytes.len() as isize, 0, 0, 0]) }
}

/// Reads from an offset of a file; how many bytes.
pub fn read_at(descriptor: i32, bytes: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let (at, length) = (bytes.as_mut_ptr() as isize, bytes.len() as isize);
    // SAFETY: as `read`.
    unsafe { call(67, [descriptor as isize, at, length, offset as isize, 0, 0]) }
}

/// The facts about a file, as the kernel's `struct stat` has them.
pub fn status(path: &CStr) -> Result<[u64; 16], Errno> {
    let mut facts = [0u64; 16];
    // SAFETY: the path ends with a zero; `struct stat` has 128 bytes.
    unsafe { call(79, [AT_FDCWD, path.as_ptr() as isize, facts.as_mut_ptr() as isize, 0, 0, 0]) }.map(|_| facts)
}

/// Makes a directory.
pub fn make_directory(path: &CStr, mode: u32) -> Result<(), Errno> {
    // SAFETY: the path is live and ends with a zero.
    unsafe { call(34, [AT_FDCWD, path.as_ptr() as isize, mode as isize, 0, 0, 0]) }.map(|_| ())
}

/// Removes a name: a file's, or with `AT_REMOVEDIR` (0x200) an empty directory's.
pub fn unlink(path: &CStr, flags: i32) -> Result<(), Errno> {
    // SAFETY: the path is live and ends with a zero.
    unsafe { call(35, [AT_FDCWD, path.as_ptr() as isize, flags as isize, 0, 0, 0]) }.map(|_| ())
}

/// Gives a file a further name.
pub fn link(path: &CStr, further: &CStr) -> Result<(), Errno> {
    let (path, further) = (path.as_ptr() as isize, further.as_ptr() as isize);
    // SAFETY: both paths are live and end with a zero.
    unsafe { call(37, [AT_FDCWD, path, AT_FDCWD, further, 0, 0]) }.map(|_| ())
}

/// A pipe: the descriptors to read from and to write to.
pub fn pipe() -> Result<(i32, i32), Errno> {
    let mut ends = [0i32; 2];
    // SAFETY: the address is that of two live numbers.
    unsafe { call(59, [ends.as_mut_ptr() as isize, 0, 0, 0, 0, 0]) }.map(|_| (ends[0], ends[1]))
}

const MMAP: usize = 222;
const PROT_READ: isize = 1;
const PROT_WRITE: isize = 2;
const MAP_SHARED: isize = 1;
const MAP_PRIVATE: isize = 2;
const MAP_FIXED: isize = 0x10;
const MAP_ANONYMOUS: isize = 0x20;

/// Fresh memory, all zeros.
pub fn map_memory(bytes: usize) -> Result<&'static mut [u8], Errno> {
    let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    // SAFETY: the kernel puts the mapping where nothing is; no address of ours is passed.
    let at = unsafe { call(MMAP, [0, bytes as isize, access, kind, -1, 0]) }?;
    // SAFETY: memory of this length with no other reference; only `unmap_memory` unmaps it.
    Ok(unsafe { core::slice::from_raw_parts_mut(at as *mut u8, bytes) })
}

/// Gives mapped memory back.
pub fn unmap_memory(memory: &'static mut [u8]) {
    // SAFETY: the owner of the slice gives it up. The call fails for no mapping of ours.
    let _ = unsafe { call(215, [memory.as_mut_ptr() as isize, memory.len() as isize, 0, 0, 0, 0]) };
}

/// The first `bytes` of a file, mapped; the file must not be written or shortened from now on.
pub fn map_file(descriptor: i32, bytes: usize) -> Result<&'static [u8], Errno> {
    // SAFETY: as `map_memory`.
    let at = unsafe { call(MMAP, [0, bytes as isize, PROT_READ, MAP_PRIVATE, descriptor as isize, 0]) }?;
    // SAFETY: a mapping of this length that is never unmapped; the caller's promise keeps it constant.
    Ok(unsafe { core::slice::from_raw_parts(at as *const u8, bytes) })
}

/// Maps as Linux's `mmap` with these arguments, at an address of the kernel's choice; the address.
pub fn map_as(bytes: usize, access: isize, kind: isize, descriptor: i32, offset: usize) -> Result<usize, Errno> {
    let arguments = [0, bytes as isize, access, kind & !MAP_FIXED, descriptor as isize, offset as isize];
    // SAFETY: not at an address of ours, so nothing that is ours changes.
    unsafe { call(MMAP, arguments) }
}

/// The words of the first `bytes` of a file that is open to read and write (-1: memory without a file), shared with
/// every process that maps them so.
pub fn map_shared(descriptor: i32, bytes: usize) -> Result<&'static [AtomicU32], Errno> {
    let kind = MAP_SHARED | if descriptor < 0 { MAP_ANONYMOUS } else { 0 };
    let at = map_as(bytes, PROT_READ | PROT_WRITE, kind, descriptor, 0)?;
    // SAFETY: a mapping of this length that is never unmapped; others change it as atomic words can be.
    Ok(unsafe { core::slice::from_raw_parts(at as *const AtomicU32, bytes / 4) })
}

/// Reads or writes words of a file from or to words that were mapped by [`map_shared`].
pub fn transfer_mapped(write: bool, descriptor: i32, words: &'static [AtomicU32], offset: u64) -> Result<usize, Errno> {
    let (number, bytes) = (if write { 68 } else { 67 }, size_of_val(words));
    // SAFETY: the words are live for ever, and others may change them at any time.
    unsafe { call(number, [descriptor as isize, words.as_ptr() as isize, bytes as isize, offset as isize, 0, 0]) }
}

/// Writes at an offset of a file; how many bytes.
pub fn write_at(descriptor: i32, bytes: &[u8], offset: u64) -> Result<usize, Errno> {
    let (at, length) = (bytes.as_ptr() as isize, bytes.len() as isize);
    // SAFETY: as `write`.
    unsafe { call(68, [descriptor as isize, at, length, offset as isize, 0, 0]) }
}

/// Makes `to` stand for what `from` stands for.
pub fn duplicate(from: i32, to: i32) -> Result<(), Errno> {
    plain(24, [from as isize, to as isize, 0]).map(|_| ())
}

/// Replaces the program; returns only if that failed. Lists end with a null pointer.
pub fn execute(path: &CStr, arguments: &[*const u8], environment: &[*const u8]) -> Errno {
    assert!(arguments.last().is_some_and(|end| end.is_null()) && environment.last().is_some_and(|end| end.is_null()));
    let lists = (arguments.as_ptr() as isize, environment.as_ptr() as isize);
    // SAFETY: the path ends with a zero; both lists end with null (asserted), and their entries are
    // strings of the program's start or literals, as `ProgramArguments` makes them.
    match unsafe { call(221, [path.as_ptr() as isize, lists.0, lists.1, 0, 0, 0]) } {
        Err(errno) => errno,
        Ok(_) => Errno(0),
    }
}

/// Waits for a child (-1: any); its pid and status.
pub fn wait(pid: i32, options: i32) -> Result<(i32, u32), Errno> {
    let mut status = 0u32;
    let at = core::ptr::from_mut(&mut status) as isize;
    // SAFETY: the address is that of a live u32.
    let pid = unsafe { call(260, [pid as isize, at, options as isize, 0, 0, 0]) }?;
    Ok((pid as i32, status))
}

/// A terminal or device control with one number to read.
pub fn control(descriptor: i32, request: usize, value: &mut u32) -> Result<usize, Errno> {
    let at = core::ptr::from_mut(value) as isize;
    // SAFETY: the address is that of a live u32; the requests used here take one.
    unsafe { call(29, [descriptor as isize, request as isize, at, 0, 0, 0]) }
}

/// Bytes of the kernel's `struct termios`.
pub const TERMIOS_BYTES: usize = 36;

/// The settings of the terminal.
pub fn terminal_settings(descriptor: i32) -> Result<[u8; TERMIOS_BYTES], Errno> {
    const TCGETS: isize = 0x5401;
    let mut settings = [0; TERMIOS_BYTES];
    // SAFETY: the address is that of as many bytes as the request fills.
    unsafe { call(29, [descriptor as isize, TCGETS, settings.as_mut_ptr() as isize, 0, 0, 0]) }?;
    Ok(settings)
}

/// Changes the settings of the terminal.
pub fn set_terminal(descriptor: i32, settings: &[u8; TERMIOS_BYTES]) -> Result<(), Errno> {
    const TCSETS: isize = 0x5402;
    // SAFETY: the address is that of as many bytes as the request reads.
    unsafe { call(29, [descriptor as isize, TCSETS, settings.as_ptr() as isize, 0, 0, 0]) }.map(|_| ())
}

/// Sets how many processes this one and its descendants may create (RLIMIT_NPROC); the limit may be raised again.
pub fn limit_processes(count: u64) -> Result<(), Errno> {
    const RLIMIT_NPROC: isize = 6;
    let limit = [count, u64::MAX];
    // SAFETY: the address is that of a whole `struct rlimit`.
    unsafe { call(261, [0, RLIMIT_NPROC, limit.as_ptr() as isize, 0, 0, 0]) }.map(|_| ())
}

/// Ends the program.
pub fn exit(status: i32) -> ! {
    loop {
        // The call does not return; the loop shows the compiler so.
        let _ = plain(94, [status as isize, 0, 0]);
    }
}

/// The counter that the kernel lets programs read: a tick is an instruction under the emulator.
pub fn ticks() -> u64 {
    let ticks;
    // SAFETY: reads a counter.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Time since boot, ns.
pub fn now_ns() -> u64 {
    const CLOCK_MONOTONIC: isize = 1;
    clock_ns(CLOCK_MONOTONIC)
}

/// Processor time of this program, and of what is done on its behalf, ns.
pub fn used_ns() -> u64 {
    const CLOCK_PROCESS_CPUTIME_ID: isize = 2;
    clock_ns(CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: isize) -> u64 {
    const CLOCK_GETTIME: usize = 113;
    let mut time = [0u64; 2];
    // SAFETY: the address is that of a live `struct timespec`.
    let _ = unsafe { call(CLOCK_GETTIME, [clock, time.as_mut_ptr() as isize, 0, 0, 0, 0]) };
    time[0] * 1_000_000_000 + time[1]
}

/// Sleeps; a signal ends it earlier.
pub fn sleep(ns: u64) {
    const NANOSLEEP: usize = 101;
    let time = [ns / 1_000_000_000, ns % 1_000_000_000];
    // SAFETY: the address is that of a live `struct timespec`.
    let _ = unsafe { call(NANOSLEEP, [time.as_ptr() as isize, 0, 0, 0, 0, 0]) };
}

/// Says how all of a file will be read (`POSIX_FADV_...`).
pub fn advise(descriptor: i32, advice: isize) -> Result<(), Errno> {
    const FADVISE64: usize = 223;
    // SAFETY: numbers only.
    unsafe { call(FADVISE64, [descriptor as isize, 0, 0, advice, 0, 0]) }.map(|_| ())
}

/// A call that fills `facts` with what its two words ask for; how many bytes.
pub fn read_facts(number: usize, words: [isize; 2], facts: &mut [u64]) -> Result<usize, Errno> {
    let (at, bytes) = (facts.as_mut_ptr() as isize, size_of_val(facts) as isize);
    // SAFETY: the address is that of as many bytes as said.
    unsafe { call(number, [words[0], words[1], at, bytes, 0, 0]) }
}
