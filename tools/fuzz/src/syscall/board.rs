//! A board that runs programs from a file system, and what takes from it all that they took.

use super::{CODE, DATA, DATA_BYTES};
use crate::fs::board;
use crate::fs::image::FuzzMedium;
use crate::memory;
use renga_core::Process;
use renga_fs_host::{FsServers, HostFrames};
use renga_hal::memory::PAGE_BYTES;
use renga_hal::power::Power;
use renga_hal::uart::Uart;
use renga_hal_host::HostMemory;
use renga_memory::{FrameCounts, SpaceTables};
use renga_process::{
    DESCRIPTORS_MAX, DescriptorSlot, IntegerProcessor, ProcessRow, ProgramState, QueuedSignal, SlotUse, ThreadGroups,
    UserClients, UserFacts,
};
use renga_proto::clock::Clock;
use renga_proto::console::Console;
use renga_proto::events::Events;
use renga_proto::fifos::Fifos;
use renga_proto::file::File;
use renga_proto::memory::{Memory, MemoryStatus};
use renga_proto::pages::{Pages, Shrink};
use renga_proto::pipe::{PIPE_BYTES, Pipe};
use renga_proto::procs::{KillGroup, Procs, Users};
use renga_proto::sessions::Sessions;
use renga_proto::slots::{FileTable, PipeTable, TakeFile, TakePipe};
use renga_proto::socket::Socket;
use renga_proto::socket_table::{Errand, FLIGHTS, SocketTable};
use renga_proto::terminals::Terminals;
use renga_rt::host::HostBoard;
use renga_rt::policy::SLICE_NS;
use renga_rt::proc_info::ProcInfo;
use renga_rt::user::UserContext;
use renga_rt::{
    Address, Arena, Client, Family, Local, Me, Members, Notifier, WaitCanceller, Wakes, Watch, WatchFilters,
};
use std::cell::Cell;

const USERS: usize = 3;
const EVENTS: usize = 4;
/// Records of processes.
const RECORDS: usize = 16;
const PIPES: usize = 2;
const SOCKETS: usize = 2;
const TERMINALS: usize = 1;
const TIMERS: usize = 8;
/// Signals that wait with their information.
const QUEUED: usize = 8;
const SIGKILL: u8 = 9;

/// A line without input.
struct Silence;

