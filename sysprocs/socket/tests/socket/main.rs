//! Sockets as programs' slots see them.
use renga_core::Entry;
use renga_proto::events::Events;
use renga_proto::file::File;
use renga_proto::pipe::Pipe;
use renga_proto::pipe::{HANG_UP, NO_PROGRAM, PIPE_BYTES, READABLE, WRITABLE};
use renga_proto::socket::SocketSide::{First, Second};
use renga_proto::socket::*;
use renga_proto::socket_table::{BindName, Errand, FLIGHTS, FindName, FreeSocket, NOBODY, SocketTable, TakeSocket};
use renga_proto::terminals::Terminals;
use renga_rt::host::HostBoard;
use renga_rt::raw::RawClient;
use renga_rt::{Address, Client, Errno, Family, Local, Wakes, Watch};
use std::cell::RefCell;
use std::rc::Rc;

mod flights;
mod internet;
mod timeouts;

const SOCKETS: usize = 4;
const NAME: &[u8] = b"\0name";

struct Rig {
    board: HostBoard,
    sockets: &'static [Address<Socket>],
    table: Address<SocketTable>,
    wakes: &'static Wakes,
}

struct Clients {
    sockets: Vec<Client<Socket>>,
    table: Client<SocketTable>,
}

fn leak<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 20);
    let places = vec![renga_socket::SocketName::NONE; SOCKETS].leak();
    let table = board.server(|me, port| {
        let flights = vec![renga_socket::Flight::NONE; FLIGHTS].leak();
        renga_socket::socket_table(me, port, leak([0; SOCKETS]), places, leak([Errand::NONE; 2 * SOCKETS]), flights, 0)
    });
    let tables = board.family(leak([table]));
    let watch: &'static Watch = leak(Watch::new(None));
    let wakes: &'static Wakes = leak(Wakes::new(None));
    let sockets: Vec<Address<Socket>> = (0..SOCKETS as u16)
        .map(|number| {
            let bytes = leak([[0; PIPE_BYTES]; 2]);
            board.server(|me, port| {
                let table = Local::new(&me, &tables[0]).narrowed();
                renga_socket::socket(me, port, table, bytes, number, 0, watch, wakes)
            })
        })
        .collect();
    let sockets: &'static [Address<Socket>] = sockets.leak();
    board.spawn(|me| {
        let table = Local::new(&me, &tables[0]).narrowed();
        let (all, names) = (Family::new(&me, board.family(sockets)).narrowed(), Family::new(&me, tables).narrowed());
        let (pipes, files): (&[Address<Pipe>], &[Address<File>]) = (&[], &[]);
        let events: &[Address<Events>] = &[];
        let pipes = Family::new(&me, board.family(pipes)).narrowed();
        let files = Family::new(&me, board.family(files)).narrowed();
        let events = Family::new(&me, board.family(events)).narrowed();
        let terminals: &[Address<Terminals>] = &[];
        let terminals = Family::new(&me, board.family(terminals)).narrowed();
        renga_socket::socket_closer(table, names, all, pipes, files, events, terminals, 0)
    });
    Rig { board, sockets, table, wakes }
}

impl Rig {
    /// Starts a client and lets everything come to rest.
    fn run<F: Future<Output = ()> + 'static>(&self, body: impl FnOnce(Clients) -> F) -> &'static renga_core::Process {
        let process = self.board.client(|me| {
            let sockets = self.sockets.iter().map(|socket| Client::new(&me, *socket)).collect();
            body(Clients { sockets, table: Client::new(&me, self.table) })
        });
        self.board.run();
        process
    }

    /// Calls the first socket for a process of `board`; the first word of the reply.
    fn call_for<E: Entry>(&self, board: u8, entry: E) -> u64 {
        self.call_at(self.sockets[0].id().index, board, entry, &[])
    }

