//! Fifos as their openers see them.
use renga_pipe::{FifoPlace, fifos, pipe, pipe_table};
use renga_proto::fifos::FifoEnds::{Both, Reader, Writer};
use renga_proto::fifos::{FifoEnds, Fifos, OpenFifo, OpenedFifo};
use renga_proto::pipe::{
    AwaitPartner, BoardDied, CloseEnd, HANG_UP, JoinPipe, NO_PROGRAM, OpenPipe, PIPE_BYTES, Pipe, PipeEnd, PollPipe,
    Polled, READABLE, ReadPipe, WRITABLE, WritePipe,
};
use renga_proto::slots::{PipeTable, TakePipe};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Local, Wakes, Watch};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const PIPES: usize = 4;
const FIRST: (u32, u32) = (50, 1);

struct Rig {
    board: HostBoard,
    fifos: Address<Fifos>,
    pipes: &'static [Address<Pipe>],
    table: Address<PipeTable>,
    wakes: &'static Wakes,
}

/// What a client of the rig calls.
struct Clients {
    fifos: Client<Fifos>,
    pipes: Vec<Client<Pipe>>,
    table: Client<PipeTable>,
}

impl Clients {
    async fn open(
        &mut self,
        (ino, generation): (u32, u32),
        ends: FifoEnds,
        nonblocking: bool,
    ) -> Result<OpenedFifo, Errno> {
        self.fifos.call(OpenFifo { ino, generation, ends, nonblocking }, ()).await
    }
    async fn close(&mut self, opened: OpenedFifo, end: PipeEnd) -> Result<(), Errno> {
        self.pipes[usize::from(opened.number)].call(CloseEnd { generation: opened.generation, end }, ()).await
    }
}

fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 20);
    let table = board.server(|_, port| pipe_table(port, Box::leak(Box::new([0; PIPES]))));
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(None)));
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let pipes: Vec<Address<Pipe>> = (0..PIPES)
        .map(|number| {
            let bytes = Box::leak(Box::new([0; PIPE_BYTES]));
            board.server(|me, port| pipe(port, Client::new(&me, table), bytes, number as u16, 0, watch, wakes))
        })
        .collect();
    let pipes: &'static [Address<Pipe>] = pipes.leak();
    let places = Box::leak(Box::new([FifoPlace::NONE; PIPES]));
    let members = &board.family(pipes)[0];
    let fifos =
        board.server(|me, port| fifos(port, Client::new(&me, table), Local::new(&me, members).narrowed(), places));
    Rig { board, fifos, pipes, table, wakes }
}

impl Rig {
    fn run<F: Future<Output = ()> + 'static>(&self, body: impl FnOnce(Clients) -> F) -> &'static renga_core::Process {
        let process = self.board.client(|me| {
            let pipes = self.pipes.iter().map(|&pipe| Client::new(&me, pipe)).collect();
            body(Clients { fifos: Client::new(&me, self.fifos), pipes, table: Client::new(&me, self.table) })
        });
        self.board.run();
        process
    }
}

#[test]
fn fifo_opener_waits_for_partner() {
    let rig = rig();
    let answers = Rc::new(RefCell::new(Vec::new()));
    let reader = answers.clone();
    rig.run(|mut clients| async move {
        let opened = clients.open(FIRST, Reader, false).await.unwrap();
        assert!(opened.alone);
        let (generation, partners, end) = (opened.generation, opened.partners, PipeEnd::Reader);
        let pipe = &mut clients.pipes[usize::from(opened.number)];
        assert_eq!(pipe.call(AwaitPartner { generation: generation + 1, end, partners }, ()).await, Err(Errno::ESTALE));
        let waited = pipe.call(AwaitPartner { generation, end, partners }, ()).await;
        reader.borrow_mut().push(("reader", waited));
    });
    assert!(answers.borrow().is_empty(), "it waits");
    // Another fifo, or another generation of the inode, is not its partner; nor is a reader.
    let all = answers.clone();
    rig.run(|mut clients| async move {
        let other = clients.open((50, 2), Both, false).await.unwrap();
        assert!(!other.alone);
        assert!(clients.open(FIRST, Reader, false).await.unwrap().alone);
        assert!(all.borrow().is_empty());
        let opened = clients.open(FIRST, Writer, false).await.unwrap();
        assert!(!opened.alone && opened.number != other.number);
        assert_eq!(clients.open((51, 1), Reader, false).await, Err(Errno::ENFILE), "two pipes");
    });
    assert_eq!(*answers.borrow(), [("reader", Ok(()))]);
}

