//! A pipe as its readers and writers see it.
use renga_core::Entry;
use renga_pipe::{pipe, pipe_table};
use renga_proto::fifos::FifoEnds;
use renga_proto::pipe::{
    AddEnd, BoardDied, CloseEnd, ERROR, HANG_UP, NO_PROGRAM, OpenPipe, PIPE_BYTES, Pipe, PipeBytes, PipeEnd, PollPipe,
    Polled, READABLE, ReadPipe, WRITABLE, WritePipe,
};
use renga_proto::slots::{FreePipe, PipeTable, TakePipe};
use renga_rt::host::HostBoard;
use renga_rt::raw::RawClient;
use renga_rt::{Address, Client, Errno, Wakes, Watch};
use std::cell::RefCell;
use std::rc::Rc;

type Log<T> = Rc<RefCell<Vec<T>>>;

fn log<T>() -> Log<T> {
    Rc::new(RefCell::new(Vec::new()))
}

struct Rig {
    board: HostBoard,
    pipe: Address<Pipe>,
    table: Address<PipeTable>,
    watch: &'static Watch,
    wakes: &'static Wakes,
}

fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 20);
    let table = board.server(|_, port| pipe_table(port, Box::leak(Box::new([0; 2]))));
    let bytes = Box::leak(Box::new([0; PIPE_BYTES]));
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(None)));
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let pipe = board.server(|me, port| pipe(port, Client::new(&me, table), bytes, 0, 0, watch, wakes));
    let rig = Rig { board, pipe, table, watch, wakes };
    rig.run(|mut table, mut pipe| async move {
        assert_eq!(table.call(TakePipe {}, ()).await, Ok(0));
        pipe.call(OpenPipe {}, ()).await.unwrap();
    });
    rig
}

impl Rig {
    /// Starts a client and lets everything come to rest.
    fn run<F: Future<Output = ()> + 'static>(
        &self,
        body: impl FnOnce(Client<PipeTable>, Client<Pipe>) -> F,
    ) -> &'static renga_core::Process {
        let process = self.board.client(|me| body(Client::new(&me, self.table), Client::new(&me, self.pipe)));
        self.board.run();
        process
    }
}

#[test]
fn pipe_random_transfers_keep_order() {
    let rig = rig();
    let read = log();
    let out = read.clone();
    rig.run(|_, mut pipe| async move {
        for chunk in (0..200_000u32).map(|i| i as u8).collect::<Vec<_>>().chunks(3001) {
            assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: false }, chunk).await, Ok(chunk.len() as u32));
        }
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
    });
    rig.run(|_, mut pipe| async move {
        let mut buffer = [0; 777];
        loop {
            match pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut buffer).await.unwrap() {
                0 => break,
                count => out.borrow_mut().extend_from_slice(&buffer[..count as usize]),
            }
        }
    });
    assert!(read.borrow().iter().copied().eq((0..200_000u32).map(|i| i as u8)));
}

#[test]
fn pipe_empty_read_waits_then_ends_without_writers() {
    let rig = rig();
    let ended = log();
    let out = ended.clone();
    rig.run(|_, mut pipe| async move {
        let mut buffer = [0; 8];
        let result = pipe.call(ReadPipe { generation: 1, nonblocking: true }, &mut buffer).await;
        out.borrow_mut().push(result);
        let result = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut buffer).await;
        out.borrow_mut().push(result);
        let result = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut buffer).await;
        out.borrow_mut().push(result);
    });
    assert_eq!(*ended.borrow(), [Err(Errno::EAGAIN)]);
    rig.run(|_, mut pipe| async move {
        pipe.call(AddEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
        pipe.call(WritePipe { generation: 1, nonblocking: false }, b"abc").await.unwrap();
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
    });
    assert_eq!(*ended.borrow(), [Err(Errno::EAGAIN), Ok(3)]);
    rig.run(
        |_, mut pipe| async move { pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap() },
    );
    assert_eq!(*ended.borrow(), [Err(Errno::EAGAIN), Ok(3), Ok(0)]);
}