    /// Calls a process for one of `board`; the first word of the reply.
    fn call_at<E: Entry>(&self, index: u16, board: u8, entry: E, bytes: &'static [u8]) -> u64 {
        let directory = self.board.directory();
        let words = [const { std::cell::Cell::new(0) }; 6];
        entry.put(&words);
        let (words, result) = (words.map(|word| word.get()), Rc::new(RefCell::new(None)));
        let out = result.clone();
        self.board.client(move |me| async move {
            let mut proxy = RawClient::new(&me, directory);
            let reply = proxy.call(board, (index, E::OP), words, bytes, &mut []).await;
            *out.borrow_mut() = Some(reply.unwrap().words[0]);
        });
        self.board.run();
        result.take().unwrap()
    }

    /// How many sockets can be taken.
    fn free(&self) -> usize {
        let free = Rc::new(RefCell::new(0));
        let out = free.clone();
        self.run(|mut at| async move {
            let mut taken = Vec::new();
            while let Ok(socket) = at.table.call(TakeSocket {}, ()).await {
                taken.push(socket);
            }
            *out.borrow_mut() = taken.len();
            for socket in taken {
                at.table.call(FreeSocket { socket }, ()).await.unwrap();
            }
        });
        free.take()
    }
}

impl Clients {
    /// A socket of process `pid`.
    async fn open(&mut self, sort: SocketSort, pair: bool, pid: u32) -> SocketHandle {
        let number = self.table.call(TakeSocket {}, ()).await.unwrap();
        let open = OpenSocket { sort, internet: false, pair, pid };
        let generation = self.sockets[usize::from(number)].call(open, ()).await.unwrap();
        SocketHandle { board: 0, number, generation }
    }
    fn at(&mut self, at: SocketHandle) -> &mut Client<Socket> {
        &mut self.sockets[usize::from(at.number)]
    }
    async fn send(&mut self, at: SocketHandle, side: SocketSide, bytes: &[u8]) -> Result<u32, Errno> {
        self.at(at).call(Send { generation: at.generation, side, nonblocking: false }, bytes).await
    }
    async fn send_now(&mut self, at: SocketHandle, side: SocketSide, bytes: &[u8]) -> Result<u32, Errno> {
        self.at(at).call(Send { generation: at.generation, side, nonblocking: true }, bytes).await
    }
    /// At most `room` bytes, and how long the record is.
    async fn take(
        &mut self,
        at: SocketHandle,
        side: SocketSide,
        flags: u32,
        room: usize,
    ) -> Result<(Vec<u8>, u32), Errno> {
        let mut bytes = vec![0; room];
        let receive = Receive { generation: at.generation, side, flags };
        let received = self.at(at).call(receive, &mut bytes[..]).await?;
        bytes.truncate(received.bytes as usize);
        Ok((bytes, received.length))
    }
    async fn close(&mut self, at: SocketHandle, side: SocketSide) {
        self.at(at).call(CloseSide { generation: at.generation, side }, ()).await.unwrap();
    }
    async fn events(&mut self, at: SocketHandle, side: SocketSide) -> u32 {
        let generation = at.generation;
        let poll = PollSocket { generation, side, events: u32::MAX, slot: NO_PROGRAM, seen: 0 };
        self.at(at).call(poll, ()).await.unwrap().events
    }
    /// A listener with a name.
    async fn listener(&mut self, backlog: u32) -> SocketHandle {
        let at = self.open(SocketSort::Stream, false, 7).await;
        let generation = at.generation;
        self.table.call(BindName { at, sort: STREAM, sharer: NOBODY }, NAME).await.unwrap();
        self.at(at).call(SetAddress { generation, replaces: false }, NAME).await.unwrap();
        self.at(at).call(Listen { generation, backlog, pid: 7 }, ()).await.unwrap();
        at
    }
    /// As a program that connects.
    async fn connect(&mut self, at: SocketHandle, pid: u32, nonblocking: bool) -> Result<(), Errno> {
        let (generation, listener) = (at.generation, self.table.call(FindName { sort: STREAM }, NAME).await?);
        self.at(at).call(BeginConnect { generation, board: listener.board, pid, own_bytes: 0 }, NAME).await?;
        let offer = Offer { generation: listener.generation, offered: at, sort: STREAM, nonblocking };
        let offered = self.at(listener).call(offer, ()).await;
        self.at(at).call(EndConnect { generation, pid: offered.unwrap_or(0) }, ()).await?;
        offered.map(|_| ())
    }
    async fn accept(&mut self, at: SocketHandle) -> Result<SocketHandle, Errno> {
        let connection = self.at(at).call(Accept { generation: at.generation, nonblocking: true }, ()).await?;
        let take = TakeSide { generation: connection.generation, board: at.board };
        self.at(connection).call(take, ()).await?;
        Ok(connection)
    }
}

