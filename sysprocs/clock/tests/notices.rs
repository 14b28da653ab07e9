//! Queues of notices of changed files, and files of processes, as their holders see them.
use renga_clock::{DuePlace, EventPlace, InodeWatch, NoticeMemory, NoticePlace, WatchPlace, events};
use renga_proto::events::{
    AskProcess, CountNotices, DropEvents, EndProcess, EventFile, Events, MakeNotices, MakeProcessFile, NameChild,
    NextUnnamed, NoteChange, PollEvents, SetProcess, TakeNotices, UnnamedChild, UnwatchInode, WatchInode, WatchedInode,
    WatchedProcess,
};
use renga_proto::notices::{
    ATTRIBUTES, CHANGES, CREATED, DELETED, DELETED_SELF, IGNORED, LOST, MODIFIED, OF_DIRECTORY, OPENED, WISH_ADD,
    WISH_NEW, WISH_ONCE,
};
use renga_proto::pipe::{NO_PROGRAM, READABLE};
use renga_rt::host::HostBoard;
use renga_rt::{Client, Errno, Wakes, WatchFilters};
use std::cell::Cell;
use std::rc::Rc;

const FILES: usize = 8;
const WATCHES: usize = 16;
/// A queue gets a quarter of them.
const NOTICES: usize = 16;

/// A client of a fresh server, with two queues; the second is root's.
struct Rig {
    client: Client<Events>,
    queues: [EventFile; 2],
    filters: &'static WatchFilters,
}

/// A notice as programs read it: watch, change, cookie, name.
type Read = (u32, u32, u32, String);

impl Rig {
    fn run<F: Future<Output = ()> + 'static>(body: impl FnOnce(Rig) -> F + 'static) {
        let board = HostBoard::new(0, 1 << 18);
        let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
        let places = Vec::leak((0..FILES).map(|_| EventPlace::FREE).collect());
        let due = Vec::leak(vec![DuePlace::EMPTY; FILES]);
        let watches = Vec::leak(vec![WatchPlace::FREE; 1]);
        let notices = Vec::leak(vec![NoticePlace::FREE; NOTICES]);
        let memory = NoticeMemory { notices, watches: Vec::leak(vec![InodeWatch::FREE; WATCHES]) };
        let filters: &'static WatchFilters = Box::leak(Box::new(WatchFilters::new(&[])));
        let memory = Box::leak(Box::new(memory));
        let server = board.server(|me, port| events(me, port, places, due, 0, 1, wakes, watches, memory, filters, 0));
        let ran = Rc::new(Cell::new(false));
        let end = ran.clone();
        board.client(move |me| async move {
            let mut client = Client::new(&me, server);
            let queues = [make_queue(&mut client, false).await, make_queue(&mut client, true).await];
            body(Rig { client, queues, filters }).await;
            end.set(true);
        });
        board.run();
        assert!(ran.get(), "no entry waits");
    }
    async fn watch(&mut self, queue: usize, ino: u32, wish: u32) -> Result<u32, Errno> {
        let EventFile { number, generation } = self.queues[queue];
        self.client.call(WatchInode { number, generation, ino, wish }, ()).await.map(|watched| watched.watch)
    }
    async fn change(&mut self, ino: u32, parent: u32, change: u32, name: &str) {
        self.client.call(NoteChange { ino, parent, change, cookie: 5 }, name.as_bytes()).await.unwrap();
    }
    async fn take(&mut self, queue: usize, room: usize) -> Result<Vec<Read>, Errno> {
        let EventFile { number, generation } = self.queues[queue];
        let mut out = vec![0xff; room];
        let take = TakeNotices { number, generation, slot: NO_PROGRAM };
        let bytes = self.client.call(take, &mut out[..]).await? as usize;
        let (mut rest, mut all) = (&out[..bytes], vec![]);
        while !rest.is_empty() {
            let word = |at: usize| u32::from_le_bytes(rest[4 * at..4 * at + 4].try_into().unwrap());
            let (name, after) = rest[16..].split_at(word(3) as usize);
            assert!(name.is_empty() || name.len().is_multiple_of(16) && name.ends_with(&[0]), "{name:?}");
            let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
            all.push((word(0), word(1), word(2), String::from_utf8(name.to_vec()).unwrap()));
            rest = after;
        }
        Ok(all)
    }
    async fn all(&mut self, queue: usize) -> Vec<Read> {
        self.take(queue, 4096).await.unwrap()
    }
    async fn count(&mut self, queue: usize) -> u32 {
        let EventFile { number, generation } = self.queues[queue];
        self.client.call(CountNotices { number, generation }, ()).await.unwrap()
    }
    async fn events(&mut self, EventFile { number, generation }: EventFile) -> u32 {
        let poll = PollEvents { number, generation, events: READABLE, slot: NO_PROGRAM, seen: 0 };
        self.client.call(poll, ()).await.unwrap().events
    }
}

