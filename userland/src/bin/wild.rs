//! Misbehaves on purpose, one way per argument, to show that the system survives.
#![no_std]
#![no_main]

use core::hint::black_box;
use renga_userland::process::fork;
use renga_userland::syscall::{call, exit, plain, wait, write};
use renga_userland::text::complain;
use renga_userland::{ProgramArguments, program};

program!(main);

/// An address of the kernel.
const KERNEL: usize = 0xffff_ffff_8008_0000;
/// `mov w0, #0; ret`: where this can be executed, it returns.
const RETURN_0: [u32; 2] = [0x5280_0000, 0xd65f_03c0];
/// Pages requested at a time when exhausting memory.
const GREED_BYTES: isize = 1 << 20;
/// Highest call number tried with wild pointers.
const CALLS: usize = 300;

fn main(arguments: ProgramArguments) -> i32 {
    match arguments.get(1).map(|name| name.to_bytes()) {
        Some(b"read-kernel") => read(KERNEL),
        Some(b"read-null") => read(0),
        Some(b"write-text") => write_to(main as *const () as usize, 0),
        Some(b"jump") => jump(0x1234_5678),
        Some(b"jump-kernel") => jump(KERNEL),
        Some(b"jump-stack") => jump_stack(),
        Some(b"jump-heap") => jump_heap(),
        Some(b"debugger") => ask_debugger(),
        Some(b"calls") => wild_calls(),
        Some(b"memory") => exhaust(),
        Some(b"numbers") => numbers(),
        Some(b"keep") => keep(),
        Some(b"fill") => fill(),
        Some(b"send") => send(),
        _ => {
            complain(&[b"usage: wild read-kernel|read-null|write-text|jump|jump-kernel|jump-stack|"]);
            complain(&[b"jump-heap|debugger|calls|memory|numbers|keep|fill|send\n"]);
            2
        }
    }
}

fn read(address: usize) -> i32 {
    // SAFETY: none is claimed: the program is to be killed here.
    i32::from(unsafe { (address as *const u8).read_volatile() })
}

fn write_to(address: usize, byte: u8) -> i32 {
    // SAFETY: as above.
    unsafe { (address as *mut u8).write_volatile(byte) };
    0
}

fn jump(address: usize) -> i32 {
    // SAFETY: as above.
    let nowhere: extern "C" fn() -> i32 = unsafe { core::mem::transmute(address) };
    nowhere()
}

/// Jumps to instructions on the stack.
fn jump_stack() -> i32 {
    let code = black_box(RETURN_0);
    jump(black_box(&code).as_ptr() as usize)
}

/// Jumps to instructions behind the program's data.
fn jump_heap() -> i32 {
    let Ok(end) = plain(BRK, [0, 0, 0]) else { return 1 };
    if plain(BRK, [end as isize + PAGE_BYTES, 0, 0]) != Ok(end + PAGE_BYTES as usize) {
        return 1;
    }
    let code = end.next_multiple_of(size_of::<u32>());
    for (offset, byte) in RETURN_0.into_iter().flat_map(u32::to_le_bytes).enumerate() {
        write_to(code + offset, byte);
    }
    jump(code)
}

/// Reads the channel to a debugger, in which programs could leave each other words.
fn ask_debugger() -> i32 {
    let word: u64;
    // SAFETY: as above.
    unsafe { core::arch::asm!("mrs {}, s2_3_c0_c4_0", out(reg) word) };
    word as i32
}

/// Every call with each wild address in each place; those that end, stop or wait for ever are left out.
fn wild_calls() -> i32 {
    let wild = [KERNEL as isize, 1, -1, isize::MAX, isize::MIN, (1 << 39) - 1];
    let kept_out = [24, 57, 93, 94, 129, 130, 131, 133, 137, 139, 220, 260, 95, 101, 115, 73, 72, 435];
    for number in (0..CALLS).filter(|number| !kept_out.contains(number)) {
        for address in wild {
            let _ = plain(number, [address, address, address]);
            // -100 and 0 let the call come as far as its pointers.
            let _ = plain(number, [-100, address, address]);
            let _ = plain(number, [0, address, 64]);
        }
    }
    let _ = write(1, b"survived\n");
    0
}

/// Takes memory and touches it until there is none.
fn exhaust() -> i32 {
    loop {
        let Ok(end) = plain(214, [0, 0, 0]) else { return 1 };
        match plain(214, [end as isize + GREED_BYTES, 0, 0]) {
            Ok(grown) if grown > end => {
                for page in (end..grown).step_by(4096) {
                    write_to(page, 0);
                }
            }
            _ => {
                let _ = write(1, b"refused\n");
                return 0;
            }
        }
    }
}

