//! The plugin that QEMU loads for each board of the emulated cluster.
//!
//! It stops the board at the end of each quantum of virtual time, in a timer callback that waits for the coordinator's
//! grant; maps the page of registers of `renga-emu-device`; takes the board's output on its two UARTs, with the instant
//! of each byte; types at its console at exact instants; and, if it is given the kernel's ELF file, reports each probe
//! that the kernel reaches.
//!
//! Invariant: all of it but `waiting`, `cores`, `probes` and what these use runs under QEMU's big lock, so one piece
//! of code at a time; and nothing depends on the host's
//! clock.
//!
//! It calls functions that the QEMU binary exports for its own modules, hence the licence and the exact version
//! ([`version::SUPPORTED`]).
//! Not here: the meaning of the registers (`renga-emu-device`), which board may run until when (`renga-emu`).

mod bare;
mod board;
mod card;
mod clock;
mod companions;
mod cores;
mod count;
mod current;
mod ffi;
mod gpio;
mod machine;
mod notices;
mod probes;
mod shared;
mod stderr;
mod timers;
mod typing;
mod uart;
mod version;
mod waiting;

use board::PluginBoard;
use renga_emu_device::EmulatedMachine;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, TryLockError};

/// The version of the plugin interface, which QEMU reads.
#[unsafe(no_mangle)]
pub static qemu_plugin_version: c_int = ffi::PLUGIN_INTERFACE;

/// The one board of this QEMU.
static BOARD: Mutex<Option<PluginBoard>> = Mutex::new(None);

/// Does `work` with the board; every callback of QEMU comes through here.
fn with_board<R>(work: impl FnOnce(&mut PluginBoard) -> R) -> R {
    match BOARD.try_lock() {
        Ok(mut board) => work(board.as_mut().expect("callbacks are registered after the board is made")),
        Err(TryLockError::WouldBlock) => fail("the plugin was entered twice at once"),
        Err(TryLockError::Poisoned(_)) => fail("the plugin was entered after a fault"),
    }
}

/// Ends this QEMU: without its coordinator, or in an impossible state, it must not go on.
fn fail(why: &str) -> ! {
    eprintln!("renga emulator: {why}");
    machine::exit_now(EXIT_FAILED)
}

/// Exit status of a QEMU that the plugin ended because something was wrong.
const EXIT_FAILED: c_int = 3;

/// Called by QEMU when it has loaded this library; 0 if all is well.
///
/// # Safety
/// QEMU calls it, once, with `count` C strings at `arguments`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: u64,
    _about: *const ffi::Opaque,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    let arguments: Vec<String> = (0..count as usize)
        // SAFETY: by this function's contract, `arguments` has `count` valid C strings.
        .map(|index| unsafe { CStr::from_ptr(*arguments.add(index)) }.to_string_lossy().into_owned())
        .collect();
    match install(id, &arguments) {
        Ok(()) => {
            waiting::watch(id);
            0
        }
        Err(why) => {
            eprintln!("renga emulator: {why}");
            1
        }
    }
}

/// How several cores are run.
fn plan(cores: &str, slice: Option<&str>) -> Result<cores::CorePlan, String> {
    let wrong = || format!("cores={cores} needs at least two of them, and slice=NS");
    let slice_ns = slice.and_then(|slice| slice.parse().ok()).filter(|slice_ns| *slice_ns > 0).ok_or_else(wrong)?;
    let cores = cores.parse().ok().filter(|cores| *cores > 1).ok_or_else(wrong)?;
    Ok(cores::CorePlan { cores, slice_ns })
}

fn install(id: u64, arguments: &[String]) -> Result<(), String> {
    let named = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let socket = named("socket=").ok_or("the plugin needs socket=NAME, the coordinator's abstract socket")?;
    let machine = named("machine=").ok_or("the plugin needs machine=NAME, as QEMU calls it")?;
    let machine =
        EmulatedMachine::named(machine).ok_or_else(|| format!("machine={machine} is not one that the plugin fits"))?;
    let version = version::check()?;
    if let Some(kernel) = named("probes=") {
        probes::watch(id, kernel)?;
    }
    if let Some(plan) = named("cores=").map(|cores| plan(cores, named("slice="))).transpose()? {
        cores::plan(plan);
    }
    let slow_card = named("card_write_ns=").map(str::parse).transpose().map_err(|_| "card_write_ns=NS is a number")?;
    let board = PluginBoard::connect(socket, version, machine.facts(), slow_card)
        .map_err(|error| format!("no coordinator at {socket}: {error}"))?;
    *BOARD.lock().map_err(|_| "the plugin was entered after a fault")? = Some(board);
    machine::when_complete(|| with_board(PluginBoard::start));
    Ok(())
}
