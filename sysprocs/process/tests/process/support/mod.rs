//! A system for scripted programs: real process, memory, pipe, console and clock processes over
//! imitated files; boards are joined without a link, by calling straight across.

pub mod calls;
mod devices;
pub mod disk;
mod free;
pub mod script;
mod servers;
mod wiring;

use devices::{Line, Switch};
use disk::Disk;
use renga_core::Process;
use renga_core::account::{Account, AccountNumber};
use renga_hal::memory::UserMemory;
use renga_hal_host::HostMemory;
use renga_memory::{FrameCounts, SpaceTables};
use renga_pages::CacheMemory;
use renga_process::{IntegerProcessor, ProgramState, ThreadGroups, UserClients, UserFacts};
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::sessions::Sessions;
use renga_rt::host::HostBoard;
use renga_rt::policy::SLICE_NS;
use renga_rt::user::UserContext;
use renga_rt::{Local, Members, Notifier, Port, ProcId, WaitCanceller, Wakes, WatchFilters};
use script::{Script, run};
use std::cell::RefCell;
use wiring::{client, family, members};

pub const SLOTS: usize = 6;
const FILES: usize = 16;
const PIPES: usize = 4;
const SOCKETS: usize = 4;
const INODES: usize = 24;
const FRAMES: u32 = 600;
/// Signals that wait with their causes.
pub const QUEUED: usize = 40;
/// Locks that there can be.
pub const LOCKS: usize = 6;
const TIMERS: usize = 20;
/// Event files that there can be on a board.
pub const EVENTS: usize = 8;
/// Watches that there can be on a board.
pub const WATCHES: usize = 6;
const TURNS_MAX: u64 = 2_000_000;

