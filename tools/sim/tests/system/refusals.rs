//! Calls that no honest board makes, each by itself: what they get back, and that nothing has changed afterwards.

use crate::machine::{LIMIT_NS, possible, setup};
use renga_hostile::{Attack, ScriptedCall};
use renga_proto::disk::WriteBlocks;
use renga_proto::fifos::FifoEnds;
use renga_proto::file::{self, WriteTo};
use renga_proto::inode::{self, CommitAll, CommitExtent, InodeOwner, WriteAt};
use renga_proto::memory::{AllocateFrame, FreeFrame, MakePrivate, ShareFrame, TakeStored};
use renga_proto::path::{self, MakeNode, OPEN_WRITE};
use renga_proto::pipe::{self, PollPipe, ReadPipe};
use renga_proto::procs::{self, AwaitWork, ChildExited, Exit, INIT, PolicyOf, Spawn, TakenUp};
use renga_rt::{Entry, Errno};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, SystemSetup, image};
use renga_systems::Kind;
use std::cell::Cell;

const HOSTILE: u8 = 1;
/// A pid of the hostile board, and one of the attacked one: init's first child.
const FOREIGN: u32 = 9;
const CHILD: u32 = 8;
const SIGKILL: u8 = 9;
/// The journal's inode.
const JOURNAL: u32 = 8;
const DATA: u64 = 0x58_0000;
const NAME: &str = "/kept";
const MS: u64 = 1_000_000;

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// The router ends the session.
    Cut,
    /// Its server says so.
    Refused(Errno),
    /// The call succeeds, and its result ends at once.
    Vain,
}

fn deed<E: Entry>(caller: Kind, server: (Kind, u16), entry: E) -> ScriptedCall {
    let words = [const { Cell::new(0) }; 6];
    entry.put(&words);
    ScriptedCall::new(caller, server, E::OP, words.map(Cell::into_inner))
}

/// The descriptor of a program without registers, limits, files; its space is said to be here, with root `root`.
fn descriptor(root: u64) -> &'static [u8] {
    let mut bytes = vec![0; 4 * 8];
    bytes.extend(u64::from(FOREIGN).to_le_bytes());
    bytes.extend([0; 4 * 8]);
    bytes.extend(*b"hostile\0\0\0\0\0\0\0\0\0");
    bytes.extend([0; 2 * 8 + 2 + 4 + 3 * 8]);
    bytes.push(0);
    bytes.extend(root.to_le_bytes());
    Vec::leak(bytes)
}

fn spawn(root: u64) -> ScriptedCall {
    let entry = Spawn { parent: FOREIGN, group: FOREIGN, session: FOREIGN, blocked: 0, most: 100, ignored: 0 };
    ScriptedCall { given: descriptor(root), ..deed(Kind::User, (Kind::Procs, 0), entry) }
}

/// Calls of R26 and R27 in the project's first review, and their kin.
fn calls() -> Vec<(ScriptedCall, Fate)> {
    use Kind::{Console, Disk, File, Inode, InodeDirectory, Memory, PathLookup, Pipe, Procs, User};
    let exited = ChildExited { parent: INIT, child: CHILD, status: 0 };
    let exit = Exit { pid: CHILD, status: 0 };
    let refused = |deed: ScriptedCall, errno| (deed, Fate::Refused(errno));
    let cut = |deed: ScriptedCall| (deed, Fate::Cut);
    let mut calls = vec![
        (spawn(0), Fate::Vain),
        (spawn(1), Fate::Vain),
        (spawn(u64::MAX), Fate::Vain),
        cut(deed(User, (Memory, 0), ShareFrame { frame: 0 })),
        cut(deed(User, (Memory, 0), MakePrivate { frame: 0 })),
        cut(deed(User, (Memory, 0), TakeStored { frame: 0, board: 0 })),
        cut(deed(User, (Memory, 0), AllocateFrame {})),
        cut(deed(User, (Procs, 0), AwaitWork { slot: 0 })),
        cut(deed(User, (Procs, 0), exit)),
        cut(deed(User, (Procs, 0), TakenUp { pid: CHILD })),
        cut(deed(User, (Procs, 0), procs::BoardDied { board: 0 })),
        cut(deed(User, (InodeDirectory, 0), inode::BoardDied { board: 0 })),
        cut(deed(User, (Console, 0), renga_proto::console::BoardDied { board: 0 })),
        cut(ScriptedCall { given: &[7; 512], ..deed(User, (Disk, 0), WriteBlocks { first: 0 }) }),
        cut(deed(File, (Disk, 0), WriteBlocks { first: 0 })),
        refused(deed(User, (Procs, 0), exited), Errno::EINVAL),
        refused(deed(User, (Procs, 0), PolicyOf { pid: INIT, change: 1 << 60 }), Errno::EINVAL),
        refused(deed(File, (InodeDirectory, 0), CommitAll { extent: CommitExtent::Unmount }), Errno::EPERM),
        refused(
            ScriptedCall {
                given: b".",
                ..deed(
                    User,
                    (PathLookup, 0),
                    path::Open { at: JOURNAL.into(), flags: OPEN_WRITE, mode: 0, owner: InodeOwner::default() },
                )
            },
            Errno::ENOTDIR,
        ),
        refused(
            ScriptedCall {
                given: b"/node",
                ..deed(
                    User,
                    (PathLookup, 0),
                    MakeNode { at: 2.into(), mode: 9, device: 0, owner: InodeOwner::default() },
                )
            },
            Errno::EINVAL,
        ),
    ];
    for number in 0..4 {
        let frame = u32::from(number);
        calls.push(refused(deed(User, (Memory, 0), FreeFrame { frame }), Errno::EINVAL));
        calls.push(cut(deed(User, (File, number), file::BoardDied { board: 0 })));
        calls.push(cut(deed(User, (Pipe, number), pipe::BoardDied { board: 0 })));
        calls.push(refused(
            ScriptedCall { given: b"spoiled", ..deed(User, (File, number), WriteTo { offset: 0 }) },
            Errno::EBADF,
        ));
        calls.push(refused(
            ScriptedCall { given: b"spoiled", ..deed(File, (Inode, number), WriteAt { offset: 0 }) },
            Errno::ESTALE,
        ));
        let read = ReadPipe { generation: 1, nonblocking: true };
        calls.push(refused(ScriptedCall { taken: 9, ..deed(User, (Pipe, number), read) }, Errno::ESTALE));
        let poll = PollPipe { generation: 1, ends: FifoEnds::Reader, events: u32::MAX, slot: 0, seen: 0, partners: 0 };
        calls.push(refused(deed(User, (Pipe, number), poll), Errno::ESTALE));
    }
    calls
}

