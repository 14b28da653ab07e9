//! Measures what UNIX calls cost a program, in the board's time: each measurement prints a line
//! `unix NAME COUNT NS`, COUNT operations or bytes in NS nanoseconds.
//!
//! Linux system calls only, so that the same file measures Linux on the same board. With arguments, only the
//! measurements that they name. Not here: the table (`renga bench unix`), whole commands (`measure`).
#![no_std]
#![no_main]

mod files;
mod measurement;
mod names;
mod pages;
mod pipes;
mod processes;

use measurement::{FailedCall, UnixMeasurement};
use renga_userland::text::complain;
use renga_userland::{ProgramArguments, program};

program!(main);

/// In this order, because each leaves its files in the caches.
const ALL: [&[UnixMeasurement]; 5] = [pipes::ALL, processes::ALL, pages::ALL, files::ALL, names::ALL];

fn main(arguments: ProgramArguments) -> i32 {
    let all = || ALL.iter().flat_map(|group| group.iter());
    let named = |name: &str| (1..arguments.count()).any(|at| is_argument(&arguments, at, name));
    for measurement in all().filter(|measurement| arguments.count() == 1 || named(measurement.name)) {
        if let Err(FailedCall { what, errno }) = measurement.run(&arguments) {
            complain(&[b"unix: ", measurement.name.as_bytes(), b": ", what.as_bytes(), b" failed: "]);
            complain(&[renga_userland::text::Decimal::new(errno.0.into()).digits(), b"\n"]);
            return 1;
        }
    }
    0
}

fn is_argument(arguments: &ProgramArguments, at: usize, name: &str) -> bool {
    arguments.get(at).is_some_and(|argument| argument.to_bytes() == name.as_bytes())
}