thread_local! {
    static LOG: RefCell<Vec<(ProcId, String)>> = const { RefCell::new(Vec::new()) };
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// The headers of a board's processes.
struct Headers {
    procs: &'static Process,
    memory: &'static Process,
    pages: &'static Process,
    references: &'static Process,
    clock: &'static Process,
    waker: &'static Process,
    events: &'static Process,
    futexes: &'static Process,
    wakes: &'static Wakes,
    watched: &'static WatchFilters,
    file_table: &'static Process,
    pipe_table: &'static Process,
    files: Vec<&'static Process>,
    pipes: Vec<&'static Process>,
    socket_table: &'static Process,
    socket_closer: &'static Process,
    terminals: &'static Process,
    sockets: Vec<&'static Process>,
    users: Vec<&'static Process>,
    tables: &'static SpaceTables,
    groups: &'static ThreadGroups,
    counts: &'static FrameCounts,
}

/// The headers of the disk board's own.
struct DiskHeaders {
    path: &'static Process,
    inode_directory: &'static Process,
    locks: &'static Process,
    fifos: &'static Process,
    inodes: Vec<&'static Process>,
    console: &'static Process,
    keyboard: &'static Process,
}

pub struct System {
    pub boards: Vec<HostBoard>,
    pub machines: Vec<&'static HostMemory>,
    pub disk: &'static Disk,
    pub line: Line,
    pub switch: &'static Switch,
    console: &'static Process,
    memories: Vec<&'static Process>,
    /// Each board's table of processes.
    pub procs: Vec<&'static Process>,
}

fn declare(board: HostBoard) -> Headers {
    let many = |count| (0..count).map(|_| board.declare(3)).collect();
    let waker = board.declare(3);
    Headers {
        procs: board.declare(3),
        memory: board.declare(3),
        pages: board.declare(3),
        references: board.declare(3),
        clock: board.declare(3),
        waker,
        events: board.declare(3),
        futexes: board.declare(3),
        wakes: leak(Wakes::new(Some(Notifier::new(waker)))),
        watched: leak(WatchFilters::new(&[])),
        file_table: board.declare(3),
        pipe_table: board.declare(3),
        files: many(FILES),
        pipes: many(PIPES),
        socket_table: board.declare(3),
        socket_closer: board.declare(3),
        terminals: board.declare(3),
        sockets: many(SOCKETS),
        users: (0..SLOTS).map(|_| board.declare(2)).collect(),
        tables: SpaceTables::new(board.arena, SLOTS),
        groups: ThreadGroups::new(board.arena, SLOTS),
        counts: FrameCounts::new(board.arena, FRAMES as usize),
    }
}

impl System {
    /// One board whose init is `init`.
    pub fn solo(init: &Script) -> System {
        System::new(1, &[("/sbin/init", init)])
    }

    /// `boards` boards, the first with the disk, and `programs` by path.
    pub fn new(boards: usize, programs: &[(&str, &Script)]) -> System {
        LOG.with_borrow_mut(Vec::clear);
        let disk: &'static Disk = leak(Disk::default());
        disk.add("/", 0o040_755, 0, Vec::new());
        disk.add("/dev/console", 0o020_600, 5 << 8 | 1, Vec::new());
        disk.add("/dev/ptmx", 0o020_666, 5 << 8 | 2, Vec::new());
        disk.add("/dev/tty", 0o020_666, 5 << 8, Vec::new());
        disk.add("/dev/null", 0o020_666, 1 << 8 | 3, Vec::new());
        disk.add("/dev/zero", 0o020_666, 1 << 8 | 5, Vec::new());
        disk.add("/link", 0o120_777, 0, vec![]);
        for (name, script) in programs {
            disk.add(name, 0o100_755, 0, script.image());
        }
        let (line, switch): (_, &'static Switch) = (Line::default(), leak(Switch::default()));
        let boards: Vec<HostBoard> = (0..boards).map(|number| HostBoard::new(number as u8, 16 << 20)).collect();
        let machines: Vec<&'static HostMemory> = boards.iter().map(|_| leak(HostMemory::new(FRAMES))).collect();
        let headers: Vec<Headers> = boards.iter().map(|&board| declare(board)).collect();
        for (number, (board, headers)) in boards.iter().zip(&headers).enumerate() {
            board
                .core
                .set_accounts(Vec::leak((0..AccountNumber::count(boards.len())).map(|_| Account::new()).collect()));
            for (slot, user) in headers.users.iter().enumerate() {
                user.set_account(AccountNumber::of_slot(number as u8, slot as u16));
            }
        }
        let first = boards[0];
        let own = DiskHeaders {
            path: first.declare(3),
            inode_directory: first.declare(3),
            locks: first.declare(3),
            fifos: first.declare(3),
            inodes: (0..INODES).map(|_| first.declare(3)).collect(),
            console: first.declare(3),
            keyboard: first.declare(3),
        };
        start_disk_board(first, &own, &headers, disk, &line);
        for (number, &board) in boards.iter().enumerate() {
            board.core.set_log(|who, text, figures| {
                LOG.with_borrow_mut(|log| log.push((who, format!("{text} {figures:?}"))));
            });
            start_servers(board, number, &headers, &own, disk, machines[number]);
            servers::start(board, number, &headers);
            for slot in 0..SLOTS {
                start_user(board, number, slot, &headers, &own, machines[number], switch);
            }
        }
        let memories = headers.iter().map(|headers| headers.memory).collect();
        let procs = headers.iter().map(|headers| headers.procs).collect();
        System { boards, machines, disk, line, switch, console: own.console, memories, procs }
    }

    /// Runs until nothing is left to do.
    pub fn run(&self) {
        let boards: Vec<_> =
            self.boards.iter().zip(&self.machines).map(|(&board, &machine)| (board, machine)).collect();
        assert!(run(&boards, TURNS_MAX), "the programs never come to rest: {:?}", System::log());
    }

    /// Presses keys and runs.
    pub fn press(&self, keys: &[u8]) {
        self.line.keys.borrow_mut().extend(keys);
        self.console.notify();
        self.run();
    }

    /// Runs to the end; init's status, or that of the halt.
    pub fn status(&self) -> u8 {
        self.run();
        self.switch.0.get().unwrap_or_else(|| panic!("init goes on: {:?}", System::log()))
    }

    /// What the console shows.
    pub fn screen(&self) -> String {
        String::from_utf8_lossy(&self.line.screen.borrow()).replace("\r\n", "\n")
    }

    /// What the kernel log says.
    pub fn log() -> Vec<String> {
        LOG.with_borrow(|log| log.iter().map(|(who, text)| format!("{who}: {text}")).collect())
    }
}

fn start_disk_board(board: HostBoard, own: &DiskHeaders, all: &[Headers], disk: &'static Disk, line: &Line) {
    board.start(own.path, |me| disk::path(Port::new(&me).0, disk));
    board.start(own.inode_directory, |me| disk::inode_directory(Port::new(&me).0, disk));
    for (slot, inode) in own.inodes.iter().enumerate() {
        board.start(inode, |me| disk::inode(Port::new(&me).0, disk, slot as u16));
    }
    let places = Vec::leak(vec![renga_fs::LockPlace::FREE; LOCKS]);
    board.start(own.locks, |me| {
        let port = Port::new(&me).0;
        renga_fs::locks(me, port, places, servers::watch())
    });
    let places = Vec::leak(vec![renga_pipe::FifoPlace::NONE; PIPES]);
    board.start(own.fifos, |me| {
        let (port, table) = (Port::new(&me).0, client(&me, all[0].pipe_table));
        renga_pipe::fifos(port, table, Local::new(&me, leak(members(&all[0].pipes))).narrowed(), places)
    });
    let uart = Box::leak(Box::new(line.clone()));
    board.start(own.console, |me| {
        let port = Port::new(&me).0;
        renga_console::console(me, port, uart, all[0].wakes, Box::leak(Box::new(renga_console::InputQueue::new())))
    });
    let procs = all.iter().map(|headers| members(&[headers.procs])).collect();
    board.start(own.keyboard, |me| {
        let (console, procs) = (client(&me, own.console), family(&me, procs));
        renga_process::keyboard(me, console, procs)
    });
}

fn start_servers(
    board: HostBoard,
    number: usize,
    all: &[Headers],
    own: &DiskHeaders,
    disk: &'static Disk,
    machine: &'static HostMemory,
) {
    let here = &all[number];
    let users: Vec<WaitCanceller> = here.users.iter().map(|user| WaitCanceller::new(user)).collect();
    let users: &'static [WaitCanceller] = Vec::leak(users);
    board.start(here.procs, |me| {
        let port = Port::new(&me).0;
        let rows = Vec::leak(vec![renga_process::ProcessRow::EMPTY; 256]);
        let queued = Vec::leak(vec![renga_process::QueuedSignal::EMPTY; QUEUED]);
        let seen = Vec::leak(vec![renga_process::SlotUse::NOTHING; users.len()]);
        renga_process::procs(me, port, users, rows, queued, seen, 0, 1, servers::watch())
    });
    let counts = here.counts;
    board.start(here.memory, |me| {
        let port = Port::new(&me).0;
        renga_memory::memory(me, port, counts, machine, None)
    });
    let room = CacheMemory::new(board.arena, FRAMES as usize, 64);
    board.start(here.pages, |me| {
        let (port, memory) = (Port::new(&me).0, client(&me, here.memory));
        renga_pages::page_cache(me, port, memory, machine, room, 0, None)
    });
    board.start(here.references, |me| {
        let (port, directory) = (Port::new(&me).0, client(&me, own.inode_directory));
        let pages = client(&me, here.pages);
        let names = Local::new(&me, &Members::NONE).narrowed();
        renga_memory::references(
            me,
            port,
            directory,
            pages,
            names,
            board.arena.put_slice(64, |_| renga_memory::UsedFile::EMPTY),
            leak(Sessions::new()),
        )
    });
    board.start(here.clock, |me| {
        let port = Port::new(&me).0;
        let timers = Vec::leak(vec![renga_clock::Timer::FREE; TIMERS]);
        let due = Vec::leak(vec![renga_clock::DuePlace::EMPTY; SLOTS + TIMERS]);
        let sleepers = Vec::leak((0..SLOTS).map(|_| renga_clock::Sleeper::NONE).collect());
        let procs = client(&me, here.procs);
        let slots = Vec::leak(vec![renga_clock::SlotWait::NONE; SLOTS]);
        renga_clock::clock(me, port, procs, 1_000_000_000_000, sleepers, timers, due, slots, servers::watch(), 0)
    });
    board.start(here.waker, |me| {
        let clocks = family(&me, all.iter().map(|headers| members(&[headers.clock])).collect());
        renga_clock::waker(me, clocks, here.wakes)
    });
    servers::start_events(board, here);
    board.start(here.file_table, |me| disk::file_table(Port::new(&me).0, FILES));
    for (number, file) in here.files.iter().enumerate() {
        board.start(file, |me| disk::file(Port::new(&me).0, client(&me, here.file_table), disk, number as u16));
    }
    board.start(here.pipe_table, |me| renga_pipe::pipe_table(Port::new(&me).0, Vec::leak(vec![0; PIPES])));
    for (number, pipe) in here.pipes.iter().enumerate() {
        let bytes = Box::leak(Box::new([0; PIPE_BYTES]));
        board.start(pipe, |me| {
            let (port, table) = (Port::new(&me).0, client(&me, here.pipe_table));
            renga_pipe::pipe(port, table, bytes, number as u16, 1, servers::watch(), here.wakes)
        });
    }
}

fn start_user<M: UserMemory>(
    board: HostBoard,
    number: usize,
    slot: usize,
    all: &[Headers],
    own: &DiskHeaders,
    machine: &'static M,
    switch: &'static Switch,
) {
    let boot_program = if number == 0 && slot == 0 { "/sbin/init" } else { "" };
    let (info, sessions) = (leak(renga_rt::proc_info::ProcInfo::default()), leak(Sessions::new()));
    let here = &all[number];
    let facts = leak(UserFacts {
        slot: slot as u16,
        boot_program,
        seed: 42,
        slice_ns: SLICE_NS,
        info,
        tables: here.tables,
        counts: here.counts,
        sessions,
        groups: here.groups,
        notifier: Notifier::new(here.users[slot]),
        watched: here.watched,
    });
    let context = Box::leak(Box::new(UserContext::new(slot as u16, 0, 0)));
    board.start(here.users[slot], |me| {
        let clients = UserClients {
            procs: client(&me, here.procs),
            all_procs: family(&me, all.iter().map(|headers| members(&[headers.procs])).collect()),
            memory: client(&me, here.memory),
            all_memory: family(&me, all.iter().map(|headers| members(&[headers.memory])).collect()),
            memories: family(&me, all.iter().map(|headers| members(&[headers.memory])).collect()),
            pages: client(&me, here.pages),
            references: client(&me, here.references),
            prefetchers: Local::new(&me, &Members::NONE),
            inodes: family(
                &me,
                (0..all.len()).map(|i| if i == 0 { members(&own.inodes) } else { Members::NONE }).collect(),
            ),
            inode_directory: family(&me, servers::only_family(all.len(), own.inode_directory)),
            paths: family(&me, servers::only_family(all.len(), own.path)),
            locks: family(&me, servers::only_family(all.len(), own.locks)),
            events: family(&me, all.iter().map(|headers| members(&[headers.events])).collect()),
            own_events: Local::new(&me, leak(members(&[here.events]))),
            futexes: family(&me, all.iter().map(|headers| members(&[headers.futexes])).collect()),
            fifos: family(&me, servers::only_family(all.len(), own.fifos)),
            files: family(&me, all.iter().map(|headers| members(&headers.files)).collect()),
            names: Local::new(&me, &Members::NONE),
            own_paths: Local::new(&me, if number == 0 { leak(members(&[own.path])) } else { &Members::NONE }),
            own_files: Local::new(&me, leak(members(&here.files))),
            own_pipes: Local::new(&me, leak(members(&here.pipes))),
            file_table: client(&me, here.file_table),
            pipes: family(&me, all.iter().map(|headers| members(&headers.pipes)).collect()),
            pipe_table: client(&me, here.pipe_table),
            sockets: family(&me, all.iter().map(|headers| members(&headers.sockets)).collect()),
            own_sockets: Local::new(&me, leak(members(&here.sockets))),
            socket_table: Local::new(&me, leak(members(&[here.socket_table]))),
            socket_names: family(&me, all.iter().map(|headers| members(&[headers.socket_table])).collect()),
            console: family(&me, servers::only_family(all.len(), own.console)),
            terminals: family(&me, all.iter().map(|headers| members(&[headers.terminals])).collect()),
            own_terminals: Local::new(&me, leak(members(&[here.terminals]))),
            clock: client(&me, here.clock),
            links: family(&me, all.iter().map(|_| Members::NONE).collect()),
            proc_files: family(&me, all.iter().map(|_| Members::NONE).collect()),
        };
        let places = Vec::leak(vec![renga_process::DescriptorSlot::EMPTY; renga_process::DESCRIPTORS_MAX]);
        let paths = Box::leak(Box::new([0; renga_process::PATHS_BYTES]));
        let program = Box::leak(Box::new(ProgramState::with_room(places)));
        renga_process::user(me, clients, machine, switch, &IntegerProcessor, context, facts, program, paths)
    });
}
