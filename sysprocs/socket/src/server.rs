//! One socket: a connection with two sides, a listener, or who gets datagrams.
//!
//! Invariant: a receiver waits only while there is nothing for it and more can come, a sender only while its bytes do
//! not fit and the partner receives. The call that changes that answers them, or their cancellation does. Records are
//! whole. A flight (`flights.rs`) is received with its message, or dropped. Calls: the table of its board.

use crate::side::ConnectionSide;
use heapless::{Deque, Vec};
use renga_pipe::Ring;
use renga_proto::internet::Endpoint;
use renga_proto::pipe::{ERROR, PIPE_BYTES, Polled, READABLE};
use renga_proto::socket::{
    Accept, AddSide, BACKLOG_MAX, BeginConnect, BoardDied, CloseSide, Deliver, DescribeSocket, EndConnect, FLIGHTS_MAX,
    GetAddress, GetOption, GetPeer, KeptOption, Listen, Offer, OpenSocket, OptionAt, PeerFacts, PollSocket, Receive,
    Send, SendWith, SetAddress, SetError, SetOption, SetPeer, SetSideBlocking, Shutdown, Socket, SocketCall,
    SocketFacts, SocketHandle, SocketServer, SocketSide, SocketSort, SocketState, TakeError, TakeSide,
};
use renga_proto::socket_table::{AddErrand, Errand, ErrandKind, FreeSocket, SocketTable};
use renga_rt::{Call, CallQueue, Errno, Generation, Local, Me, Never, Port, Protocol, Wakes, Watch, apart};

mod connecting;
mod events;
mod flights;
mod simple;
mod timeouts;
mod transfer;

/// What a socket calls of its board's table.
const TABLE: u32 = FreeSocket::BIT | AddErrand::BIT;