/// Also one that has closed again, as on Linux.
#[test]
fn fifo_partner_that_left_ends_wait() {
    let rig = rig();
    rig.run(|mut clients| async move {
        let reader = clients.open(FIRST, Reader, true).await.unwrap();
        let writer = clients.open(FIRST, Writer, true).await.unwrap();
        clients.close(writer, PipeEnd::Writer).await.unwrap();
        let await_partner = |partners| AwaitPartner { generation: reader.generation, end: PipeEnd::Reader, partners };
        let pipe = &mut clients.pipes[usize::from(reader.number)];
        assert_eq!(pipe.call(await_partner(reader.partners), ()).await, Ok(()));
    });
}

#[test]
fn fifo_nonblocking_open_without_partner() {
    let rig = rig();
    rig.run(|mut clients| async move {
        assert_eq!(clients.open(FIRST, Writer, true).await, Err(Errno::ENXIO));
        let reader = clients.open(FIRST, Reader, true).await.unwrap();
        let (generation, number) = (reader.generation, usize::from(reader.number));
        let (ends, events, partners) = (Reader, READABLE, reader.partners);
        let poll = PollPipe { generation, ends, events, slot: NO_PROGRAM, seen: 0, partners };
        let pipe = &mut clients.pipes[number];
        assert_eq!(pipe.call(ReadPipe { generation, nonblocking: true }, &mut [0; 4]).await, Ok(0), "no writer");
        assert_eq!(pipe.call(poll, ()).await.unwrap().events, 0, "none has left");
        let writer = clients.open(FIRST, Writer, true).await.unwrap();
        let pipe = &mut clients.pipes[number];
        assert_eq!(pipe.call(ReadPipe { generation, nonblocking: true }, &mut [0; 4]).await, Err(Errno::EAGAIN));
        assert_eq!(pipe.call(WritePipe { generation, nonblocking: true }, b"ab").await, Ok(2));
        clients.close(writer, PipeEnd::Writer).await.unwrap();
        assert_eq!(clients.pipes[number].call(poll, ()).await.unwrap().events, READABLE | HANG_UP);
        // A reader that opens the fifo now sees no hang-up.
        let second = clients.open(FIRST, Reader, true).await.unwrap();
        let poll = PollPipe { partners: second.partners, ..poll };
        assert_eq!(clients.pipes[number].call(poll, ()).await.unwrap().events, READABLE);
        clients.close(second, PipeEnd::Reader).await.unwrap();
        // With a reader gone and a writer there, the next writer is refused again.
        let writer = clients.open(FIRST, Writer, true).await.unwrap();
        clients.close(reader, PipeEnd::Reader).await.unwrap();
        assert_eq!(clients.open(FIRST, Writer, true).await, Err(Errno::ENXIO));
        clients.close(writer, PipeEnd::Writer).await.unwrap();
    });
}

/// An event that is there and was seen is none; who waits for the next is woken by it, not by others.
#[test]
fn fifo_edge_is_reported_once() {
    let rig = rig();
    let wakes = rig.wakes;
    rig.run(|mut clients| async move {
        let OpenedFifo { generation, number, .. } = clients.open(FIRST, Both, false).await.unwrap();
        let pipe = &mut clients.pipes[usize::from(number)];
        let of = |ends, slot, seen| PollPipe { generation, ends, events: READABLE | WRITABLE, slot, seen, partners: 0 };
        pipe.call(WritePipe { generation, nonblocking: true }, b"x").await.unwrap();
        let first = pipe.call(of(Reader, NO_PROGRAM, 0), ()).await.unwrap();
        assert_eq!(first.events, READABLE);
        assert_eq!(pipe.call(of(Reader, 5, first.edges), ()).await, Ok(Polled { events: 0, ..first }));
        let both = pipe.call(of(Both, NO_PROGRAM, 0), ()).await.unwrap();
        assert_eq!(both.events, READABLE | WRITABLE);
        assert_eq!(pipe.call(of(Both, 6, both.edges), ()).await, Ok(Polled { events: 0, ..both }));
        assert_eq!(wakes.take(), None);
        pipe.call(WritePipe { generation, nonblocking: true }, b"y").await.unwrap();
        assert_eq!(wakes.take(), Some((0, [1 << 5 | 1 << 6, 0, 0, 0])), "though it could be read before");
        assert_eq!(pipe.call(of(Reader, NO_PROGRAM, first.edges), ()).await.unwrap().events, READABLE);
        assert_eq!(pipe.call(of(Both, NO_PROGRAM, both.edges), ()).await.unwrap().events, READABLE | WRITABLE);
        // A read is an edge for the writer only if the ring was full.
        let writer = pipe.call(of(Writer, NO_PROGRAM, 0), ()).await.unwrap();
        pipe.call(ReadPipe { generation, nonblocking: true }, &mut [0; 9]).await.unwrap();
        assert_eq!(pipe.call(of(Writer, NO_PROGRAM, writer.edges), ()).await.unwrap().events, 0);
        pipe.call(WritePipe { generation, nonblocking: true }, &[0; PIPE_BYTES]).await.unwrap();
        pipe.call(ReadPipe { generation, nonblocking: true }, &mut [0; PIPE_BYTES]).await.unwrap();
        assert_eq!(pipe.call(of(Writer, NO_PROGRAM, writer.edges), ()).await.unwrap().events, WRITABLE);
    });
}

