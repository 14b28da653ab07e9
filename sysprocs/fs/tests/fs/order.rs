//! A commit takes its steps in their order (`docs/reference/files.md`). The committer and the disk are real; scripts
//! stand in for the other servers and record the calls.

use crate::support::{Medium512, Scratch, make_image};
use WalkStep::{
    Answer, AwaitRoom, Close, Content, Copied, Ended, Freeze, Head, Join, Lock, Ordered, Place, Save, Thaw,
    TransactionOutcome as Outcome, Unlock, Unordered, Write,
};
use renga_fs::{CommitterClients, Medium, MetadataWritebackClients, committer, committer_pages, disk};
use renga_hal::block::{Block, BlockError};
use renga_proto::allocator::{AllocatorCall, JournalReached, Pended};
use renga_proto::buffer::directory::{BufferDirectoryCall, Written};
use renga_proto::buffer::page::BufferCall;
use renga_proto::buffer::{BufferedBlock, DirtyClass, TransactionOutcome};
use renga_proto::data::DataWritebackCall;
use renga_proto::inode::{CommitExtent, CommitWanted, Frozen, InodeCall, InodeDirectoryCall};
use renga_proto::pages::{Pages, PagesCall};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Family, Me, Never, Port, Protocol};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What happens in a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WalkStep {
    /// Data goes to its places.
    Content,
    Lock,
    Close,
    Freeze(u16),
    Save,
    Copied(u64),
    Ordered,
    Thaw(u16),
    /// A caller that changes may join the next transaction.
    Join,
    Unlock,
    /// So many blocks are written to the journal in one piece, or its commit block.
    Write(&'static str, usize),
    /// Blocks of metadata are written where they belong.
    Place(u64),
    /// The journal's beginning is written.
    Head,
    Unordered,
    TransactionOutcome(TransactionOutcome),
    Ended(JournalReached),
    /// Of a write that waits for room.
    AwaitRoom(u16),
    /// The requester of the commit gets its reply.
    Answer(u16),
}
type WalkSteps = Rc<RefCell<Vec<WalkStep>>>;

/// A medium that writes down what is written to it.
struct Watched {
    medium: Medium512,
    refuses: Option<WalkStep>,
    steps: WalkSteps,
}
impl Block for Watched {
    fn blocks(&self) -> u64 {
        self.medium.blocks()
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        self.medium.read(sector, out)
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        let own = data[..4] == [0xc0, 0x3b, 0x39, 0x98];
        let step = match (own, data[7]) {
            (true, 1) => Write("copies", data.len() / 4096),
            (true, 2) => Write("commit block", data.len() / 4096),
            (true, _) => Head,
            (false, _) => Place(sector / 8),
        };
        self.steps.borrow_mut().push(step);
        if self.refuses == Some(step) { Err(BlockError::Failed) } else { self.medium.write(sector, data) }
    }
}

/// What the servers say.
#[derive(Clone, Copy)]
struct Script {
    extent: CommitExtent,
    /// Inodes that have joined, of which the last has a write that waits for room.
    members: u16,
    /// The blocks of dirty metadata, and what the journal has.
    metadata: &'static [u64],
    journaled: &'static [u64],
    /// One inode cannot write itself to its buffer.
    broken: bool,
    /// What the medium refuses.
    refuses: Option<WalkStep>,
}
const USUAL: Script = Script {
    extent: CommitExtent::Journal,
    members: 2,
    metadata: &[50, 51, 90],
    journaled: &[],
    broken: false,
    refuses: None,
};

async fn inode_directory(
    mut port: Port<renga_proto::inode::InodeDirectory>,
    script: Script,
    steps: WalkSteps,
) -> Never {
    let (mut requests, mut kept) = (0, vec![]);
    loop {
        match port.accept().await {
            InodeDirectoryCall::NextCommit(call) if requests == 0 => {
                requests = 1;
                call.reply(Ok(CommitWanted { extent: script.extent, account: 0 }));
            }
            InodeDirectoryCall::NextCommit(call) => {
                steps.borrow_mut().push(Answer(call.entry().ended));
                kept.push(call);
            }
            InodeDirectoryCall::LockNames(call) => {
                assert!(!call.entry().exclusive);
                steps.borrow_mut().push(Lock);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::UnlockNames(call) => {
                steps.borrow_mut().push(Unlock);
                call.reply(Ok(()));
            }
            _ => panic!("a committer calls nothing else"),
        }
    }
}

async fn allocator(mut port: Port<renga_proto::allocator::Allocator>, script: Script, steps: WalkSteps) -> Never {
    let mut members = (0..script.members).rev().collect::<Vec<_>>();
    loop {
        let step = match port.accept().await {
            AllocatorCall::Mount(call) => {
                assert!(call.entry().usable && call.entry().journaled);
                call.reply(Ok(()));
                continue;
            }
            AllocatorCall::Pending(call) => {
                call.reply(Ok(Pended { changed: true, checkpoint: false }));
                continue;
            }
            AllocatorCall::NextMember(call) => {
                call.reply(members.pop().ok_or(Errno::ENOENT));
                continue;
            }
            AllocatorCall::CloseTransaction(call) => (call.reply(Ok(())), Close).1,
            AllocatorCall::SaveMetadata(call) => {
                assert_eq!(call.entry().broken, script.broken);
                call.reply(Ok(()));
                Save
            }
            AllocatorCall::EndFreeze(call) => (call.reply(Ok(())), Join).1,
            AllocatorCall::EndTransaction(call) => {
                let reached = call.entry().reached;
                call.reply(Ok(()));
                Ended(reached)
            }
            _ => panic!("a committer calls nothing else"),
        };
        steps.borrow_mut().push(step);
    }
}

async fn inode(mut port: Port<renga_proto::inode::Inode>, number: u16, script: Script, steps: WalkSteps) -> Never {
    loop {
        let step = match port.accept().await {
            InodeCall::Freeze(call) => {
                let last = number + 1 == script.members;
                let state = Frozen { waits: last, broken: false };
                call.reply(if last && script.broken { Err(Errno::EIO) } else { Ok(state) });
                Freeze(number)
            }
            InodeCall::Thaw(call) => {
                let committed = call.entry().committed;
                call.reply(Ok(()));
                if committed { AwaitRoom(number) } else { Thaw(number) }
            }
            _ => panic!("a committer calls nothing else"),
        };
        steps.borrow_mut().push(step);
    }
}

async fn buffer_directory(
    mut port: Port<renga_proto::buffer::directory::BufferDirectory>,
    script: Script,
    steps: WalkSteps,
) -> Never {
    let buffered = |block: &u64| BufferedBlock { block: *block, buffer: 0 };
    let mut metadata = script.metadata.iter().map(buffered);
    let mut journaled: VecDeque<_> = script.journaled.iter().map(buffered).collect();
    loop {
        match port.accept().await {
            BufferDirectoryCall::CountDirty(call) => {
                let count = match call.entry().class {
                    DirtyClass::Metadata => script.metadata.len(),
                    DirtyClass::Journaled => script.journaled.len(),
                    DirtyClass::Direct => 0,
                };
                call.reply(Ok(count as u32));
            }
            BufferDirectoryCall::NextWrite(call) => {
                assert!(call.entry().class == DirtyClass::Journaled, "the journal is to have it first");
                call.reply(journaled.pop_front().ok_or(Errno::ENOENT));
            }
            BufferDirectoryCall::ExtendWrite(call) => call.reply(Err(Errno::ENOENT)),
            BufferDirectoryCall::Written(call) => {
                let Written { first, done, .. } = call.entry();
                journaled.extend((!done).then_some(BufferedBlock { block: first, buffer: 0 }));
                call.reply(Ok(()));
            }
            BufferDirectoryCall::NextMetadata(call) => call.reply(metadata.next().ok_or(Errno::ENOENT)),
            BufferDirectoryCall::EndTransaction(call) => {
                steps.borrow_mut().push(Outcome(call.entry().outcome));
                call.reply(Ok(()));
            }
            _ => panic!("a committer calls nothing else"),
        }
    }
}

async fn buffer(mut port: Port<renga_proto::buffer::page::Buffer>, steps: WalkSteps) -> Never {
    loop {
        match port.accept().await {
            BufferCall::CopyOut(mut call) => {
                let block = call.entry().block;
                call.lent().fill(block as u8);
                steps.borrow_mut().push(Copied(block));
                call.reply(Ok(()));
            }
            _ => panic!("a committer calls nothing else"),
        }
    }
}

async fn content(mut port: Port<renga_proto::data::DataWriteback>, steps: WalkSteps) -> Never {
    loop {
        match port.accept().await {
            DataWritebackCall::WriteData(call) => {
                steps.borrow_mut().push(Content);
                call.reply(Ok(()));
            }
            DataWritebackCall::MakeRoom(_) => panic!("a committer wants all"),
        }
    }
}

async fn pages(mut port: Port<Pages>, steps: WalkSteps) -> Never {
    loop {
        match port.accept().await {
            PagesCall::SetOrdered(call) => {
                steps.borrow_mut().push(if call.entry().ordered { Ordered } else { Unordered });
                call.reply(Ok(()));
            }
            _ => panic!("a committer calls nothing else"),
        }
    }
}

/// The steps of one commit; one that is tried again stands there once.
fn steps_of(script: Script) -> Vec<WalkStep> {
    let scratch = Scratch::new("order");
    let medium = Medium512::default();
    *medium.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let (steps, board) = (WalkSteps::default(), HostBoard::new(0, 1 << 20));
    fn serve<P: Protocol, F: Future<Output = Never> + 'static>(
        board: HostBoard,
        serve: impl FnOnce(Port<P>, WalkSteps) -> F,
        steps: &WalkSteps,
    ) -> Address<P> {
        board.server(|_: Me, port| serve(port, steps.clone()))
    }
    let device = Box::leak(Box::new(Watched { medium, refuses: script.refuses, steps: steps.clone() }));
    let disk = board.server(|me, port| disk(me, port, device, Medium::named("none").unwrap()));
    let buffers = board.family(&[serve(board, buffer, &steps)]);
    let directory = serve(board, |port, steps| buffer_directory(port, script, steps), &steps);
    let allocator = serve(board, |port, steps| allocator(port, script, steps), &steps);
    let inodes: Vec<_> = (0..script.members)
        .map(|number| serve(board, |port, steps| inode(port, number, script, steps), &steps))
        .collect();
    let inodes = board.family(&inodes);
    let inode_directory = serve(board, |port, steps| inode_directory(port, script, steps), &steps);
    let (content, pages) = (serve(board, content, &steps), serve(board, pages, &steps));
    board.spawn(|me| {
        let writer = MetadataWritebackClients {
            directory: Client::new(&me, directory),
            buffers: Family::new(&me, buffers),
            disk: Client::new(&me, disk),
        };
        let clients = CommitterClients {
            inode_directory: Client::new(&me, inode_directory),
            inodes: Family::new(&me, inodes),
            allocator: Client::new(&me, allocator),
            disk: Client::new(&me, disk),
            writer,
            data_writeback: Client::new(&me, content),
            pages: Client::new(&me, pages),
        };
        committer(me, clients, vec![[0; 4096]; committer_pages(16)].leak())
    });
    board.run();
    let mut steps = steps.take();
    steps.dedup();
    assert_eq!(steps.remove(0), Head, "mounted: the journal is empty");
    steps
}

/// Until changes go on.
const STAGED: [WalkStep; 14] = [
    Content,
    Lock,
    Close,
    Freeze(0),
    Freeze(1),
    Save,
    Copied(50),
    Copied(51),
    Copied(90),
    Ordered,
    Thaw(0),
    Thaw(1),
    Join,
    Unlock,
];
/// Data of before the close, then what refers to it, and the commit block after all that it stands for.
const COPIES: WalkStep = Write("copies", 4);
const COMMITTED: [WalkStep; 3] = [Content, COPIES, Write("commit block", 1)];

fn ended(outcome: TransactionOutcome, reached: JournalReached, errno: u16) -> [WalkStep; 5] {
    [Unordered, Outcome(outcome), Ended(reached), AwaitRoom(1), Answer(errno)]
}

/// Holds: commit-atomic.
#[test]
fn commit_writes_journal_before_places() {
    let end = ended(TransactionOutcome::Journaled, JournalReached::Journaled, 0);
    assert_eq!(steps_of(USUAL), [&STAGED[..], &COMMITTED, &end].concat());
}

/// Holds: checkpoint.
#[test]
fn checkpoint_empties_journal_after_places() {
    let script = Script { extent: CommitExtent::Places, journaled: &[70, 80], ..USUAL };
    let before = [Content, Copied(70), Place(70), Copied(80), Place(80)];
    let places = [Place(50), Place(90), Head];
    let end = ended(TransactionOutcome::Placed, JournalReached::Emptied, 0);
    assert_eq!(steps_of(script), [&before[..], &STAGED[1..], &COMMITTED, &places, &end].concat());
}

#[test]
fn commit_journal_failure_writes_no_place_and_is_reported() {
    let script = Script { refuses: Some(COPIES), extent: CommitExtent::Places, ..USUAL };
    let end = ended(TransactionOutcome::Failed, JournalReached::Failed, Errno::EIO.0);
    assert_eq!(steps_of(script), [&STAGED[..], &COMMITTED[..2], &end].concat());
    let script = Script { refuses: Some(COMMITTED[2]), ..script };
    assert_eq!(steps_of(script), [&STAGED[..], &COMMITTED, &end].concat());
}

#[test]
fn checkpoint_incomplete_places_keep_journal() {
    let end = ended(TransactionOutcome::Journaled, JournalReached::Full, Errno::EIO.0);
    let script = Script { refuses: Some(Place(90)), extent: CommitExtent::Places, ..USUAL };
    assert!(!steps_of(script).contains(&Head));
    assert!(steps_of(script).ends_with(&end));
    let script = Script { refuses: Some(Place(70)), journaled: &[70], ..script };
    let steps = steps_of(script);
    assert!(steps.contains(&Place(70)) && steps.ends_with(&[&COMMITTED[..], &end].concat()), "{steps:?}");
}

#[test]
fn commit_unwritable_inode_is_left_out_and_reported() {
    let script = Script { broken: true, ..USUAL };
    let steps = steps_of(script);
    let left_out = ended(TransactionOutcome::Journaled, JournalReached::Journaled, Errno::EIO.0);
    let rest = left_out.into_iter().filter(|step| *step != AwaitRoom(1));
    assert_eq!(steps, STAGED.into_iter().chain(COMMITTED).chain(rest).collect::<Vec<_>>());
}
