//! Runs a command in another scheduling class, or prints or changes that of a process, as util-linux's `chrt` does:
//! `chrt -f 10 COMMAND`, `chrt -i 0 COMMAND`, `chrt -p PID`, `chrt -r -p 5 PID`.
#![no_std]
#![no_main]

use renga_userland::process::execute_by_name;
use renga_userland::schedule::{CLASSES, ClassName, ROUND_ROBIN, priority_of, set_scheduler};
use renga_userland::syscall::write;
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{ProgramArguments, program};

program!(main);

const USAGE: &[u8] =
    b"usage: chrt [-o|-f|-r|-b|-i] PRIORITY COMMAND [ARGUMENT...]\n       chrt [-o|-f|-r|-b|-i] -p [PRIORITY] PID\n";

fn main(arguments: ProgramArguments) -> i32 {
    let (mut class, mut process, mut at) = (ROUND_ROBIN, false, 1);
    // Bounded by the arguments.
    while let Some([b'-', option]) = arguments.get(at).map(|option| option.to_bytes()) {
        match (CLASSES.iter().find(|known| known.option == *option), option) {
            (Some(known), _) => class = known.number,
            (None, b'p') => process = true,
            (None, _) => break,
        }
        at += 1;
    }
    let number = |index| arguments.get(index).and_then(|number| parse(number.to_bytes()));
    match (process, number(at), number(at + 1), arguments.get(at + 1)) {
        (true, Some(pid), None, None) => print_class(pid),
        (true, Some(priority), Some(pid), _) => change(pid, class, priority),
        (false, Some(priority), _, Some(command)) => {
            let changed = change(0, class, priority);
            if changed != 0 {
                return changed;
            }
            execute_by_name(command, arguments.list_from(at + 1), &arguments);
            complain(&[b"chrt: cannot run ", command.to_bytes(), b"\n"]);
            127
        }
        _ => {
            complain(&[USAGE]);
            2
        }
    }
}

fn change(pid: u32, class: u32, priority: u32) -> i32 {
    match set_scheduler(pid, class, priority) {
        Ok(()) => 0,
        Err(errno) => {
            let digits = Decimal::new(errno.0.into());
            complain(&[b"chrt: cannot change the class: error ", digits.digits(), b"\n"]);
            1
        }
    }
}

fn print_class(pid: u32) -> i32 {
    let Ok((class, priority)) = priority_of(pid) else {
        complain(&[b"chrt: no such process\n"]);
        return 1;
    };
    let name = CLASSES.iter().find(|known| known.number == class).map_or("unknown", |ClassName { name, .. }| *name);
    for part in [name.as_bytes(), b" ", Decimal::new(priority.into()).digits(), b"\n"] {
        let _ = write(1, part);
    }
    0
}
