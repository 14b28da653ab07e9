//! Runs a command with another nice value, as POSIX's `nice` does: `nice -n 10 sort file`.
#![no_std]
#![no_main]

use renga_userland::process::execute_by_name;
use renga_userland::schedule::{nice, set_nice};
use renga_userland::syscall::write;
use renga_userland::text::{Signed, complain};
use renga_userland::{ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: nice [-n ADDED] [COMMAND [ARGUMENT...]]\n";
/// What is added without a number.
const ADDED: i32 = 10;
const NOT_FOUND: i32 = 127;
/// Status of a failure of `nice` itself.
const FAILED: i32 = 125;

fn main(arguments: ProgramArguments) -> i32 {
    let (added, first) = match arguments.get(1).map(|option| option.to_bytes()) {
        Some(b"-n") => (arguments.get(2).and_then(|number| Signed::parse(number.to_bytes())), 3),
        Some([b'-', b'n', number @ ..]) => (Signed::parse(number), 2),
        Some(option) if option.first() == Some(&b'-') => (Signed::parse(&option[1..]), 2),
        _ => (Some(ADDED), 1),
    };
    let Some(added) = added else {
        complain(&[USAGE]);
        return FAILED;
    };
    let Some(command) = arguments.get(first) else {
        let _ = write(1, Signed::new(nice(0).unwrap_or(0)).digits());
        let _ = write(1, b"\n");
        return 0;
    };
    if nice(0).and_then(|now| set_nice(0, now.saturating_add(added))).is_err() {
        complain(&[b"nice: cannot change the nice value\n"]);
        return FAILED;
    }
    execute_by_name(command, arguments.list_from(first), &arguments);
    complain(&[b"nice: cannot run ", command.to_bytes(), b"\n"]);
    NOT_FOUND
}