renga_rt::with_defaults! {
    struct SocketProcess {
        sides: [ConnectionSide; 2] = sides,
        generation: Generation = Generation::before_first(boot),
        sort: SocketSort = SocketSort::Stream,
        /// Its addresses are the internet's.
        internet: bool = false,
        state: SocketState = SocketState::Fresh,
        /// Of a connection: its listener's board has the reference to the second side, nobody has accepted it.
        pending: bool = false,
        /// Its generation while transfers concern only who waits for bytes: a stream with both sides open, without
        /// errors, shut directions and nonblocking sides; else 0.
        simple_generation: u32 = 0,
        /// It has a name in the table of names, which another board may have; ports are its own board's.
        named: bool = false,
        /// Of datagrams: whom those without an address are for, of the internet's as `internet::of_datagram`.
        peer: SocketHandle = SocketHandle::NONE,
        /// Connections that wait here, and how many may.
        backlog: Deque<SocketHandle, BACKLOG_MAX> = Deque::new(),
        backlog_max: usize = 0,
        accepting: CallQueue<Accept> = CallQueue::new(),
        offering: CallQueue<Offer> = CallQueue::new(),
        delivering: CallQueue<Deliver> = CallQueue::new(),
        /// Messages have flights, so that no transfer is simple.
        has_flights: bool = false,
        /// Flights that nobody received.
        dropped: Vec<SocketHandle, { 3 * FLIGHTS_MAX }> = Vec::new(),
        /// The last flights that other boards than their own were given, and which.
        handed: Deque<(SocketHandle, u8), FLIGHTS_MAX> = Deque::new(),
        /// Boards with a reference, a bit each, as the router knows.
        watched: u8 = 0,
        watch: &'static Watch = watch,
    }
    fn new(sides: [ConnectionSide; 2], boot: u8, watch: &'static Watch);
}

/// Serves the socket `number`; `boot` counts the board's boots, so that no generation repeats.
#[allow(clippy::too_many_arguments, reason = "a process's parameters are all that it may touch")]
pub async fn socket(
    mut me: Me,
    mut port: Port<Socket>,
    mut table: Local<SocketTable, TABLE>,
    [first, second]: &'static mut [[u8; PIPE_BYTES]; 2],
    number: u16,
    boot: u8,
    watch: &'static Watch,
    wakes: &'static Wakes,
) -> Never {
    let sides = [first, second].map(|bytes| ConnectionSide::new(Ring::new(bytes), wakes));
    let mut state = SocketProcess::new(sides, boot, watch);
    let board = me.id().board.0;
    loop {
        let call = port.accept_or_notified(Socket::ENTRIES).await;
        let was_open = state.is_open();
        match call {
            Some(SocketCall::Receive(call)) if state.is_simple_receive(&call) => {
                state.receive_simply(call);
                continue;
            }
            Some(SocketCall::Send(call)) if state.is_simple_send(&call) => {
                state.send_simply(call);
                continue;
            }
            Some(SocketCall::Receive(call)) => state.accept_receive(call),
            Some(SocketCall::Send(call)) => state.accept_send(call),
            Some(call) => {
                let had = state.sides.each_ref().map(|side| !side.references.is_empty());
                // Apart, so that transfers do not pay for its stack frame.
                apart!(call.serve(&mut state));
                state.note_left(had);
                state.note_simple();
            }
            None => {}
        }
        state.settle();
        // Also after a call: its caller may have been interrupted before it was kept.
        state.answer_interrupted();
        if state.has_limits() {
            let next_ns = state.end_waits(me.now_ns());
            me.notify_at(next_ns);
        }
        if !state.dropped.is_empty() {
            apart!(state.end_dropped(&mut table));
        }
        if was_open && !state.is_open() {
            let generation = state.generation.number();
            apart!(state.finish(&mut table, SocketHandle { board, number, generation }));
        }
    }
}

impl SocketServer for SocketProcess {
    async fn open_socket(&mut self, call: &mut Call<OpenSocket>) -> Result<u32, Errno> {
        let OpenSocket { sort, internet, pair, pid } = call.entry();
        if self.is_open() {
            return Err(Errno::EINVAL);
        }
        self.generation.next();
        self.sides.iter_mut().for_each(|side| side.reset(pid));
        (self.sort, self.internet, self.pending, self.named) = (sort, internet, false, false);
        self.peer = SocketHandle::NONE;
        self.state = if pair { SocketState::Connected } else { SocketState::Fresh };
        let [first, second] = &mut self.sides;
        let added = first.references.add(call.board()) && (!pair || second.references.add(call.board()));
        if added { Ok(self.generation.number()) } else { Err(Errno::EINVAL) }
    }
    async fn receive(&mut self, call: Call<Receive>) {
        self.accept_receive(call);
    }
    async fn send(&mut self, call: Call<Send>) {
        self.accept_send(call);
    }
    async fn add_side(&mut self, call: &mut Call<AddSide>) -> Result<(), Errno> {
        let AddSide { generation, side } = call.entry();
        let held = generation == self.generation.number() && !self.side(side).references.is_empty();
        if held && self.side(side).references.add(call.board()) { Ok(()) } else { Err(Errno::ESTALE) }
    }
    async fn close_side(&mut self, call: &mut Call<CloseSide>) -> Result<(), Errno> {
        let CloseSide { generation, side } = call.entry();
        let removed = generation == self.generation.number() && self.side(side).references.remove(call.board());
        if removed { Ok(()) } else { Err(Errno::ESTALE) }
    }
    async fn poll_socket(&mut self, call: &mut Call<PollSocket>) -> Result<Polled, Errno> {
        self.poll(call.entry(), call.board())
    }
    async fn describe_socket(&mut self, call: &mut Call<DescribeSocket>) -> Result<SocketFacts, Errno> {
        let DescribeSocket { generation, side } = call.entry();
        self.check(generation, side, call.board())?;
        let connected = self.state == SocketState::Connected && self.peer.generation == 0;
        let peer_pid = if connected { self.side(side.other()).pid } else { 0 };
        let (state, bytes) = (self.state, self.receivable(side) as u32);
        Ok(SocketFacts { state, peer_pid, bytes, nonblocking: self.side(side).nonblocking })
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        let board = call.entry().board;
        self.drop_handed(board);
        for side in [SocketSide::First, SocketSide::Second] {
            let had = self.side(side).references.drop_board(board) > 0;
            if had && self.side(side).references.is_empty() {
                // Bytes that were under way to there are lost.
                self.side(side.other()).error = Errno::ECONNRESET.0;
            }
        }
        Ok(())
    }
    async fn shutdown(&mut self, call: &mut Call<Shutdown>) -> Result<(), Errno> {
        let Shutdown { generation, side, how } = call.entry();
        self.check(generation, side, call.board())?;
        self.shut(side, how)
    }
    async fn set_address(&mut self, call: &mut Call<SetAddress>) -> Result<(), Errno> {
        let SetAddress { generation, replaces } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        let address = Vec::from_slice(call.lent()).map_err(|_| Errno::EINVAL)?;
        if !replaces && !address.is_empty() && !self.sides[0].address.is_empty() {
            return Err(Errno::EINVAL);
        }
        self.named = !address.is_empty() && !self.internet;
        self.sides[0].address = address;
        Ok(())
    }
    async fn get_address(&mut self, call: &mut Call<GetAddress>) -> Result<u32, Errno> {
        let GetAddress { generation, side, peer } = call.entry();
        if peer {
            self.check(generation, side, call.board())?;
            if !matches!(self.state, SocketState::Connecting | SocketState::Connected) {
                return Err(Errno::ENOTCONN);
            }
        } else if generation != self.generation.number() || !self.is_open() {
            return Err(Errno::ESTALE); // who got a datagram of it may ask too
        }
        let side = if peer { side.other() } else { side };
        let address = &self.sides[side as usize].address;
        let place = call.lent().get_mut(..address.len()).ok_or(Errno::EINVAL)?;
        place.copy_from_slice(address);
        call.set_taken_used(address.len());
        Ok(address.len() as u32)
    }
    async fn listen(&mut self, call: &mut Call<Listen>) -> Result<(), Errno> {
        let Listen { generation, backlog, pid } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        self.begin_listening(backlog, pid)
    }
    async fn begin_connect(&mut self, call: &mut Call<BeginConnect>) -> Result<(), Errno> {
        let BeginConnect { generation, board, pid, own_bytes } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        let (own, address) = call.lent().split_at_checked(own_bytes as usize).ok_or(Errno::EINVAL)?;
        let address = Vec::from_slice(address).map_err(|_| Errno::EINVAL)?;
        let own = Vec::from_slice(own).map_err(|_| Errno::EINVAL)?;
        self.begin_connecting(board, pid)?;
        self.sides[1].address = address;
        if !own.is_empty() {
            self.sides[0].address = own;
        }
        Ok(())
    }
    async fn end_connect(&mut self, call: &mut Call<EndConnect>) -> Result<(), Errno> {
        let EndConnect { generation, pid } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        self.end_connecting(pid)
    }
    async fn offer(&mut self, call: Call<Offer>) {
        self.accept_offer(call);
    }
    async fn accept(&mut self, call: Call<Accept>) {
        let Accept { generation, nonblocking } = call.entry();
        if let Err(errno) = self.check(generation, SocketSide::First, call.board()) {
            return call.reply(Err(errno));
        }
        timeouts::begin_wait(&call, self.sides[0].receive_limit);
        self.accept_connection(call, nonblocking);
    }
    async fn take_side(&mut self, call: &mut Call<TakeSide>) -> Result<(), Errno> {
        let TakeSide { generation, board } = call.entry();
        self.take_second(generation, board, call.board())
    }
    async fn set_side_blocking(&mut self, call: &mut Call<SetSideBlocking>) -> Result<(), Errno> {
        let SetSideBlocking { generation, side, nonblocking } = call.entry();
        self.check(generation, side, call.board())?;
        self.side(side).nonblocking = nonblocking;
        Ok(())
    }
    async fn deliver(&mut self, call: Call<Deliver>) {
        self.accept_delivery(call);
    }
    async fn set_peer(&mut self, call: &mut Call<SetPeer>) -> Result<(), Errno> {
        let SetPeer { generation, peer } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        let address = Vec::from_slice(call.lent()).map_err(|_| Errno::EINVAL)?;
        self.state = if peer.generation == 0 { SocketState::Fresh } else { SocketState::Connected };
        (self.peer, self.sides[1].address) = (peer, address);
        Ok(())
    }
    async fn get_peer(&mut self, call: &mut Call<GetPeer>) -> Result<PeerFacts, Errno> {
        let GetPeer { generation, side } = call.entry();
        self.check(generation, side, call.board())?;
        let own = Endpoint::of_bytes(&self.sides[0].address).filter(|_| self.internet);
        let port = own.map_or(0, |own| own.port);
        if self.internet && self.side(side).error != 0 {
            return Err(Errno(core::mem::take(&mut self.side(side).error)));
        }
        Ok(PeerFacts { peer: self.peer, nonblocking: self.side(side).nonblocking, port })
    }
    async fn take_error(&mut self, call: &mut Call<TakeError>) -> Result<u32, Errno> {
        let TakeError { generation, side } = call.entry();
        self.check(generation, side, call.board())?;
        Ok(core::mem::take(&mut self.side(side).error).into())
    }
    async fn set_error(&mut self, call: &mut Call<SetError>) -> Result<(), Errno> {
        let SetError { generation, side, error } = call.entry();
        self.check(generation, side, call.board())?;
        self.side(side).error = error as u16;
        self.side(side).note_edge(READABLE | ERROR);
        Ok(())
    }
    async fn set_option(&mut self, call: &mut Call<SetOption>) -> Result<(), Errno> {
        let SetOption { generation, side, option, value } = call.entry();
        self.check(generation, side, call.board())?;
        if self.keep_option(side, option, value) { Ok(()) } else { Err(Errno::ENOPROTOOPT) }
    }
    async fn send_with(&mut self, call: Call<SendWith>) {
        timeouts::begin_wait(&call, self.sides[call.entry().side as usize].send_limit);
        self.accept_flight(call);
    }
    async fn get_option(&mut self, call: &mut Call<GetOption>) -> Result<u64, Errno> {
        let GetOption { generation, side, option } = call.entry();
        self.check(generation, side, call.board())?;
        self.side(side).option(option).ok_or(Errno::ENOPROTOOPT)
    }
    async fn option_at(&mut self, call: &mut Call<OptionAt>) -> Result<KeptOption, Errno> {
        let OptionAt { generation, index } = call.entry();
        self.check(generation, SocketSide::First, call.board())?;
        let kept = self.sides[0].options().get(index as usize);
        kept.map(|&(option, value)| KeptOption { option, value }).ok_or(Errno::ENOPROTOOPT)
    }
}

impl SocketProcess {
    fn is_open(&self) -> bool {
        self.sides.iter().any(|side| !side.references.is_empty())
    }

    #[inline(always)]
    fn side(&mut self, side: SocketSide) -> &mut ConnectionSide {
        &mut self.sides[side as usize]
    }

    /// Whether `board` may use `side` of the socket in this generation.
    #[inline(always)]
    fn check(&self, generation: u32, side: SocketSide, board: u8) -> Result<(), Errno> {
        let holds = self.sides[side as usize].references.contains(board);
        if generation == self.generation.number() && holds { Ok(()) } else { Err(Errno::ESTALE) }
    }

    /// Whether nobody is at the other side of `side` any more.
    fn is_left(&self, side: SocketSide) -> bool {
        self.sides[side.other() as usize].references.is_empty()
    }

    /// Nobody has it any more: it is free, and so are its name and what waited here.
    async fn finish(&mut self, table: &mut Local<SocketTable, TABLE>, own: SocketHandle) {
        self.drop_flights(SocketSide::First);
        self.drop_flights(SocketSide::Second);
        self.end_dropped(table).await;
        let Some(mut table) = table.at(0) else { return };
        // Bounded by the room for them.
        while let Some(at) = self.backlog.pop_front() {
            // It has room for all sockets.
            let _ = table.call(AddErrand { errand: Errand { at, kind: ErrandKind::Close } }, ()).await;
        }
        if core::mem::take(&mut self.named) {
            // If there is no room, who wants the name finds out.
            let _ = table.call(AddErrand { errand: Errand { at: own, kind: ErrandKind::Unbind } }, ()).await;
        }
        self.state = SocketState::Fresh;
        self.sides.iter_mut().for_each(|side| side.ring.clear());
        // The table knows this number as taken, so it cannot refuse it.
        let _ = table.call(FreeSocket { socket: own.number }, ()).await;
    }
}