#[test]
fn pipe_full_write_waits_then_breaks_without_readers() {
    let rig = rig();
    let results = log();
    let out = results.clone();
    rig.run(|_, mut pipe| async move {
        for _ in 0..PIPE_BYTES / 4096 {
            pipe.call(WritePipe { generation: 1, nonblocking: false }, &[1; 4096]).await.unwrap();
        }
        let result = pipe.call(WritePipe { generation: 1, nonblocking: true }, &[2; 10]).await;
        out.borrow_mut().push(result);
        let result = pipe.call(WritePipe { generation: 1, nonblocking: false }, &[2; 10]).await;
        out.borrow_mut().push(result);
        let result = pipe.call(WritePipe { generation: 1, nonblocking: false }, &[2; 10]).await;
        out.borrow_mut().push(result);
    });
    assert_eq!(*results.borrow(), [Err(Errno::EAGAIN)]);
    rig.run(|_, mut pipe| async move {
        pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut [0; 16]).await.unwrap();
    });
    assert_eq!(*results.borrow(), [Err(Errno::EAGAIN), Ok(10)]);
    rig.run(
        |_, mut pipe| async move { pipe.call(CloseEnd { generation: 1, end: PipeEnd::Reader }, ()).await.unwrap() },
    );
    assert_eq!(*results.borrow(), [Err(Errno::EAGAIN), Ok(10), Err(Errno::EPIPE)]);
}

#[test]
fn pipe_cancelled_reader_gets_eintr() {
    let rig = rig();
    let results = log();
    let out = results.clone();
    let reader = rig.run(|_, mut pipe| async move {
        let result = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut [0; 4]).await;
        out.borrow_mut().push(result);
        // The flag is still up.
        let result = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut [0; 4]).await;
        out.borrow_mut().push(result);
    });
    assert!(results.borrow().is_empty());
    reader.cancel_wait();
    rig.board.run();
    assert_eq!(*results.borrow(), [Err(Errno::EINTR), Err(Errno::EINTR)]);
}

/// A poll of all events.
fn poll(ends: FifoEnds) -> PollPipe {
    PollPipe { generation: 1, ends, events: u32::MAX, slot: NO_PROGRAM, seen: 0, partners: 0 }
}

/// The events of an answer.
fn events(polled: Result<Polled, Errno>) -> Result<u32, Errno> {
    polled.map(|polled| polled.events)
}

#[test]
fn pipe_poll_reports_ready_events() {
    let rig = rig();
    rig.run(|_, mut pipe| async move {
        assert_eq!(events(pipe.call(poll(FifoEnds::Reader), ()).await), Ok(0));
        assert_eq!(events(pipe.call(poll(FifoEnds::Writer), ()).await), Ok(WRITABLE));
        pipe.call(WritePipe { generation: 1, nonblocking: false }, b"x").await.unwrap();
        assert_eq!(pipe.call(PipeBytes { generation: 1 }, ()).await, Ok(1));
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
        assert_eq!(events(pipe.call(poll(FifoEnds::Reader), ()).await), Ok(READABLE | HANG_UP));
        let hang_up_only = PollPipe { events: 0, ..poll(FifoEnds::Reader) };
        assert_eq!(events(pipe.call(hang_up_only, ()).await), Ok(HANG_UP), "which is always reported");
        pipe.call(AddEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Reader }, ()).await.unwrap();
        assert_eq!(events(pipe.call(poll(FifoEnds::Writer), ()).await), Ok(WRITABLE | ERROR));
    });
}

impl Rig {
    /// Polls for `events` of `ends` for the program in `slot`.
    fn wait_for(&self, ends: FifoEnds, wanted: u32, slot: u16) {
        self.run(move |_, mut pipe| async move {
            let polled = pipe.call(PollPipe { events: wanted, slot, ..poll(ends) }, ()).await;
            assert_eq!(events(polled), Ok(0));
        });
    }
    fn write(&self, bytes: &'static [u8]) {
        self.run(move |_, mut pipe| async move {
            pipe.call(WritePipe { generation: 1, nonblocking: false }, bytes).await.unwrap();
        });
    }
    fn read(&self, count: usize) {
        self.run(move |_, mut pipe| async move {
            pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut vec![0; count]).await.unwrap();
        });
    }
}

/// A waiter is woken once, by an event that becomes true, not by other events.
#[test]
fn pipe_poll_waiter_is_woken_by_edge() {
    let rig = rig();
    rig.wait_for(FifoEnds::Reader, READABLE, 5);
    assert_eq!(rig.wakes.take(), None);
    rig.write(b"xyz");
    assert_eq!(rig.wakes.take(), Some((0, [1 << 5, 0, 0, 0])));
    rig.write(b"more");
    assert_eq!(rig.wakes.take(), None, "no program waits");
    rig.wait_for(FifoEnds::Reader, 0, 6);
    rig.write(b"and more");
    assert_eq!(rig.wakes.take(), None, "it could be read before");
    rig.read(100);
    rig.write(&[7; PIPE_BYTES]);
    rig.wakes.take();
    rig.wait_for(FifoEnds::Writer, WRITABLE, 200);
    rig.read(1);
    assert_eq!(rig.wakes.take(), None, "not enough room");
    rig.read(8000);
    assert_eq!(rig.wakes.take(), Some((0, [0, 0, 0, 1 << 8])));
    rig.wait_for(FifoEnds::Reader, 0, 7);
    rig.run(
        |_, mut pipe| async move { pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap() },
    );
    assert_eq!(rig.wakes.take(), Some((0, [1 << 6 | 1 << 7, 0, 0, 0])), "no writer is left");
}