const STREAM: SocketSort = SocketSort::Stream;

#[test]
fn socket_pair_random_transfers_keep_order_both_ways() {
    let rig = rig();
    let pair = Rc::new(RefCell::new(SocketHandle::NONE));
    let out = pair.clone();
    rig.run(|mut at| async move { *out.borrow_mut() = at.open(STREAM, true, 5).await });
    let at_pair = *pair.borrow();
    let bytes: Vec<u8> = (0..200_000u32).map(|i| (i * 7) as u8).collect();
    let read = [const { RefCell::new(Vec::new()) }; 2].map(Rc::new);
    for (side, out) in [First, Second].into_iter().zip(&read) {
        let (bytes, out) = (bytes.clone(), out.clone());
        rig.run(|mut at| async move {
            for chunk in bytes.chunks(3001) {
                assert_eq!(at.send(at_pair, side, chunk).await, Ok(chunk.len() as u32));
            }
            at.at(at_pair).call(Shutdown { generation: at_pair.generation, side, how: SHUT_SEND }, ()).await.unwrap();
        });
        rig.run(|mut at| async move {
            loop {
                let (bytes, _) = at.take(at_pair, side.other(), 0, 777).await.unwrap();
                if bytes.is_empty() {
                    break;
                }
                out.borrow_mut().extend(bytes);
            }
        });
    }
    assert!(read.iter().all(|read| *read.borrow() == bytes));
}

#[test]
fn socket_close_ends_reads_and_breaks_writes() {
    let rig = rig();
    rig.run(|mut at| async move {
        let pair = at.open(STREAM, true, 5).await;
        assert_eq!(at.take(pair, First, RECEIVE_NOW, 8).await, Err(Errno::EAGAIN));
        assert_eq!(at.events(pair, First).await, WRITABLE);
        at.send(pair, Second, b"abc").await.unwrap();
        assert_eq!(at.events(pair, First).await, READABLE | WRITABLE);
        at.close(pair, Second).await;
        assert_eq!(at.take(pair, First, RECEIVE_PEEK, 2).await, Ok((b"ab".to_vec(), 2)));
        assert_eq!(at.take(pair, First, 0, 8).await, Ok((b"abc".to_vec(), 3)));
        assert_eq!(at.take(pair, First, 0, 8).await, Ok((Vec::new(), 0)));
        assert_eq!(at.send(pair, First, b"x").await, Err(Errno::EPIPE));
        assert_eq!(at.events(pair, First).await, READABLE | WRITABLE | HANG_UP | PEER_SHUT);
        at.close(pair, First).await;
        assert_eq!(at.take(pair, First, 0, 8).await, Err(Errno::ESTALE));
        // What a partner leaves unread resets the connection.
        let pair = at.open(STREAM, true, 5).await;
        at.send(pair, First, b"abc").await.unwrap();
        at.close(pair, Second).await;
        assert_eq!(at.take(pair, First, 0, 8).await, Err(Errno::ECONNRESET));
        assert_eq!(at.take(pair, First, 0, 8).await, Ok((Vec::new(), 0)));
        at.close(pair, First).await;
    });
    assert_eq!(rig.free(), SOCKETS);
}