#[test]
fn fifo_last_close_drops_bytes() {
    let rig = rig();
    rig.run(|mut clients| async move {
        let first = clients.open(FIRST, Both, false).await.unwrap();
        let number = usize::from(first.number);
        clients.pipes[number]
            .call(WritePipe { generation: first.generation, nonblocking: true }, b"old")
            .await
            .unwrap();
        clients.close(first, PipeEnd::Writer).await.unwrap();
        clients.close(first, PipeEnd::Reader).await.unwrap();
        // Any program may get the pipe; the fifo uses another from now on.
        assert_eq!(clients.table.call(TakePipe {}, ()).await, Ok(first.number));
        clients.pipes[number].call(OpenPipe {}, ()).await.unwrap();
        let second = clients.open(FIRST, Both, true).await.unwrap();
        assert_ne!(second.number, first.number);
        let (generation, pipe) = (second.generation, &mut clients.pipes[usize::from(second.number)]);
        assert_eq!(pipe.call(ReadPipe { generation, nonblocking: true }, &mut [0; 4]).await, Err(Errno::EAGAIN));
    });
}

#[test]
fn fifo_cancelled_opener_and_failed_board_hold_no_end() {
    let rig = rig();
    let waited = Rc::new(Cell::new(None));
    let (answer, generation) = (waited.clone(), Rc::new(Cell::new(0)));
    let its_generation = generation.clone();
    let process = rig.run(|mut clients| async move {
        let opened = clients.open(FIRST, Writer, false).await.unwrap();
        its_generation.set(opened.generation);
        let entry = AwaitPartner { generation: opened.generation, end: PipeEnd::Writer, partners: opened.partners };
        answer.set(Some(clients.pipes[0].call(entry, ()).await));
    });
    assert_eq!(waited.get(), None);
    process.cancel_wait();
    rig.board.run();
    assert_eq!(waited.get(), Some(Err(Errno::EINTR)));
    rig.run(move |mut clients| async move {
        let (generation, ends) = (generation.get(), Reader);
        let pipe = &mut clients.pipes[0];
        pipe.call(JoinPipe { generation, board: 3, ends, nonblocking: true }, ()).await.unwrap();
        let wrong = JoinPipe { generation: generation + 1, board: 3, ends, nonblocking: true };
        assert_eq!(pipe.call(wrong, ()).await, Err(Errno::ESTALE));
        assert_eq!(pipe.call(WritePipe { generation, nonblocking: true }, b"a").await, Ok(1));
        pipe.call(BoardDied { board: 3 }, ()).await.unwrap();
        assert_eq!(pipe.call(WritePipe { generation, nonblocking: true }, b"a").await, Err(Errno::EPIPE));
    });
}

#[test]
fn pipe_table_fifos_take_at_most_half() {
    let rig = rig();
    rig.run(|mut clients| async move {
        let first = clients.open((50, 1), Both, false).await.unwrap();
        clients.open((51, 1), Both, false).await.unwrap();
        assert_eq!(clients.open((52, 1), Both, false).await, Err(Errno::ENFILE));
        clients.close(first, PipeEnd::Writer).await.unwrap();
        clients.close(first, PipeEnd::Reader).await.unwrap();
        clients.open((52, 1), Both, false).await.unwrap();
        for _ in 0..PIPES / 2 {
            clients.table.call(TakePipe {}, ()).await.unwrap();
        }
        assert_eq!(clients.table.call(TakePipe {}, ()).await, Err(Errno::ENFILE));
    });
}