#[test]
fn pipe_both_ends_closed_frees_it_empty() {
    let rig = rig();
    rig.run(|mut table, mut pipe| async move {
        pipe.call(WritePipe { generation: 1, nonblocking: false }, b"left over").await.unwrap();
        for end in [PipeEnd::Reader, PipeEnd::Writer] {
            pipe.call(CloseEnd { generation: 1, end }, ()).await.unwrap();
        }
        assert_eq!(pipe.call(CloseEnd { generation: 1, end: PipeEnd::Reader }, ()).await, Err(Errno::ESTALE));
        assert_eq!(table.call(TakePipe {}, ()).await, Ok(0));
        assert_eq!(table.call(TakePipe {}, ()).await, Ok(1));
        assert_eq!(table.call(TakePipe {}, ()).await, Err(Errno::ENFILE));
        assert_eq!(table.call(FreePipe { pipe: 1 }, ()).await, Ok(()));
        assert_eq!(table.call(FreePipe { pipe: 1 }, ()).await, Err(Errno::EINVAL));
        pipe.call(OpenPipe {}, ()).await.unwrap();
        assert_eq!(pipe.call(PipeBytes { generation: 2 }, ()).await, Ok(0));
    });
}

impl Rig {
    /// Calls the pipe for a process of `board`, as its proxy does; the reply's first word.
    fn call_for<E: Entry>(&self, board: u8, entry: E) -> u64 {
        let (directory, index) = (self.board.directory(), self.pipe.id().index);
        let words = [const { std::cell::Cell::new(0) }; 6];
        entry.put(&words);
        let (words, result) = (words.map(|word| word.get()), Rc::new(RefCell::new(None)));
        let out = result.clone();
        self.board.client(move |me| async move {
            let mut proxy = RawClient::new(&me, directory);
            let reply = proxy.call(board, (index, E::OP), words, &[], &mut []).await;
            *out.borrow_mut() = Some(reply.unwrap().words[0]);
        });
        self.board.run();
        result.take().unwrap()
    }
}

#[test]
fn pipe_failed_board_ends_are_closed() {
    let (rig, results) = (rig(), log());
    for end in [PipeEnd::Writer, PipeEnd::Reader] {
        assert_eq!(rig.call_for(3, AddEnd { generation: 1, end }), 0);
    }
    assert!(rig.watch.contains(3) && rig.watch.contains(0) && !rig.watch.contains(1));
    let out = results.clone();
    let reader = rig.run(|_, mut pipe| async move {
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Writer }, ()).await.unwrap();
        let read = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut [0; 9]).await;
        out.borrow_mut().push(read);
    });
    assert!(reader.waits_for().is_some(), "the other board may still write");
    rig.run(|_, mut pipe| async move { pipe.call(BoardDied { board: 3 }, ()).await.unwrap() });
    assert_eq!(*results.borrow(), [Ok(0)], "end of file");
    assert!(!rig.watch.contains(3));
    // The board's references are void, though the pipe goes on.
    let stale = u64::from(Errno::ESTALE.0);
    assert_eq!(rig.call_for(3, poll(FifoEnds::Writer)), stale, "that board has no reference");
    assert_eq!(rig.call_for(3, CloseEnd { generation: 1, end: PipeEnd::Reader }), stale);
    assert_eq!(rig.call_for(0, CloseEnd { generation: 1, end: PipeEnd::Reader }), 0);
    rig.run(|mut table, mut pipe| async move {
        assert_eq!(table.call(TakePipe {}, ()).await, Ok(0), "the pipe is free");
        assert_eq!(pipe.call(OpenPipe {}, ()).await, Ok(2));
        assert_eq!(pipe.call(AddEnd { generation: 1, end: PipeEnd::Reader }, ()).await, Err(Errno::ESTALE));
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: true }, b"x").await, Err(Errno::ESTALE));
    });
}

