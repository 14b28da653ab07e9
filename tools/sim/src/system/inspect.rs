//! What is left of programs after they have all ended: nothing may be.
//!
//! Invariant: inspection changes nothing but the cache of executables, which is emptied first; its content is no loss.
//! Not here: the medium (`image.rs`).

use super::SimSystem;
use renga_core::{Client, Me, Process, Protocol, Wait};
use renga_proto::memory::{Memory, MemoryStatus};
use renga_proto::pages::{Pages, Shrink};
use renga_proto::procs::{BoardCounts, Procs, UsageOf, WHOLE_BOARD};
use renga_proto::slots::{FileTable, FreeFile, FreePipe, PipeTable, TakeFile, TakePipe};
use renga_proto::socket_table::{FreeSocket, SocketTable, TakeSocket};
use renga_rt::given::{Given, Servers, Wires};
use renga_rt::host::HostBoard;
use renga_systems::{Directory, Kind};
use std::cell::RefCell;
use std::rc::Rc;

/// What a board still holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Page frames not free.
    pub frames: u32,
    /// Open files not free.
    pub files: usize,
    /// Pipes not free.
    pub pipes: usize,
    /// Sockets not free.
    pub sockets: usize,
    /// Slots of user programs not free.
    pub slots: usize,
    /// Processes that wait for another, beside those that wait for work, with the other one.
    pub waits: Vec<String>,
}

impl Leftovers {
    /// Whether there is nothing.
    pub fn none(&self) -> bool {
        *self == Leftovers::default()
    }
}

impl SimSystem {
    /// Inspects every board.
    pub fn leftovers(&mut self) -> Vec<Leftovers> {
        self.cluster.settle();
        let waits: Vec<Vec<String>> = self.directories.iter().map(|directory| waits(directory)).collect();
        let all = self.inspectors.iter().zip(waits).map(|(inspector, waits)| {
            inspector.process.notify();
            self.cluster.settle();
            let Some(counted) = inspector.result.take() else { panic!("the tables do not answer") };
            Leftovers { waits, ..counted }
        });
        all.collect()
    }
}

/// Processes whose calls have no reply, though no program is left.
fn waits(directory: &Directory) -> Vec<String> {
    let of = |kind| directory.of_kind(kind).iter().map(|process| process.id());
    let workers = [
        Kind::User,
        Kind::Keyboard,
        Kind::MetadataWriteback,
        Kind::InodeReclaimer,
        Kind::Committer,
        Kind::SocketCloser,
    ];
    let idle: Vec<_> = workers.into_iter().flat_map(of).collect();
    let waits = |process: &Process| matches!(process.wait(), Wait::Reply | Wait::ReplyElsewhere);
    let stuck = |process: &&&'static Process| waits(process) && !idle.contains(&process.id());
    let line = |process: &&'static Process| {
        let (id, server) = (process.id(), process.waits_for());
        format!("{} {id} waits for {server:?} (entry {})", directory.kind_name(id), process.op())
    };
    directory.own().iter().filter(stuck).map(line).collect()
}

fn client<P: Protocol>(directory: &Directory, me: &Me) -> Client<P> {
    Client::given(Wires { me, servers: directory })
}

/// A process that queries the board's tables whenever it is notified; created at boot, as all are.
pub struct Inspector {
    process: &'static Process,
    result: Rc<RefCell<Option<Leftovers>>>,
}

impl Inspector {
    /// That of the board of `directory`.
    pub fn start(directory: &'static Directory, board: HostBoard) -> Inspector {
        let result = Rc::new(RefCell::new(None));
        let answer = result.clone();
        let process = board.client(move |mut me| async move {
            loop {
                me.notified().await;
                *answer.borrow_mut() = Some(count(&me, directory).await);
            }
        });
        Inspector { process, result }
    }
}

async fn count(me: &Me, directory: &Directory) -> Leftovers {
    let mut found = Leftovers::default();
    let _ = client::<Pages>(directory, me).call(Shrink::at_once(u32::MAX), ()).await;
    let facts = client::<Memory>(directory, me).call(MemoryStatus {}, ()).await;
    found.frames = facts.map_or(u32::MAX, |facts| facts.total - facts.free);
    let mut counts = [0; BoardCounts::BYTES];
    let asked = client::<Procs>(directory, me).call(UsageOf { pid: WHOLE_BOARD }, &mut counts[..]).await;
    let free = asked.map_or(0, |_| BoardCounts::from_bytes(&counts).free_slots as u32);
    found.slots = directory.of_kind(Kind::User).len() - free as usize;
    found.files = files(client(directory, me), directory.of_kind(Kind::File).len()).await;
    found.pipes = pipes(client(directory, me), directory.of_kind(Kind::Pipe).len()).await;
    let sockets = directory.of_kind(Kind::Socket).len();
    if sockets > 0 {
        found.sockets = count_sockets(client(directory, me), sockets).await;
    }
    found
}

/// How many of `all` sockets are taken.
async fn count_sockets(mut table: Client<SocketTable>, all: usize) -> usize {
    let mut taken = Vec::new();
    while let Ok(socket) = table.call(TakeSocket {}, ()).await {
        taken.push(socket);
    }
    for &socket in &taken {
        let _ = table.call(FreeSocket { socket }, ()).await;
    }
    all - taken.len()
}

/// How many of `all` open files are taken.
async fn files(mut table: Client<FileTable>, all: usize) -> usize {
    let mut taken = Vec::new();
    while let Ok(file) = table.call(TakeFile {}, ()).await {
        taken.push(file);
    }
    for &file in &taken {
        let _ = table.call(FreeFile { file }, ()).await;
    }
    all - taken.len()
}

/// How many of `all` pipes are taken.
async fn pipes(mut table: Client<PipeTable>, all: usize) -> usize {
    let mut taken = Vec::new();
    while let Ok(pipe) = table.call(TakePipe {}, ()).await {
        taken.push(pipe);
    }
    for &pipe in &taken {
        let _ = table.call(FreePipe { pipe }, ()).await;
    }
    all - taken.len()
}
