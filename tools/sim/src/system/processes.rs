//! The system processes of one board: each kind gets its ports, clients, devices and memory, as the
//! image gives them on a real one.
//!
//! Invariant: every process of the placement is started exactly once (counted). Not here: how many
//! there are (placement), the link's (`link.rs`).

use super::devices::{Line, Switch};
use super::directory::Directory;
use super::disk::Disk;
use super::{INIT, SystemSetup};
use crate::cluster::Site;
use renga_core::{Client, Family, Me, Port, Process, Protocol};
use renga_fs::{CacheClients, FileClients, Medium, PathClients};
use renga_hal::host::HostMemory;
use renga_hal::memory::UserMemory;
use renga_process::host::Flushed;
use renga_process::{UserClients, UserFacts};
use renga_proto::pipe::PIPE_BYTES;
use renga_router::Stats;
use renga_rt::host::Board;
use renga_rt::user::UserContext;
use renga_rt::{Never, Notifier, PAGE_BYTES};
use renga_systems::Kind;
use std::future::Future;

/// Pages that the cache of executables holds.
const TEXT_PAGES: usize = 256;
/// The calendar time at boot, ns since 1970.
const EPOCH_NS: u64 = 1_700_000_000_000_000_000;

/// What a board's processes share with the host program.
#[derive(Clone)]
pub struct Devices {
    pub memory: &'static HostMemory,
    pub disk: Disk,
    pub line: Line,
    pub switch: &'static Switch,
}

/// Starts every process of the board; the router's counters.
pub fn start_all(
    site: &mut Site,
    directory: &Directory,
    setup: &SystemSetup,
    devices: &Devices,
) -> Option<&'static Stats> {
    let owns_disk = directory.checked().boards[directory.number()].owns_disk;
    let mut boot = Boot { board: site.board, directory, owns_disk, boots: site.boots, started: 0 };
    boot.start_clock_and_console(&devices.line);
    boot.start_disk(&devices.disk, setup.medium);
    boot.start_files();
    boot.start_open_files();
    boot.start_memory(devices.memory);
    boot.start_programs(devices, setup.cluster.seed);
    let started = boot.started;
    let (link, stats) = super::link::start(site, directory);
    let placed = directory.own().len();
    assert!(started + link == placed, "{} processes of {placed} started", started + link);
    stats
}

struct Boot<'a> {
    board: Board,
    directory: &'a Directory,
    owns_disk: bool,
    boots: u8,
    started: usize,
}