async fn make_queue(client: &mut Client<Events>, for_root: bool) -> EventFile {
    client.call(MakeNotices { for_root }, ()).await.unwrap()
}
fn read(watch: u32, change: u32, name: &str) -> Read {
    (watch, change, 5, name.into())
}
fn ended(watch: u32) -> Read {
    (watch, IGNORED, 0, String::new())
}

#[test]
fn notices_reach_watches_of_inode_and_of_directory() {
    Rig::run(|mut rig| async move {
        assert!(!rig.filters.has_inode(7, 2));
        assert_eq!(rig.watch(0, 7, CHANGES).await, Ok(1));
        assert_eq!(rig.watch(0, 2, CHANGES).await, Ok(2));
        assert_eq!(rig.watch(1, 2, CREATED | DELETED).await, Ok(1));
        assert!(rig.filters.has_inode(7, 0) && rig.filters.has_inode(9, 2));
        assert_eq!(rig.take(0, 4096).await, Err(Errno::EAGAIN));
        assert_eq!(rig.events(rig.queues[0]).await, 0);
        rig.change(7, 2, CREATED, "f").await;
        rig.change(7, 2, MODIFIED, "").await;
        rig.change(8, 9, MODIFIED, "").await;
        rig.change(7, 0, ATTRIBUTES, "").await;
        assert_eq!(rig.events(rig.queues[0]).await, READABLE);
        // The directory's is first, and has its name from the notice before.
        let wanted = [read(2, CREATED, "f"), read(2, MODIFIED, "f"), read(1, MODIFIED, ""), read(1, ATTRIBUTES, "")];
        assert_eq!(rig.count(0).await, 2 * 32 + 2 * 16);
        assert_eq!(rig.all(0).await, wanted);
        assert_eq!((rig.all(1).await, rig.count(1).await), (vec![read(1, CREATED, "f")], 0));
        assert_eq!(rig.events(rig.queues[0]).await, 0);
    });
}

#[test]
fn notice_without_name_waits_until_it_is_found() {
    Rig::run(|mut rig| async move {
        rig.watch(0, 2, CHANGES).await.unwrap();
        let EventFile { number, generation } = rig.queues[0];
        let unnamed = NextUnnamed { number, generation };
        let name = |child| NameChild { number, generation, directory: 2, child };
        rig.change(7, 2, OPENED, "").await;
        rig.change(8, 2, OPENED | OF_DIRECTORY, "").await;
        assert_eq!(rig.take(0, 4096).await, Err(Errno::EAGAIN));
        assert_eq!(rig.client.call(unnamed, ()).await, Ok(UnnamedChild { directory: 2, child: 7 }));
        rig.client.call(name(7), &b"seven"[..]).await.unwrap();
        assert_eq!(rig.all(0).await, [read(1, OPENED, "seven")], "up to one without its name");
        // It is removed before it was read: the removal has the name.
        rig.change(8, 2, DELETED | OF_DIRECTORY, "eight").await;
        assert_eq!(rig.client.call(unnamed, ()).await, Err(Errno::ENOENT));
        let both = [read(1, OPENED | OF_DIRECTORY, "eight"), read(1, DELETED | OF_DIRECTORY, "eight")];
        assert_eq!(rig.all(0).await, both);
        rig.change(9, 2, OPENED, "").await;
        rig.client.call(name(9), &b""[..]).await.unwrap();
        assert_eq!(rig.take(0, 4096).await, Err(Errno::EAGAIN), "what has no name is dropped");
        assert_eq!(rig.count(0).await, 0);
    });
}