#[test]
fn pipe_board_without_end_gets_nothing() {
    let (rig, stale) = (rig(), u64::from(Errno::ESTALE.0));
    rig.run(|_, mut pipe| async move {
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: false }, b"secret").await, Ok(6));
    });
    for (end, ends) in [(PipeEnd::Reader, FifoEnds::Reader), (PipeEnd::Writer, FifoEnds::Writer)] {
        assert_eq!(rig.call_for(1, poll(ends)), u64::from(Errno::EPERM.0));
        assert_eq!(rig.call_for(1, CloseEnd { generation: 1, end }), stale);
        for generation in [0, 2, u32::MAX] {
            assert_eq!(rig.call_for(1, AddEnd { generation, end }), stale);
        }
    }
    assert_eq!(rig.call_for(1, ReadPipe { generation: 1, nonblocking: true }), stale);
    assert_eq!(rig.call_for(1, WritePipe { generation: 1, nonblocking: true }), stale);
    assert_eq!(rig.call_for(1, PipeBytes { generation: 1 }), stale);
    // With one end it may do what that end may.
    assert_eq!(rig.call_for(1, AddEnd { generation: 1, end: PipeEnd::Writer }), 0);
    assert_eq!(rig.call_for(1, PipeBytes { generation: 1 }), 0);
    assert_eq!(rig.call_for(1, ReadPipe { generation: 1, nonblocking: true }), stale);
    rig.run(|_, mut pipe| async move {
        let mut bytes = [0; 9];
        assert_eq!(pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut bytes).await, Ok(6));
        assert_eq!(&bytes[..6], b"secret");
    });
}

#[test]
fn pipe_empty_write_is_not_end_of_file() {
    let (rig, results) = (rig(), log());
    let out = results.clone();
    let reader = rig.run(|_, mut pipe| async move {
        let read = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut [0; 9]).await;
        out.borrow_mut().push(read);
    });
    rig.run(|_, mut pipe| async move {
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: false }, &[]).await, Ok(0));
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: true }, &[]).await, Ok(0));
    });
    assert!(reader.waits_for().is_some(), "{:?}", results.borrow());
    rig.run(|_, mut pipe| async move {
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: false }, b"x").await, Ok(1));
    });
    assert_eq!(*results.borrow(), [Ok(1)]);
}

/// Holds: death-children.
#[test]
fn pipe_writer_with_failed_reader_board_gets_epipe() {
    let (rig, results) = (rig(), log());
    assert_eq!(rig.call_for(2, AddEnd { generation: 1, end: PipeEnd::Reader }), 0);
    let out = results.clone();
    rig.run(|_, mut pipe| async move {
        pipe.call(CloseEnd { generation: 1, end: PipeEnd::Reader }, ()).await.unwrap();
        loop {
            let written = pipe.call(WritePipe { generation: 1, nonblocking: false }, &[0; 4096]).await;
            out.borrow_mut().push(written);
            if written.is_err() {
                break;
            }
        }
    });
    assert_eq!(results.borrow().len(), PIPE_BYTES / 4096, "it is full");
    rig.run(|_, mut pipe| async move { pipe.call(BoardDied { board: 2 }, ()).await.unwrap() });
    assert_eq!(results.borrow().last(), Some(&Err(Errno::EPIPE)));
}

#[test]
fn pipe_rest_of_write_goes_to_next_reader() {
    let rig = rig();
    let read = log();
    for _ in 0..3 {
        let out = read.clone();
        rig.run(|_, mut pipe| async move {
            let mut buffer = [0; 4];
            let count = pipe.call(ReadPipe { generation: 1, nonblocking: false }, &mut buffer).await.unwrap();
            out.borrow_mut().push(buffer[..count as usize].to_vec());
        });
    }
    assert!(read.borrow().is_empty(), "nothing to read yet");
    rig.run(|_, mut pipe| async move {
        // More than the first reader takes, less than all of them would.
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: false }, b"abcdef").await, Ok(6));
    });
    assert_eq!(*read.borrow(), [b"abcd".to_vec(), b"ef".to_vec()]);
    rig.run(|_, mut pipe| async move {
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: true }, b"g").await, Ok(1));
        assert_eq!(pipe.call(WritePipe { generation: 1, nonblocking: true }, b"hi").await, Ok(2));
        let mut buffer = [0; 4];
        assert_eq!(pipe.call(ReadPipe { generation: 1, nonblocking: true }, &mut buffer).await, Ok(2));
        assert_eq!(&buffer[..2], b"hi");
    });
    assert_eq!(read.borrow()[2], b"g");
}