/// Linux finds an abstract name by the sort of the socket, and an inode by itself.
/// Holds: sockets.
#[test]
fn socket_abstract_names_are_apart_by_sort() {
    let rig = rig();
    rig.run(|mut at| async move {
        let [stream, datagrams] = [at.open(STREAM, false, 5).await, at.open(SocketSort::Datagram, false, 5).await];
        let bind = |at, sort| BindName { at, sort, sharer: NOBODY };
        for (name, second) in [(NAME, Ok(())), (b"\x01inode", Err(Errno::EADDRINUSE))] {
            at.table.call(bind(stream, STREAM), name).await.unwrap();
            assert_eq!(at.table.call(bind(datagrams, SocketSort::Datagram), name).await, second);
        }
        for (sort, found) in [
            (STREAM, Ok(stream)),
            (SocketSort::Datagram, Ok(datagrams)),
            (SocketSort::Sequence, Err(Errno::ECONNREFUSED)),
        ] {
            assert_eq!(at.table.call(FindName { sort }, NAME).await, found);
        }
        assert_eq!(at.table.call(FindName { sort: SocketSort::Datagram }, b"\x01inode").await, Err(Errno::EPROTOTYPE));
        at.close(stream, First).await;
        at.close(datagrams, First).await;
    });
    assert_eq!(rig.free(), SOCKETS);
}

/// Holds: sockets.
#[test]
fn socket_connect_accept_and_exchange() {
    let rig = rig();
    rig.run(|mut at| async move {
        let client = at.open(STREAM, false, 9).await;
        assert_eq!(at.connect(client, 9, false).await, Err(Errno::ECONNREFUSED));
        let listener = at.listener(0).await;
        assert_eq!(
            at.table.call(BindName { at: client, sort: STREAM, sharer: NOBODY }, NAME).await,
            Err(Errno::EADDRINUSE)
        );
        assert_eq!(at.accept(listener).await, Err(Errno::EAGAIN));
        assert_eq!(at.events(client, First).await, WRITABLE | HANG_UP);
        assert_eq!(at.take(client, First, 0, 4).await, Err(Errno::EINVAL));
        at.connect(client, 9, false).await.unwrap();
        assert_eq!(at.connect(client, 9, false).await, Err(Errno::EISCONN));
        assert_eq!(at.events(listener, First).await, READABLE);
        // One more would wait.
        let second = at.open(STREAM, false, 10).await;
        assert_eq!(at.connect(second, 10, true).await, Err(Errno::EAGAIN));
        at.send(client, First, b"early").await.unwrap();
        assert_eq!(at.accept(listener).await, Ok(client));
        at.connect(second, 10, true).await.unwrap();
        assert_eq!(at.take(client, Second, 0, 8).await, Ok((b"early".to_vec(), 5)));
        at.send(client, Second, b"reply").await.unwrap();
        assert_eq!(at.take(client, First, 0, 8).await, Ok((b"reply".to_vec(), 5)));
        for (side, pid) in [(First, 7), (Second, 9)] {
            let facts = at.at(client).call(DescribeSocket { generation: client.generation, side }, ()).await.unwrap();
            assert_eq!((facts.state, facts.peer_pid), (SocketState::Connected, pid));
        }
        // The second waits at a listener that goes.
        at.close(listener, First).await;
    });
    rig.run(|mut at| async move {
        let second = SocketHandle { board: 0, number: 2, generation: 1 };
        assert_eq!(at.take(second, First, 0, 8).await, Err(Errno::ECONNRESET));
        assert_eq!(at.take(second, First, 0, 8).await, Ok((Vec::new(), 0)));
        assert_eq!(at.table.call(FindName { sort: STREAM }, NAME).await, Err(Errno::ECONNREFUSED));
        at.close(second, First).await;
        let client = SocketHandle { board: 0, number: 0, generation: 1 };
        at.close(client, First).await;
        at.close(client, Second).await;
    });
    assert_eq!(rig.free(), SOCKETS);
}

