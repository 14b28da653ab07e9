//! The loop: takes a call, generates the text of the file, replies.
//!
//! Invariant: calls are served one after the other: no server that this process calls waits for a program. The
//! failure of a board ends a call to it. A live board that never replies blocks this process, and with it `/proc` of
//! its board.

use crate::clients::ProcFilesClients;
use crate::placement::Plan;
use crate::tree::{ProcFile, ProcPlace};
use crate::window::TextWindow;
use renga_hal::memory::UserMemory;
use renga_hal::start_card::StartCard;
use renga_proto::inode::STAT_BYTES;
use renga_proto::proc_files::{ProcFiles, ProcFilesCall, ReadSynthetic, SECTORS_AT, slave_device};
use renga_proto::procs::board_of;
use renga_proto::terminals::PairFacts;
use renga_rt::proc_info::{DUMPABLE_BIT, ProcInfo};
use renga_rt::{Errno, Me, Never, PAGE_BYTES, Port, reply};

/// Minor number of the device that synthetic files are on, as Linux counts those without a medium.
const DEVICE: u64 = 22;
/// What the disk is: major 179, minor 1.
const DISK_DEVICE: u64 = 179 << 8 | 1;
const PERMISSIONS: u16 = 0o7777;
const NS_PER_S: u64 = 1_000_000_000;

pub(crate) struct ProcFilesState<M: UserMemory + 'static> {
    pub(crate) me: Me,
    pub(crate) clients: ProcFilesClients,
    pub(crate) machine: &'static M,
    /// Those of the slots of this board.
    pub(crate) infos: &'static [ProcInfo],
    pub(crate) board: u8,
    /// The board that has the disk, where init runs.
    pub(crate) init_board: u8,
    /// The seed of this run, which differs between runs.
    pub(crate) seed: u64,
    pub(crate) plan: &'static dyn Plan,
    /// For lists of processes.
    pub(crate) page: &'static mut [u8; PAGE_BYTES],
    /// The card from which this board has started.
    pub(crate) start_card: &'static dyn StartCard,
}

/// Serves synthetic files; the programs of this board show themselves by `infos`, and init runs on `init_board`.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn proc_files<M: UserMemory + 'static>(
    me: Me,
    mut port: Port<ProcFiles>,
    clients: ProcFilesClients,
    machine: &'static M,
    infos: &'static [ProcInfo],
    init_board: u8,
    seed: u64,
    plan: &'static dyn Plan,
    page: &'static mut [u8; PAGE_BYTES],
    start_card: &'static dyn StartCard,
) -> Never {
    let board = me.id().board.0;
    let mut state = ProcFilesState { me, clients, machine, infos, board, init_board, seed, plan, page, start_card };
    loop {
        match port.accept().await {
            ProcFilesCall::WalkSynthetic(mut call) => reply!(call, state.walk(call.entry(), call.lent()).await),
            ProcFilesCall::ReadSynthetic(mut call) => reply!(call, state.read(call.entry(), call.lent()).await, bytes),
            ProcFilesCall::ListSynthetic(mut call) => {
                reply!(call, state.list(call.entry(), call.lent()).await, |read| read.bytes)
            }
            ProcFilesCall::SyntheticStatus(mut call) => {
                reply!(call, state.status(call.entry().number, call.lent()).await)
            }
            ProcFilesCall::ReadSyntheticLink(mut call) => {
                reply!(call, state.read_link(call.entry(), call.lent()).await, bytes)
            }
            ProcFilesCall::WriteSynthetic(mut call) => reply!(call, state.write(call.entry(), call.lent()).await),
            ProcFilesCall::SyntheticPath(mut call) => {
                reply!(call, state.path(call.entry().number, call.lent()), bytes)
            }
        }
    }
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(crate) fn board_of(&self, pid: u32) -> u8 {
        board_of(pid, self.init_board)
    }

    /// The info of process `pid` of this board.
    pub(crate) fn info(&self, pid: u32) -> Result<&'static ProcInfo, Errno> {
        self.infos.iter().find(|info| info.pid.get() == pid).filter(|_| pid != 0).ok_or(Errno::ENOENT)
    }

    async fn read(&mut self, ReadSynthetic { number, offset }: ReadSynthetic, out: &mut [u8]) -> Result<u32, Errno> {
        let place = ProcPlace::of(number).ok_or(Errno::ENOENT)?;
        if place.file == ProcFile::Disk {
            return self.read_disk(offset, out).await;
        }
        if place.file == ProcFile::StartCard {
            return self.read_start_card(offset, out).await;
        }
        let mut window = TextWindow::new(out, offset);
        if place.pid == 0 {
            self.make_whole(place.file, &mut window).await?;
        } else {
            self.make_of_program(place, &mut window).await?;
        }
        Ok(window.bytes() as u32)
    }

    /// Fills a `struct stat`. Of a program's files the times are when it was made; of the others, now.
    async fn status(&mut self, number: u32, out: &mut [u8]) -> Result<(), Errno> {
        let place = ProcPlace::of(number).ok_or(Errno::ENOENT)?;
        let (mut ns, mut threads) = (self.clients.calendar_ns().await, 0);
        if place.pid != 0 {
            let listed = self.clients.process(place.pid, self.init_board).await.map_err(|_| Errno::ENOENT)?;
            ns = ns.saturating_sub(self.me.now_ns()).saturating_add(listed.started_ns);
            threads = listed.threads;
        }
        let sectors = if place.file == ProcFile::Disk { self.disk_sectors().await? } else { 0 };
        let terminal = match place.file {
            ProcFile::Terminal => Some(self.clients.terminal(place.descriptor.into()).await?),
            _ => None,
        };
        let out = out.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?;
        out.fill(0);
        // A program's are its user's, unless it has changed that; of one that has ended root's.
        let [mut users, _, mut groups, _, more] = self.info(place.pid).map_or([0; 5], |info| info.credentials.get());
        if more >> DUMPABLE_BIT & 1 == 0 && place.file != ProcFile::Program {
            (users, groups) = (0, 0);
        }
        let links: u32 = match place.file {
            ProcFile::Tasks => 2 + threads,
            _ if place.is_directory() => 2,
            _ => 1,
        };
        let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &DEVICE.to_le_bytes());
        put(8, &u64::from(number).to_le_bytes());
        put(16, &u32::from(place.mode()).to_le_bytes());
        put(20, &links.to_le_bytes());
        put(24, &((users >> 32) as u32).to_le_bytes());
        put(28, &((groups >> 32) as u32).to_le_bytes());
        put(56, &1024u32.to_le_bytes());
        if let Some(PairFacts { mode, user, group, .. }) = terminal {
            put(16, &u32::from(place.mode() & !PERMISSIONS | mode).to_le_bytes());
            put(24, &user.to_le_bytes());
            put(28, &group.to_le_bytes());
            put(32, &slave_device(number).to_le_bytes());
        }
        if place.file == ProcFile::Disk {
            put(32, &DISK_DEVICE.to_le_bytes());
            put(SECTORS_AT, &sectors.to_le_bytes());
        }
        for at in [72, 88, 104] {
            put(at, &(ns / NS_PER_S).to_le_bytes());
            put(at + 8, &(ns % NS_PER_S).to_le_bytes());
        }
        Ok(())
    }
}