impl Uart for Silence {
    fn try_write(&mut self, _: u8) -> bool {
        true
    }
    fn try_read(&mut self) -> Option<u8> {
        None
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
}

struct SyscallSwitch;

impl Power for SyscallSwitch {
    fn stop(&self, _: u8) {}
}

/// Block of the image with the beginning of `d/f`, which is the program.
pub const PROGRAM_BLOCK: usize = 9;
/// Where the mode of its inode, 13, is.
pub const MODE_PLACE: (usize, usize) = (4, 12 * 256);

/// An ELF file with one segment to execute and one to write.
pub fn program() -> Vec<u8> {
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([2, 0, 183, 0, 1, 0, 0, 0]);
    for word in [CODE + 0x200, 64, 0] {
        file.extend(u64::to_le_bytes(word));
    }
    file.extend([0; 4]);
    for half in [64u16, 56, 2, 64, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for (flags, address, file_bytes, memory_bytes) in [(5u32, CODE, 0x400, 0x400), (6, DATA, 0x400, DATA_BYTES)] {
        file.extend(1u32.to_le_bytes());
        file.extend(flags.to_le_bytes());
        for word in [0, address, address, file_bytes, memory_bytes, PAGE_BYTES as u64] {
            file.extend(u64::to_le_bytes(word));
        }
    }
    file
}

/// Starts all of it. What comes back lets a keeper run, which kills all programs but init at its first
/// notification, and at its second counts what is free.
pub fn start(board: HostBoard, medium: &'static FuzzMedium, machine: &'static HostMemory) -> SyscallKeeper {
    let arena = board.arena;
    let frames = crate::memory::start(board, machine);
    let files = board::processes(board, medium, frames);
    let HostFrames { memory, counts, pages, .. } = frames;
    let users: &'static [_] = arena.put_slice(USERS, |_| board.declare(2));
    let watch: &'static Watch = arena.put(|| Watch::new(None));
    let procs = procs(board, users, watch);
    let references = memory::references(board, files.directory, pages);
    let (clock, wakes) = clock(board, procs, watch);
    let events = events(board, wakes);
    let Pipes { pipe_table, pipes, fifos } = pipes(board, watch, wakes);
    let futexes = board
        .server(|_, port| renga_futex::futexes(port, arena.put_slice(USERS, |_| renga_futex::FutexWait::EMPTY), wakes));
    let (socket_table, sockets) = sockets(board, watch, wakes);
    let console = console(board, wakes);
    let terminals = terminals(board, watch, wakes);
    let power: &'static SyscallSwitch = arena.put(|| SyscallSwitch);
    let processor: &'static IntegerProcessor = arena.put(|| IntegerProcessor);
    let (info, tables) = (arena.put(ProcInfo::default), SpaceTables::new(arena, users.len()));
    let groups = ThreadGroups::new(arena, users.len());
    let sessions: &'static Sessions = arena.put(Sessions::new);
    for (slot, process) in users.iter().enumerate() {
        let facts = facts(arena, (slot, process), (info, tables, groups), (counts, sessions));
        let context = arena.put(|| UserContext::new(slot as u16, 0, 0));
        let FsServers { path, directory, inodes, table, files, locks, .. } = files;
        board.start(process, |me| {
            let clients = UserClients {
                procs: Client::new(&me, procs),
                all_procs: Family::new(&me, board.family(&[procs])).narrowed(),
                memory: Client::new(&me, memory),
                all_memory: Family::new(&me, board.family(&[memory])).narrowed(),
                memories: Family::new(&me, board.family(&[memory])).narrowed(),
                pages: Client::new(&me, pages),
                references: Client::new(&me, references),
                inodes: Family::new(&me, inodes).narrowed(),
                inode_directory: Family::new(&me, board.family(&[directory])).narrowed(),
                paths: Family::new(&me, board.family(&[path])).narrowed(),
                locks: Family::new(&me, board.family(&[locks])).narrowed(),
                files: Family::new(&me, files).narrowed(),
                names: Local::new(&me, &Members::NONE),
                prefetchers: Local::new(&me, &Members::NONE),
                own_paths: Local::new(&me, &board.family(&[path])[0]),
                own_files: Local::new(&me, &files[0]),
                own_pipes: Local::new(&me, &board.family(pipes)[0]),
                file_table: Client::new(&me, table),
                pipes: Family::new(&me, board.family(pipes)).narrowed(),
                pipe_table: Client::new(&me, pipe_table),
                events: Family::new(&me, board.family(&[events])).narrowed(),
                own_events: Local::new(&me, &board.family(&[events])[0]),
                futexes: Family::new(&me, board.family(&[futexes])).narrowed(),
                fifos: Family::new(&me, board.family(&[fifos])).narrowed(),
                sockets: Family::new(&me, board.family(sockets)).narrowed(),
                own_sockets: Local::new(&me, &board.family(sockets)[0]),
                socket_table: Local::new(&me, &board.family(&[socket_table])[0]),
                socket_names: Family::new(&me, board.family(&[socket_table])).narrowed(),
                console: Family::new(&me, board.family(&[console])).narrowed(),
                terminals: Family::new(&me, board.family(&[terminals])).narrowed(),
                own_terminals: Local::new(&me, &board.family(&[terminals])[0]),
                clock: Client::new(&me, clock),
                links: Family::new(&me, arena.put_slice(1, |_| Members::NONE)),
                proc_files: Family::new(&me, arena.put_slice(1, |_| Members::NONE)).narrowed(),
            };
            let paths = arena.put(|| [0; renga_process::PATHS_BYTES]);
            let files = arena.put_slice(DESCRIPTORS_MAX, |_| DescriptorSlot::EMPTY);
            let program = arena.put(|| ProgramState::with_room(files));
            renga_process::user(me, clients, machine, power, processor, context, facts, program, paths)
        });
    }
    keeper(board, frames, (procs, files.table, pipe_table))
}

/// What the slot of `process` gets at boot.
fn facts(
    arena: &'static Arena,
    (slot, process): (usize, &'static Process),
    (info, tables, groups): (&'static ProcInfo, &'static SpaceTables, &'static ThreadGroups),
    (counts, sessions): (&'static FrameCounts, &'static Sessions),
) -> &'static UserFacts {
    arena.put(|| UserFacts {
        slot: slot as u16,
        boot_program: if slot == 0 { "/d/f" } else { "" },
        seed: 42,
        slice_ns: SLICE_NS,
        info,
        tables,
        counts,
        sessions,
        groups,
        notifier: Notifier::new(process),
        watched: arena.put(|| WatchFilters::new(&[])),
    })
}

fn keeper(
    board: HostBoard,
    frames: HostFrames,
    (procs, files, pipes): (Address<Procs>, Address<FileTable>, Address<PipeTable>),
) -> SyscallKeeper {
    let free: &'static Cell<Option<Free>> = board.arena.put(|| Cell::new(None));
    let keeper = board.client(|me| {
        let keeping = Keeping {
            procs: Client::new(&me, procs),
            pages: Client::new(&me, frames.pages),
            memory: Client::new(&me, frames.memory),
            files: Client::new(&me, files),
            pipes: Client::new(&me, pipes),
        };
        keep(me, keeping, free)
    });
    SyscallKeeper { notifier: Notifier::new(keeper), free }
}

fn procs(board: HostBoard, users: &'static [&'static Process], watch: &'static Watch) -> Address<Procs> {
    let arena = board.arena;
    let wait_cancellers: &'static [WaitCanceller] = arena.put_slice(USERS, |slot| WaitCanceller::new(users[slot]));
    let rows = arena.put_slice(RECORDS, |_| ProcessRow::EMPTY);
    let queued = arena.put_slice(QUEUED, |_| QueuedSignal::EMPTY);
    let seen = arena.put_slice(USERS, |_| SlotUse::NOTHING);
    board.server(|me, port| renga_process::procs(me, port, wait_cancellers, rows, queued, seen, 0, 1, watch))
}

fn events(board: HostBoard, wakes: &'static Wakes) -> Address<Events> {
    let places = board.arena.put_slice(EVENTS, |_| renga_clock::EventPlace::FREE);
    let due = board.arena.put_slice(EVENTS, |_| renga_clock::DuePlace::EMPTY);
    let watches = board.arena.put_slice(EVENTS, |_| renga_clock::WatchPlace::FREE);
    let notices = board.arena.put(|| renga_clock::NoticeMemory { notices: &mut [], watches: &mut [] });
    let watched = board.arena.put(|| WatchFilters::new(&[]));
    board.server(|me, port| {
        renga_clock::events(me, port, places, due, 1_000_000_000, 1, wakes, watches, notices, watched, 0)
    })
}

struct Pipes {
    pipe_table: Address<PipeTable>,
    pipes: &'static [Address<Pipe>],
    fifos: Address<Fifos>,
}

fn pipes(board: HostBoard, watch: &'static Watch, wakes: &'static Wakes) -> Pipes {
    let arena = board.arena;
    let places = arena.put_slice(PIPES, |_| 0);
    let pipe_table = board.server(|_, port| renga_pipe::pipe_table(port, places));
    let pipes: &'static [_] = arena.put_slice(PIPES, |number| {
        let bytes = arena.put(|| [0; PIPE_BYTES]);
        board.server(|me, port| {
            renga_pipe::pipe(port, Client::new(&me, pipe_table), bytes, number as u16, 1, watch, wakes)
        })
    });
    let fifo_places = arena.put_slice(PIPES, |_| renga_pipe::FifoPlace::NONE);
    let fifos = board.server(|me, port| {
        let own = Local::new(&me, &board.family(pipes)[0]).narrowed();
        renga_pipe::fifos(port, Client::new(&me, pipe_table), own, fifo_places)
    });
    Pipes { pipe_table, pipes, fifos }
}