#[test]
fn full_queue_says_that_notices_were_lost() {
    Rig::run(|mut rig| async move {
        rig.watch(0, 7, MODIFIED | ATTRIBUTES).await.unwrap();
        for _ in 0..9 {
            rig.change(7, 0, MODIFIED, "").await;
        }
        assert_eq!(rig.count(0).await, 16, "repeated notices are one");
        for _ in 0..NOTICES {
            rig.change(7, 0, ATTRIBUTES, "").await;
            rig.change(7, 0, MODIFIED, "").await;
        }
        assert_eq!(rig.take(0, 15).await, Err(Errno::EINVAL), "not even one fits");
        assert_eq!(rig.take(0, 33).await.unwrap().len(), 2);
        rig.change(7, 0, ATTRIBUTES, "").await;
        let rest = rig.all(0).await;
        assert_eq!(rest, [read(1, MODIFIED, ""), read(1, ATTRIBUTES, ""), (u32::MAX, LOST, 0, String::new())]);
        rig.change(7, 0, ATTRIBUTES, "").await;
        assert_eq!(rig.all(0).await, [read(1, ATTRIBUTES, "")], "it goes on");
        // The other queue has room all the time.
        rig.watch(1, 7, MODIFIED).await.unwrap();
        rig.change(7, 0, MODIFIED, "").await;
        assert_eq!(rig.all(1).await.len(), 1);
    });
}

#[test]
fn watches_change_and_end_as_on_linux() {
    Rig::run(|mut rig| async move {
        assert_eq!(rig.watch(0, 7, MODIFIED).await, Ok(1));
        assert_eq!(rig.watch(0, 7, MODIFIED | WISH_NEW).await, Err(Errno::EEXIST));
        assert_eq!(rig.watch(0, 7, ATTRIBUTES | WISH_ADD).await, Ok(1));
        rig.change(7, 0, MODIFIED, "").await;
        assert_eq!(rig.watch(0, 7, OPENED).await, Ok(1));
        rig.change(7, 0, MODIFIED, "").await;
        assert_eq!(rig.all(0).await, [read(1, MODIFIED, "")]);
        let EventFile { number, generation } = rig.queues[0];
        let end = |watch| UnwatchInode { number, generation, watch, quiet: false };
        assert_eq!(rig.client.call(end(2), ()).await, Err(Errno::EINVAL));
        rig.client.call(end(1), ()).await.unwrap();
        assert_eq!(rig.client.call(end(1), ()).await, Err(Errno::EINVAL));
        assert_eq!(rig.watch(0, 7, MODIFIED | WISH_ONCE).await, Ok(2), "numbers do not come back");
        rig.change(7, 0, MODIFIED, "").await;
        rig.change(7, 0, MODIFIED, "").await;
        assert_eq!(rig.all(0).await, [ended(1), read(2, MODIFIED, ""), ended(2)]);
        assert!(!rig.filters.has_inode(7, 0));
        rig.watch(0, 7, MODIFIED).await.unwrap();
        rig.change(7, 0, DELETED_SELF, "").await;
        assert_eq!(rig.all(0).await, [ended(3)], "also of what was not asked for");
        for ino in 0..WATCHES as u32 {
            rig.watch(1, 10 + ino, CHANGES).await.unwrap();
        }
        assert_eq!(rig.watch(0, 7, CHANGES).await, Err(Errno::ENOSPC));
        let EventFile { number, generation } = rig.queues[1];
        rig.client.call(DropEvents { number, generation }, ()).await.unwrap();
        assert!(!rig.filters.has_inode(10, 0), "a queue ends with its watches");
        assert_eq!(rig.watch(0, 7, CHANGES).await, Ok(4));
    });
}