#[test]
fn socket_records_are_whole_and_cut_by_short_buffers() {
    let rig = rig();
    rig.run(|mut at| async move {
        let pair = at.open(SocketSort::Sequence, true, 5).await;
        for record in [&b"first"[..], b"", b"third"] {
            at.send(pair, First, record).await.unwrap();
        }
        let facts = DescribeSocket { generation: pair.generation, side: Second };
        assert_eq!(at.at(pair).call(facts, ()).await.unwrap().bytes, 5);
        assert_eq!(at.take(pair, Second, RECEIVE_PEEK, 9).await, Ok((b"first".to_vec(), 5)));
        assert_eq!(at.take(pair, Second, 0, 3).await, Ok((b"fir".to_vec(), 5)));
        assert_eq!(at.take(pair, Second, 0, 3).await, Ok((Vec::new(), 0)));
        assert_eq!(at.take(pair, Second, 0, 9).await, Ok((b"third".to_vec(), 5)));
        // All fit that fit whole.
        let mut sent = 0;
        while at.send_now(pair, First, &[1; 4000]).await == Ok(4000) {
            sent += 1;
        }
        assert_eq!(sent, PIPE_BYTES / 4011);
        at.close(pair, First).await;
        at.close(pair, Second).await;
    });
    assert_eq!(rig.free(), SOCKETS);
}

#[test]
fn socket_datagrams_name_their_sender() {
    let rig = rig();
    rig.run(|mut at| async move {
        let [to, from] = [at.open(SocketSort::Datagram, false, 5).await, at.open(SocketSort::Datagram, false, 6).await];
        let deliver = Deliver { generation: to.generation, from, nonblocking: true };
        assert_eq!(at.at(to).call(deliver, &b"hello"[..]).await, Ok(5));
        let mut place = [0; 8];
        let receive = Receive { generation: to.generation, side: First, flags: 0 };
        let received = at.at(to).call(receive, &mut place[..]).await.unwrap();
        assert_eq!((received, &place[..5]), (Received { bytes: 5, length: 5, from }, &b"hello"[..]));
        // Nobody else may send to one that has a partner.
        at.at(to).call(SetPeer { generation: to.generation, peer: to }, &b""[..]).await.unwrap();
        assert_eq!(at.at(to).call(deliver, &b"hello"[..]).await, Err(Errno::EPERM));
        at.close(to, First).await;
        assert_eq!(at.at(to).call(deliver, &b"hello"[..]).await, Err(Errno::ECONNREFUSED));
        at.close(from, First).await;
    });
    assert_eq!(rig.free(), SOCKETS);
}

#[test]
fn socket_partner_of_failed_board_is_reset() {
    let rig = rig();
    let results = Rc::new(RefCell::new(Vec::new()));
    rig.run(|mut at| async move {
        let pair = at.open(STREAM, true, 5).await;
        assert_eq!(pair, SocketHandle { board: 0, number: 0, generation: 1 });
    });
    let pair = SocketHandle { board: 0, number: 0, generation: 1 };
    assert_eq!(rig.call_for(2, AddSide { generation: 1, side: Second }), 0);
    let out = results.clone();
    let reader = rig.run(|mut at| async move {
        at.close(pair, Second).await;
        for _ in 0..2 {
            let taken = at.take(pair, First, 0, 8).await;
            out.borrow_mut().push(taken);
        }
    });
    assert!(reader.waits_for().is_some());
    rig.run(|mut at| async move { at.sockets[0].call(BoardDied { board: 2 }, ()).await.unwrap() });
    assert_eq!(*results.borrow(), [Err(Errno::ECONNRESET), Ok((Vec::new(), 0))]);
    rig.run(|mut at| async move { at.close(pair, First).await });
    assert_eq!(rig.free(), SOCKETS);
    assert!(rig.wakes.take().is_none());
}