fn console(board: HostBoard, wakes: &'static Wakes) -> Address<Console> {
    let (line, input) = (board.arena.put(|| Silence), board.arena.put(renga_console::InputQueue::new));
    board.server(|me, port| renga_console::console(me, port, line, wakes, input))
}

fn terminals(board: HostBoard, watch: &'static Watch, wakes: &'static Wakes) -> Address<Terminals> {
    let arena = board.arena;
    let pair = |_| renga_console::TerminalPair::new(arena.put(renga_console::PairMemory::new));
    let pairs = arena.put_slice(TERMINALS, pair);
    board.server(|me, port| renga_console::terminals(me, port, pairs, 1, wakes, watch))
}

fn sockets(
    board: HostBoard,
    watch: &'static Watch,
    wakes: &'static Wakes,
) -> (Address<SocketTable>, &'static [Address<Socket>]) {
    let arena = board.arena;
    let (free, errands) = (arena.put_slice(SOCKETS, |_| 0), arena.put_slice(2 * SOCKETS, |_| Errand::NONE));
    let names = arena.put_slice(SOCKETS, |_| renga_socket::SocketName::NONE);
    let flights = arena.put_slice(FLIGHTS, |_| renga_socket::Flight::NONE);
    let table = board.server(|me, port| renga_socket::socket_table(me, port, free, names, errands, flights, 1));
    let tables = board.family(&[table]);
    let sockets: &'static [_] = arena.put_slice(SOCKETS, |number| {
        let bytes = arena.put(|| [[0; PIPE_BYTES]; 2]);
        board.server(|me, port| {
            let table = Local::new(&me, &tables[0]).narrowed();
            renga_socket::socket(me, port, table, bytes, number as u16, 1, watch, wakes)
        })
    });
    board.spawn(|me| {
        let (table, all) = (Local::new(&me, &tables[0]).narrowed(), board.family(sockets));
        let names = Family::new(&me, tables).narrowed();
        let (pipes, files): (&[Address<Pipe>], &[Address<File>]) = (&[], &[]);
        let events: &[Address<Events>] = &[];
        let pipes = Family::new(&me, board.family(pipes)).narrowed();
        let files = Family::new(&me, board.family(files)).narrowed();
        let events = Family::new(&me, board.family(events)).narrowed();
        let terminals: &[Address<Terminals>] = &[];
        let terminals = Family::new(&me, board.family(terminals)).narrowed();
        renga_socket::socket_closer(table, names, Family::new(&me, all).narrowed(), pipes, files, events, terminals, 0)
    });
    (table, sockets)
}

