//! Misbehaves on purpose, one way per argument, to show that the system goes on.
#![no_std]
#![no_main]

use renga_userland::syscall::{plain, write};
use renga_userland::text::complain;
use renga_userland::{Arguments, program};

program!(main);

/// An address of the kernel.
const KERNEL: usize = 0xffff_ffff_8008_0000;
/// Pages asked for at a time when exhausting memory.
const GREED_BYTES: isize = 1 << 20;
/// Highest call number tried with wild pointers.
const CALLS: usize = 300;

fn main(arguments: Arguments) -> i32 {
    match arguments.get(1).map(|name| name.to_bytes()) {
        Some(b"read-kernel") => read(KERNEL),
        Some(b"read-null") => read(0),
        Some(b"write-text") => write_to(main as *const () as usize),
        Some(b"jump") => jump(0x1234_5678),
        Some(b"jump-kernel") => jump(KERNEL),
        Some(b"calls") => wild_calls(),
        Some(b"memory") => exhaust(),
        _ => {
            complain(&[b"usage: wild read-kernel|read-null|write-text|jump|jump-kernel|calls|memory\n"]);
            2
        }
    }
}

fn read(address: usize) -> i32 {
    // SAFETY: none is claimed: the program is to be killed here.
    i32::from(unsafe { (address as *const u8).read_volatile() })
}

fn write_to(address: usize) -> i32 {
    // SAFETY: as above.
    unsafe { (address as *mut u8).write_volatile(0) };
    0
}

fn jump(address: usize) -> i32 {
    // SAFETY: as above.
    let nowhere: extern "C" fn() -> i32 = unsafe { core::mem::transmute(address) };
    nowhere()
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
                    write_to(page);
                }
            }
            _ => {
                let _ = write(1, b"refused\n");
                return 0;
            }
        }
    }
}