/// System calls that are issued or searched for by number.
const MAKE_NODE: usize = 33;
const UNLINK: usize = 35;
const READ: usize = 63;
const READV: usize = 65;
const SENDFILE: usize = 71;
const BRK: usize = 214;
const CLONE: usize = 220;
/// Numbers that `numbers` tries: 0 to 512.
const NUMBERS: usize = 513;
/// Calls that do what they are for whatever the arguments: exit, exit_group and rt_sigreturn end or replace what runs;
/// kill, tkill and tgkill with -1 reach the programs that are to be unharmed.
const KEPT_OUT: [usize; 6] = [93, 94, 139, 129, 130, 131];
/// Calls that rightly wait for ever when their arguments are 0 or good: pselect6, ppoll, waitid, futex, nanosleep,
/// clock_nanosleep, rt_sigsuspend, rt_sigtimedwait, wait4. They get bad addresses only.
const WAITING: [usize; 9] = [72, 73, 95, 98, 101, 115, 133, 137, 260];
/// No directory, or a descriptor that `numbers` may have: 0 to 2, 3 for reading, 4 for both.
const DESCRIPTORS: [isize; 6] = [-100, 0, 1, 2, 3, 4];
const COUNTS: [isize; 7] = [1, 64, 4097, 1 << 20, 1 << 40, isize::MAX, -1];
const PAGE_BYTES: isize = 4096;

/// Every number with bad addresses and lengths, each number in a child of its own, which may die of it. What is in
/// the memory of this program stays, although the children share it until they write.
fn numbers() -> i32 {
    let pattern = pattern();
    let end = plain(BRK, [0, 0, 0]).unwrap_or(0) as isize;
    if plain(BRK, [end + PAGE_BYTES, 0, 0]) != Ok((end + PAGE_BYTES) as usize) {
        return 1;
    }
    // Four bytes before the end of what is there; the program's text; the kernel; nowhere.
    let edge = ((end + PAGE_BYTES) & -PAGE_BYTES) - 4;
    let text = main as *const () as isize;
    let bad = [KERNEL as isize, edge, text, 0, 1, 0x1234_5000, (1 << 39) - 1, isize::MAX, isize::MIN, -1];
    for number in (0..NUMBERS).filter(|number| !KEPT_OUT.contains(number)) {
        match fork() {
            Ok(0) => attack(number, &bad),
            Ok(pid) if wait(pid as i32, 0).is_ok() => {}
            _ => return 1,
        }
    }
    i32::from(!is_whole(&pattern))
}

fn attack(number: usize, bad: &[isize]) -> ! {
    let waits = WAITING.contains(&number);
    for &address in bad.iter().filter(|address| !waits || **address != 0) {
        aim(number, [address; 6]);
    }
    if !waits {
        for (attempt, &address) in bad.iter().enumerate() {
            for (step, descriptor) in DESCRIPTORS.into_iter().enumerate() {
                let count = COUNTS[(attempt + step) % COUNTS.len()];
                aim(number, [descriptor, address, count, address, count, address]);
            }
            aim(number, [address, COUNTS[attempt % COUNTS.len()], -1, -1, -1, -1]);
        }
    }
    if number == MAKE_NODE {
        // A fifo, whose opening would rightly wait for ever for a partner, may have been made.
        for &address in bad {
            aim(UNLINK, [DESCRIPTORS[0], address, 0, 0, 0, 0]);
        }
    }
    exit(0)
}

fn aim(number: usize, arguments: [isize; 6]) {
    // SAFETY: none is claimed: the child may lose its own memory here, and no other process's.
    if unsafe { call(number, arguments) } == Ok(0) && number == CLONE {
        exit(0); // a child of the child
    }
}

/// Has a pattern in memory until the input ends, and then still.
fn keep() -> i32 {
    let pattern = pattern();
    let mut taken = [0u8; 512];
    // SAFETY: the buffer is live and as long as said.
    while let Ok(1..) = unsafe { call(READ, [0, taken.as_mut_ptr() as isize, taken.len() as isize, 0, 0, 0]) } {}
    i32::from(!is_whole(&pattern))
}

/// Eight pages of words that depend on their places.
fn pattern() -> [u64; 4096] {
    black_box(core::array::from_fn(word))
}

fn is_whole(pattern: &[u64; 4096]) -> bool {
    black_box(pattern).iter().enumerate().all(|(place, found)| *found == word(place))
}

fn word(place: usize) -> u64 {
    (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Reads a gigabyte in one call, all into the same pages: from a device of zeros no process has to be waited for.
fn fill() -> i32 {
    let end = plain(BRK, [0, 0, 0]).unwrap_or(0);
    if plain(BRK, [end as isize + GREED_BYTES, 0, 0]) != Ok(end + GREED_BYTES as usize) {
        return 1;
    }
    let parts = [[end, GREED_BYTES as usize]; 1024];
    // SAFETY: the parts are live, and what they name is this program's, and nothing's.
    let read = unsafe { call(READV, [0, parts.as_ptr() as isize, parts.len() as isize, 0, 0, 0]) };
    i32::from(read.is_err())
}

/// Copies as much as there is from one descriptor to another in one call.
fn send() -> i32 {
    // SAFETY: the call takes no address here.
    let sent = unsafe { call(SENDFILE, [1, 0, 0, isize::MAX, 0, 0]) };
    i32::from(sent.is_err())
}
