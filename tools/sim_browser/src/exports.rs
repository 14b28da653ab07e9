//! The functions that a page calls, and the memory through which they take bytes and give text.
//!
//! Invariant: what is taken or given is one buffer each, which this module keeps; the page copies before it calls
//! again. Numbers of 64 bits come as two halves: JavaScript's numbers have 53.

use crate::action::Action;
use crate::programs::COMMANDS;
use crate::seeds;
use crate::session::{PageSession, SessionSetup, system_text};
use renga_sim::system::{Pages, placement};
use serde::Serialize;
use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
    static DISK: RefCell<Pages> = RefCell::default();
    static SESSION: RefCell<Option<PageSession>> = const { RefCell::new(None) };
}

/// Where the next input of so many bytes is to be put.
#[unsafe(no_mangle)]
extern "C" fn sim_input_at(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    })
}

/// Where the latest output is.
#[unsafe(no_mangle)]
extern "C" fn sim_output_at() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

/// From now on a panic leaves its message as the output.
#[unsafe(no_mangle)]
extern "C" fn sim_start() {
    std::panic::set_hook(Box::new(|panic| {
        give(&panic.to_string());
    }));
}

/// How long the latest output is.
#[unsafe(no_mangle)]
extern "C" fn sim_output_bytes() -> usize {
    OUTPUT.with_borrow(String::len)
}

/// The input is what is on the medium of runs from now on.
#[unsafe(no_mangle)]
extern "C" fn sim_set_disk() {
    INPUT.with_borrow(|input| DISK.set(Pages::new(input)));
}

/// Runs a seed; its result.
#[unsafe(no_mangle)]
extern "C" fn sim_run_seed(low: u32, high: u32) -> usize {
    let run = DISK.with_borrow(|fresh| seeds::run_seed(joined(low, high), fresh));
    give(&run)
}

/// The text of a system file of so many boards.
#[unsafe(no_mangle)]
extern "C" fn sim_system_text(boards: usize) -> usize {
    give(&system_text(boards))
}

/// The shell's commands: of each its name and what it does.
#[unsafe(no_mangle)]
extern "C" fn sim_commands() -> usize {
    give(&COMMANDS.each_ref().map(|command| [command.name, command.about]))
}

/// Checks the system file that is the input.
#[unsafe(no_mangle)]
extern "C" fn sim_check() -> usize {
    let checked = INPUT.with_borrow(|input| placement(&String::from_utf8_lossy(input)).map(|_| ()));
    give(&checked.map_err(|error| error.to_string()))
}

/// Boots the cluster whose setup is the input; its scene.
#[unsafe(no_mangle)]
extern "C" fn sim_boot() -> usize {
    let setup = INPUT.with_borrow(|input| serde_json::from_slice::<SessionSetup>(input));
    let boot = |setup| DISK.with_borrow(|disk| PageSession::boot(&setup, disk));
    let session = setup.map_err(|error| error.to_string()).and_then(boot);
    give(&session.map(|session| {
        let scene = session.scene();
        SESSION.set(Some(session));
        scene
    }))
}

/// Runs until a time, ns, or until so many more events have happened; whether it got there.
#[unsafe(no_mangle)]
extern "C" fn sim_run(low: u32, high: u32, events: u32) -> bool {
    with_session(|session| session.run(joined(low, high), events.into())).unwrap_or(true)
}

/// Runs until something happens, but not beyond a time, ns.
#[unsafe(no_mangle)]
extern "C" fn sim_step(low: u32, high: u32) {
    with_session(|session| session.step(joined(low, high)));
}

/// Does what the input says.
#[unsafe(no_mangle)]
extern "C" fn sim_act() -> usize {
    let action = INPUT.with_borrow(|input| String::from_utf8_lossy(input).parse::<Action>());
    give(&action.and_then(|action| {
        with_session(|session| session.act(&action)).unwrap_or_else(|| Err("no cluster runs".into()))
    }))
}

/// Keeps so many events and frames from one state to the next.
#[unsafe(no_mangle)]
extern "C" fn sim_watch(max: usize) {
    with_session(|session| session.watch(max));
}

/// What there is to see.
#[unsafe(no_mangle)]
extern "C" fn sim_state() -> usize {
    give(&with_session(|session| session.state()))
}

/// What the console shows.
#[unsafe(no_mangle)]
extern "C" fn sim_console() -> usize {
    give(&with_session(|session| session.console()))
}

/// Who waits for whom.
#[unsafe(no_mangle)]
extern "C" fn sim_waits() -> usize {
    give(&with_session(|session| session.waits()))
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn with_session<T>(act: impl FnOnce(&mut PageSession) -> T) -> Option<T> {
    SESSION.with_borrow_mut(|session| session.as_mut().map(act))
}

/// Keeps `value` as JSON for the page to read; its bytes.
fn give(value: &impl Serialize) -> usize {
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"Err\":\"{error}\"}}"));
    OUTPUT.with_borrow_mut(|output| {
        *output = text;
        output.len()
    })
}
