//! The kernel image of a board: boot, in the order of this file, then the endless loop.
//!
//! Not here: anything that could be tested on a host; this crate only puts parts together.
#![no_std]
#![no_main]

#[cfg(feature = "bench")]
mod bench;
mod boot_stage;
mod cores;
mod directory;
mod executor;
mod fault;
mod firmware;
mod hardware;
mod link_device;
mod linkbench;
mod logger;
mod machine;
mod once;
mod own_card;
mod pintest;
mod programs;
mod remote_task;
mod secondary_core;
mod tester_console;
mod watchdog;

use core::cell::RefCell;
use cores::Each;
use executor::Executor;
use hardware::{BoardUart, Hardware, InterruptLines};
use machine::PiMachine;
use renga_arch_aarch64::cpu::ThisCore;
use renga_arch_aarch64::physical::to_kernel;
use renga_core::{Arena, Core};
use renga_rt::given::Servers;
use renga_systems::shared::frames_are_of_several_cores;
use renga_systems::{Directory, Kind, Machine, blob, start_all};
use tester_console::TesterConsole;

#[unsafe(no_mangle)]
extern "C" fn renga_kernel_main(boot_data: u64) -> ! {
    ThisCore.keep_number(0);
    // SAFETY: called once, by the boot code, with the firmware's address.
    let (mut hardware, interrupts, uart, memory) = unsafe { hardware::start(boot_data) };
    // SAFETY: mapped by `hardware::start`, behind the image, before the frames; used for nothing else.
    let arena = unsafe { Arena::new(to_kernel(hardware.boot_memory) as *mut u8, hardware::BOOT_MEMORY_BYTES) };
    let arena: &'static Arena = keep(arena);
    let system = match blob::read(arena, blob::without_padding(hardware.tables)) {
        Ok(system) => system,
        Err(bad) => fault::refuse(format_args!("the system's tables: {bad}")),
    };
    own_card::begin(&mut hardware);
    let Some(board) = system.boards.get(usize::from(hardware.board)) else {
        fault::refuse(format_args!("this system has no board {}", hardware.board))
    };
    let named = hardware.board_name.as_str();
    if !named.is_empty() && named != board.name {
        fault::refuse(format_args!("the card is board {named}'s, which is another one in this system"));
    }
    defmt::info!("board {=str} of system {=str}", board.name, system.name);
    if !hardware.program.as_str().is_empty() {
        start_program(arena, &hardware, uart, system.boards.len() as u8);
    }
    let cores = cores::make(arena, board.cores, &hardware.times);
    let core = cores[0];
    core.note("board, of boards", [u64::from(hardware.board), system.boards.len() as u64]);
    #[cfg(feature = "bench")]
    bench::tables::try_out(&memory);
    let memory = memory.limited(board.frames_max());
    let memory = if frames_are_of_several_cores(board) { memory.for_several_cores() } else { memory };
    let machine = PiMachine::new(cores, arena, (uart, memory), &hardware, board);
    let placed = (system, hardware.board);
    let directory = Directory::make(cores, arena, placed, |core, priority, id| machine.declare(core, priority, id));
    directory::keep(directory);
    start_processes(&machine, &hardware, directory);
    boot_stage::mark(boot_stage::Mark::Processes);
    #[cfg(feature = "bench")]
    bench::start(core, arena, directory);
    defmt::info!("{=usize} processes, {=usize} bytes of boot memory left", directory.own().len(), arena.left_bytes());
    core.note("processes, bytes of boot memory left", [directory.own().len() as u64, arena.left_bytes() as u64]);
    arena.seal();

    let home = board.home();
    let each = Each { cores, memory: machine.memory, programs: machine.programs };
    if cores.len() > 1 {
        cores::keep(executor::<true>(cores[usize::from(home)], &machine, &hardware, interrupts));
        // SAFETY: once, here: all processes are made, the arena is sealed, and the rest is core 0's own.
        unsafe { cores::start(each, home, hardware.cores, hardware.timer) };
        cores::run(0, hardware.timer);
    }
    // SAFETY: as above; the board's one core is its home.
    unsafe { cores::start(each, home, hardware.cores, hardware.timer) };
    executor::<false>(core, &machine, &hardware, interrupts).run()
}

/// Starts the program that the command line names in place of a system of so many `boards`.
fn start_program(arena: &'static Arena, hardware: &Hardware, uart: BoardUart, boards: u8) -> ! {
    let tester_console: &'static RefCell<TesterConsole> = arena.put(|| RefCell::new(TesterConsole::on(uart)));
    match hardware.program.as_str() {
        "pintest" => pintest::run(arena, hardware, boards, tester_console),
        "linkbench" => linkbench::run(arena, hardware, boards, tester_console),
        other => fault::refuse(format_args!("there is no program `{other}`")),
    }
}

/// What runs the programs' home, of `SEVERAL` cores or alone.
fn executor<const SEVERAL: bool>(
    core: &'static Core,
    machine: &PiMachine,
    hardware: &Hardware,
    interrupts: InterruptLines,
) -> Executor<SEVERAL> {
    Executor {
        core,
        interrupts,
        timer: hardware.timer,
        memory: machine.memory,
        programs: &machine.programs[usize::from(core.number())],
        uart_owner: directory::owner(Kind::Console),
        link_owner: directory::owner(Kind::Router),
        watchdog: watchdog::BoardWatchdog::begin(directory::owner(Kind::Router).is_some(), hardware.panic_ns),
        armed_ns: executor::NEVER_NS,
    }
}

/// Starts the board's processes: as the placement says, unless the board is to be hostile.
fn start_processes(machine: &PiMachine, _hardware: &Hardware, directory: &'static Directory) {
    #[cfg(feature = "hostile")]
    if _hardware.hostile {
        let attack = directory.arena().put(|| renga_hostile::Attack::new(machine.seed()));
        renga_hostile::start_hostile(machine, directory, attack);
        return;
    }
    start_all(machine, directory);
}

/// Keeps the arena for ever.
fn keep(arena: Arena) -> &'static Arena {
    static ARENA: once::OnHome<Arena> = once::OnHome::new();
    ARENA.set(arena);
    match ARENA.get() {
        Some(arena) => arena,
        None => unreachable!("just set"),
    }
}