impl Boot<'_> {
    fn start<F: Future<Output = Never> + 'static>(
        &mut self,
        process: &'static Process,
        make: impl FnOnce(&Self, Me) -> F,
    ) {
        self.board.start(process, |me| make(self, me));
        self.started += 1;
    }

    /// Starts every process of `kind` as a server of `P`; `make` gets its number.
    fn servers<P: Protocol, F: Future<Output = Never> + 'static>(
        &mut self,
        kind: Kind,
        mut make: impl FnMut(&Self, Me, Port<P>, u16) -> F,
    ) {
        for (number, process) in self.directory.of_kind(kind).iter().enumerate() {
            self.start(process, |boot, me| {
                let (port, _) = Port::new(&me);
                make(boot, me, port, number as u16)
            });
        }
    }

    fn client<P: Protocol>(&self, me: &Me, kind: Kind) -> Client<P> {
        Client::new(me, self.directory.server(kind))
    }
    fn family<P: Protocol>(&self, me: &Me, kind: Kind) -> Family<P> {
        self.directory.family(me, kind)
    }
    fn cache(&self, me: &Me) -> CacheClients {
        CacheClients { directory: self.client(me, Kind::BufferDirectory), buffers: self.family(me, Kind::Buffer) }
    }

    fn start_clock_and_console(&mut self, line: &Line) {
        self.servers(Kind::Clock, |_, me, port, _| renga_clock::clock(me, port, EPOCH_NS));
        self.servers(Kind::Console, |boot, me, port, _| {
            renga_console::console(me, port, boot.board.arena.put(|| line.clone()))
        });
        for process in self.directory.of_kind(Kind::Keyboard) {
            self.start(process, |boot, me| {
                let (console, procs) = (boot.client(&me, Kind::Console), boot.family(&me, Kind::Procs));
                renga_process::keyboard(me, console, procs)
            });
        }
    }

    fn start_disk(&mut self, disk: &Disk, medium: &'static Medium) {
        self.servers(Kind::Disk, |boot, me, port, _| {
            renga_fs::disk(me, port, boot.board.arena.put(|| disk.clone()), medium)
        });
    }

    fn start_files(&mut self) {
        let buffers = self.directory.of_kind(Kind::Buffer).len();
        self.servers(Kind::Buffer, |boot, me, port, _| {
            renga_fs::buffer(port, boot.client(&me, Kind::Disk), boot.board.arena.put(|| [0; PAGE_BYTES]))
        });
        self.servers(Kind::BufferDirectory, |boot, _me, port, _| {
            renga_fs::buffer_directory(port, boot.board.arena.put_slice(buffers, |_| renga_fs::BufferSlot::EMPTY))
        });
        let writer = self.directory.of_kind(Kind::WriteBack).first();
        let due: &'static renga_fs::Due =
            self.board.arena.put(|| renga_fs::Due::new(writer.copied().map(Notifier::new)));
        self.servers(Kind::Allocator, |boot, me, port, _| {
            let (cache, disk) = (boot.cache(&me), boot.client(&me, Kind::Disk));
            renga_fs::allocator(me, port, cache, disk, boot.board.arena.put(|| [[0; PAGE_BYTES]; 2]), due, EPOCH_NS)
        });
        self.servers(Kind::Inode, |boot, me, port, number| {
            let (cache, allocator) = (boot.cache(&me), boot.client(&me, Kind::Allocator));
            renga_fs::inode(me, port, cache, allocator, number, EPOCH_NS)
        });
        let inodes = self.directory.of_kind(Kind::Inode).len();
        self.servers(Kind::InodeDirectory, |boot, me, port, _| {
            let slots = boot.board.arena.put_slice(inodes, |_| renga_fs::InodeSlot::EMPTY);
            renga_fs::inode_directory(port, boot.family(&me, Kind::Inode), boot.client(&me, Kind::Allocator), slots)
        });
        for process in self.directory.of_kind(Kind::WriteBack) {
            self.start(process, |boot, me| {
                let directory = boot.client(&me, Kind::InodeDirectory);
                renga_fs::write_back(me, directory, due)
            });
        }
        self.servers(Kind::Path, |boot, me, port, _| {
            let clients = PathClients {
                inode_directory: boot.client(&me, Kind::InodeDirectory),
                inodes: boot.family(&me, Kind::Inode),
                allocator: boot.client(&me, Kind::Allocator),
                cache: boot.cache(&me),
            };
            renga_fs::path(port, clients)
        });
    }

    fn start_open_files(&mut self) {
        let (files, pipes) = (self.directory.of_kind(Kind::File).len(), self.directory.of_kind(Kind::Pipe).len());
        self.servers(Kind::File, |boot, me, port, number| {
            let clients = FileClients {
                inodes: boot.family(&me, Kind::Inode),
                inode_directory: boot.client(&me, Kind::InodeDirectory),
                file_table: boot.client(&me, Kind::FileTable),
            };
            renga_fs::file(port, clients, number, boot.boots)
        });
        self.servers(Kind::FileTable, |_, _me, port, _| renga_fs::file_table(port, files));
        let watch = self.directory.watch();
        self.servers(Kind::Pipe, |boot, me, port, number| {
            let table = boot.client(&me, Kind::PipeTable);
            renga_pipe::pipe(port, table, boot.board.arena.put(|| [0; PIPE_BYTES]), number, boot.boots, watch)
        });
        self.servers(Kind::PipeTable, |_, _me, port, _| renga_pipe::pipe_table(port, pipes));
    }

    fn start_memory(&mut self, memory: &'static HostMemory) {
        self.servers(Kind::Memory, |boot, me, port, _| {
            renga_memory::memory(me, port, boot.board.arena.put_slice(memory.frames() as usize, |_| 0), memory)
        });
        self.servers(Kind::Text, |boot, me, port, _| {
            let (frames, inodes) = (boot.client(&me, Kind::Memory), boot.client(&me, Kind::InodeDirectory));
            let table = boot.board.arena.put_slice(TEXT_PAGES, |_| renga_memory::TextEntry::EMPTY);
            renga_memory::text(me, port, frames, inodes, table)
        });
    }

    fn start_programs(&mut self, devices: &Devices, seed: u64) {
        let interruptors = self.directory.interruptors(Kind::User);
        let disk_board = self.directory.checked().boards.iter().position(|board| board.owns_disk).unwrap_or(0) as u8;
        let (boots, watch) = (self.boots, self.directory.watch());
        self.servers(Kind::Procs, |_, me, port, _| {
            renga_process::procs(me, port, interruptors, disk_board, boots, watch)
        });
        let (memory, switch) = (devices.memory, devices.switch);
        for (slot, process) in self.directory.of_kind(Kind::User).iter().enumerate() {
            let boot_program = if slot == 0 && self.owns_disk { INIT } else { "" };
            self.start(process, |boot, me| {
                let slot = slot as u16;
                let facts = boot.board.arena.put(|| UserFacts { slot, boot_program, seed });
                let context = boot.board.arena.put(|| UserContext::new(slot, 0, 0));
                let clients = boot.user_clients(&me);
                renga_process::user(me, clients, memory, switch, &Flushed, context, facts)
            });
        }
    }

    fn user_clients(&self, me: &Me) -> UserClients {
        UserClients {
            procs: self.client(me, Kind::Procs),
            all_procs: self.family(me, Kind::Procs),
            memory: self.client(me, Kind::Memory),
            all_memory: self.family(me, Kind::Memory),
            text: self.client(me, Kind::Text),
            inodes: self.family(me, Kind::Inode),
            inode_directory: self.family(me, Kind::InodeDirectory),
            paths: self.family(me, Kind::Path),
            files: self.family(me, Kind::File),
            file_table: self.client(me, Kind::FileTable),
            pipes: self.family(me, Kind::Pipe),
            pipe_table: self.client(me, Kind::PipeTable),
            console: self.family(me, Kind::Console),
            clock: self.client(me, Kind::Clock),
            links: self.family(me, Kind::LinkStatus),
        }
    }
}