#[test]
fn process_file_is_readable_from_its_end_on() {
    Rig::run(|mut rig| async move {
        let file = rig.client.call(MakeProcessFile {}, ()).await.unwrap();
        let EventFile { number, generation } = file;
        let ask = AskProcess { number, generation };
        assert!(!rig.filters.processes.has(24));
        rig.client.call(SetProcess { number, generation, pid: 24, ended: false }, ()).await.unwrap();
        assert!(rig.filters.processes.has(24));
        rig.client.call(EndProcess { pid: 32 }, ()).await.unwrap();
        assert_eq!(rig.client.call(ask, ()).await, Ok(WatchedProcess { pid: 24, ended: false }));
        assert_eq!(rig.events(file).await, 0);
        rig.client.call(EndProcess { pid: 24 }, ()).await.unwrap();
        assert_eq!(rig.client.call(ask, ()).await, Ok(WatchedProcess { pid: 24, ended: true }));
        assert_eq!(rig.events(file).await, READABLE);
        assert!(!rig.filters.processes.has(24));
        let EventFile { number, generation } = rig.queues[0];
        assert_eq!(rig.client.call(AskProcess { number, generation }, ()).await, Err(Errno::EINVAL));
    });
}

/// A watch that was made for a path that leads elsewhere by now.
#[test]
fn watch_that_ends_quietly_leaves_no_notice() {
    Rig::run(|mut rig| async move {
        let EventFile { number, generation } = rig.queues[0];
        let watch = |ino| WatchInode { number, generation, ino, wish: MODIFIED };
        assert_eq!(rig.client.call(watch(7), ()).await, Ok(WatchedInode { watch: 1, is_new: true }));
        assert_eq!(rig.client.call(watch(7), ()).await, Ok(WatchedInode { watch: 1, is_new: false }));
        assert_eq!(rig.client.call(watch(8), ()).await, Ok(WatchedInode { watch: 2, is_new: true }));
        rig.change(7, 0, MODIFIED, "").await;
        rig.change(8, 0, MODIFIED, "").await;
        rig.client.call(UnwatchInode { number, generation, watch: 2, quiet: true }, ()).await.unwrap();
        assert!(!rig.filters.has_inode(8, 0));
        assert_eq!(rig.all(0).await, [read(1, MODIFIED, "")]);
    });
}

#[test]
fn watches_and_notices_are_left_for_other_queues_and_for_root() {
    Rig::run(|mut rig| async move {
        let mut queues = [rig.queues[0]; 4];
        for queue in &mut queues[1..] {
            *queue = make_queue(&mut rig.client, false).await;
        }
        let root = rig.queues[1];
        for (queue, most) in queues.into_iter().zip([8, 4, 2, 0]) {
            rig.queues[0] = queue;
            for ino in 0..most {
                rig.watch(0, 10 + ino, MODIFIED | ATTRIBUTES).await.unwrap();
            }
            assert_eq!(rig.watch(0, 10 + most, CHANGES).await, Err(Errno::ENOSPC), "of {most}");
        }
        rig.queues[1] = root;
        for ino in 10..12 {
            rig.watch(1, ino, MODIFIED | ATTRIBUTES).await.unwrap();
        }
        assert_eq!(rig.watch(1, 12, CHANGES).await, Err(Errno::ENOSPC), "there is no place left");
        // Two queues are full at the share of a queue, the third where less is free than it has; root's gets its share.
        for _ in 0..NOTICES {
            for (ino, change) in [(13, MODIFIED), (13, ATTRIBUTES), (12, MODIFIED), (12, ATTRIBUTES)] {
                rig.change(ino, 0, change, "").await;
            }
        }
        for change in [MODIFIED, ATTRIBUTES].repeat(NOTICES) {
            rig.change(11, 0, change, "").await;
        }
        let mut lost = vec![];
        for queue in &queues[..3] {
            rig.queues[0] = *queue;
            lost.push(rig.count(0).await / 16);
        }
        assert_eq!((lost, rig.count(1).await / 16), (vec![5, 5, 4], 5), "with the notice that others were lost");
    });
}