fn pattern() -> Vec<u8> {
    (0..20_000u32).map(|at| ((at * 7) >> 3) as u8).collect()
}

/// Has a file, memory, a full pipe and a child during the call, and afterwards.
async fn victim(init: SimProgram, deed: &'static ScriptedCall) -> u8 {
    let file = init.open(NAME, Open::Create).await.unwrap();
    init.write_all(file, &pattern()).await.unwrap();
    init.store(DATA, &pattern()).await;
    let (out, into) = init.pipe().await.unwrap();
    init.write_all(into, b"kept").await.unwrap();
    let child = async |child: SimProgram| child.sleep(u64::MAX >> 2).await.map_or(1, |()| 0);
    let child = init.fork(child).await.unwrap();
    assert_eq!(child, u64::from(CHILD));
    deed.go.set(true);
    while deed.answer.get().is_none() {
        init.sleep(MS).await.unwrap();
    }
    init.sleep(50 * MS).await.unwrap(); // whatever it started has come to its end
    assert!(init.read_at(file, 0, 20_000).await.unwrap() == pattern(), "the file has changed");
    assert!(init.load(DATA, 20_000).await == pattern(), "memory has changed");
    assert_eq!(init.read(out, 9).await.unwrap(), b"kept");
    init.kill(child, SIGKILL).await.unwrap();
    assert_eq!(init.wait(child).await, Ok((child, u32::from(SIGKILL))));
    init.write_all(file, b"more").await.unwrap();
    init.sync(file).await.unwrap();
    0
}

#[test]
fn permits_forbidden_calls_change_nothing() {
    if !possible() {
        return;
    }
    for (deed, fate) in calls() {
        let deed: &'static ScriptedCall = Box::leak(Box::new(deed));
        let what = format!("{:?} calls entry {} of {:?}", deed.caller, deed.op, deed.server);
        let attack: &'static Attack = Box::leak(Box::new(Attack::of(deed)));
        let (setup, programs) = setup(ClusterSetup::new(2), move |init| victim(init, deed), |_| ());
        let mut system = SimSystem::boot(&SystemSetup { hostile: Some((HOSTILE, attack)), ..setup }, &programs);
        assert_eq!(system.run(LIMIT_NS), Some(0), "{what}: {:#?}", system.wait_graph());
        let stats = system.link_stats()[0];
        let found = match deed.answer.get().map(|words| words[0] as u16) {
            Some(0) => Fate::Vain,
            Some(errno) if Errno(errno) == Errno::EHOSTDOWN => Fate::Cut,
            Some(errno) => Fate::Refused(Errno(errno)),
            None => panic!("{what}: it was not made"),
        };
        assert_eq!(found, fate, "{what}, {:?}", SimSystem::log());
        let (served, forbidden) = (stats.calls_served.get(), stats.forbidden.get());
        assert_eq!((served, forbidden), if fate == Fate::Cut { (0, 1) } else { (1, 0) }, "{what}");
        let file = image::check_for(&system.disk.content(), NAME).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(file == [&pattern()[..], b"more"].concat(), "{what}: the file on the medium");
    }
}
