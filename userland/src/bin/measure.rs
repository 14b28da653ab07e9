//! Runs a command and prints its time in the board's time, the link's counters meanwhile and since boot, and its start:
//! two lines that `renga bench` reads.
#![no_std]
#![no_main]

use renga_userland::process::{execute_by_name, exit_code, fork};
use renga_userland::syscall::{exit, now_ns, wait, write};
use renga_userland::text::{Decimal, complain};
use renga_userland::{ProgramArguments, cluster, program};

program!(main);

const USAGE: &[u8] = b"usage: measure LABEL COMMAND [ARGUMENT...]\n";

fn main(arguments: ProgramArguments) -> i32 {
    let (Some(label), Some(command)) = (arguments.get(1), arguments.get(2)) else {
        complain(&[USAGE]);
        return 2;
    };
    say(b"measuring ");
    say(label.to_bytes());
    say(b" at ");
    say(Decimal::new(now_ns()).digits());
    say(b"\n");
    let before = cluster::link_counters();
    let start_ns = now_ns();
    let pid = match fork() {
        Ok(0) => {
            execute_by_name(command, arguments.list_from(2), &arguments);
            complain(&[b"measure: cannot run ", command.to_bytes(), b"\n"]);
            exit(127)
        }
        Ok(pid) => pid,
        Err(_) => {
            complain(&[b"measure: cannot make a process\n"]);
            return 126;
        }
    };
    let status = wait(pid as i32, 0).map_or(127, |(_, status)| exit_code(status));
    let taken_ns = now_ns() - start_ns;
    let after = cluster::link_counters();
    say(b"measured ");
    say(label.to_bytes());
    say(b" status ");
    say(Decimal::new(status as u64).digits());
    say(b" ns ");
    say(Decimal::new(taken_ns).digits());
    say(b" counters");
    after.iter().zip(before).for_each(|(after, before)| say_count(after.wrapping_sub(before)));
    say(b" totals");
    after.into_iter().for_each(say_count);
    say(b"\n");
    status
}

fn say_count(count: u64) {
    say(b" ");
    say(Decimal::new(count).digits());
}

fn say(text: &[u8]) {
    let _ = write(1, text);
}