fn clock(board: HostBoard, procs: Address<Procs>, watch: &'static Watch) -> (Address<Clock>, &'static Wakes) {
    let sleepers = board.arena.put_slice(USERS, |_| renga_clock::Sleeper::NONE);
    let timers = board.arena.put_slice(TIMERS, |_| renga_clock::Timer::FREE);
    let due = board.arena.put_slice(USERS + TIMERS, |_| renga_clock::DuePlace::EMPTY);
    let slots = board.arena.put_slice(USERS, |_| renga_clock::SlotWait::NONE);
    let clock = board.server(|me, port| {
        let procs = Client::new(&me, procs).narrowed();
        renga_clock::clock(me, port, procs, 1_000_000_000, sleepers, timers, due, slots, watch, 0)
    });
    let waker = board.declare(3);
    let wakes: &'static Wakes = board.arena.put(|| Wakes::new(Some(Notifier::new(waker))));
    board.start(waker, |me| {
        let clocks = Family::new(&me, board.family(&[clock])).narrowed();
        renga_clock::waker(me, clocks, wakes)
    });
    (clock, wakes)
}

/// What a board has free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Free {
    frames: u32,
    files: u32,
    pipes: u32,
}

/// Runs the keeper, and has what it found.
pub struct SyscallKeeper {
    /// Lets it go on.
    pub notifier: Notifier,
    /// What is free, once it has counted.
    pub free: &'static Cell<Option<Free>>,
}

struct Keeping {
    procs: Client<Procs>,
    pages: Client<Pages>,
    memory: Client<Memory>,
    files: Client<FileTable>,
    pipes: Client<PipeTable>,
}

async fn keep(mut me: Me, mut keeping: Keeping, free: &'static Cell<Option<Free>>) {
    me.notified().await;
    let killed = keeping
        .procs
        .call(KillGroup { group: 0, signal: SIGKILL, except: 0, hold: false, sender: 0, users: Users::default() }, ())
        .await;
    assert!(killed.is_ok());
    me.notified().await;
    let _ = keeping.pages.call(Shrink::at_once(u32::MAX), ()).await;
    let Ok(facts) = keeping.memory.call(MemoryStatus {}, ()).await else { panic!("frames cannot be counted") };
    let (mut files, mut pipes) = (0, 0);
    while keeping.files.call(TakeFile {}, ()).await.is_ok() {
        files += 1;
    }
    while keeping.pipes.call(TakePipe {}, ()).await.is_ok() {
        pipes += 1;
    }
    free.set(Some(Free { frames: facts.free, files, pipes }));
}
