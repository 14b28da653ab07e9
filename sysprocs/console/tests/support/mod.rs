//! A board with pseudo-terminals, and a client with both sides of one.
use renga_console::termios::Termios;
use renga_console::{TerminalPair, terminals};
use renga_proto::console::{KeyboardSignal, TERMIOS_BYTES};
use renga_proto::pipe::{READABLE, WRITABLE};
use renga_proto::terminals::{
    ChangeAttributes, ChangeJobs, ControlPair, DropSide, MakePair, OpenSlave, PRIORITY, PairAttributes, PairRequest,
    PollSide, ReadSide, TerminalHandle, Terminals, WriteSide,
};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Wakes, Watch};
use std::cell::Cell;
use std::rc::Rc;

pub const PAIRS: usize = 8;
pub const QUIET: KeyboardSignal = KeyboardSignal { signal: 0, group: 0 };

pub struct Rig {
    pub board: HostBoard,
    pub server: Address<Terminals>,
    pub wakes: &'static Wakes,
}

pub fn rig() -> Rig {
    let board = HostBoard::new(0, 1 << 20);
    let wakes: &'static Wakes = Box::leak(Box::new(Wakes::new(None)));
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(None)));
    let pairs = (0..PAIRS).map(|_| TerminalPair::new(Box::leak(Box::default()))).collect::<Vec<_>>().leak();
    let server = board.server(|me, port| terminals(me, port, pairs, 1, wakes, watch));
    Rig { board, server, wakes }
}

/// A client with both sides of a pair.
pub struct Pair {
    pub calls: Client<Terminals>,
    pub master: TerminalHandle,
    pub slave: TerminalHandle,
}

impl Pair {
    pub async fn open(mut calls: Client<Terminals>) -> Pair {
        let master = calls.call(MakePair { user: 7 }, ()).await.unwrap();
        let open = OpenSlave { number: master.number, generation: master.generation };
        assert_eq!(calls.call(open, ()).await, Err(Errno::EIO), "it is locked");
        let unlock = ControlPair { at: master, request: PairRequest::Lock, value: 0 };
        calls.call(unlock, ()).await.unwrap();
        let slave = calls.call(open, ()).await.unwrap();
        assert_eq!(slave, master.other());
        Pair { calls, master, slave }
    }
    pub async fn read_of(&mut self, at: TerminalHandle, bytes: usize) -> Result<Vec<u8>, Errno> {
        let mut out = vec![0; bytes];
        let count = self.calls.call(ReadSide { at, nonblocking: true }, &mut out[..]).await?;
        out.truncate(count as usize);
        Ok(out)
    }
    pub async fn read(&mut self) -> Result<Vec<u8>, Errno> {
        self.read_of(self.slave, 64).await
    }
    pub async fn shown(&mut self) -> Result<Vec<u8>, Errno> {
        self.read_of(self.master, 64).await
    }
    /// The bytes taken, and the signal.
    pub async fn press(&mut self, keys: &[u8]) -> (u32, KeyboardSignal) {
        let press = WriteSide { at: self.master, nonblocking: true, checked: false };
        let written = self.calls.call(press, keys).await.unwrap();
        (written.bytes, written.signal)
    }
    pub async fn write(&mut self, bytes: &[u8]) -> Result<u32, Errno> {
        let write = WriteSide { at: self.slave, nonblocking: true, checked: false };
        self.calls.call(write, bytes).await.map(|written| written.bytes)
    }
    pub async fn change(&mut self, change: impl FnOnce(&mut Termios)) {
        let mut bytes = [0; TERMIOS_BYTES];
        self.calls.call(PairAttributes { at: self.master }, &mut bytes[..]).await.unwrap();
        let mut termios = Termios::from_bytes(&bytes).unwrap();
        change(&mut termios);
        let set = ChangeAttributes { at: self.slave, flush: false };
        self.calls.call(set, &termios.to_bytes()[..]).await.unwrap();
    }
    pub async fn control(&mut self, at: TerminalHandle, request: PairRequest, value: u32) -> Result<u32, Errno> {
        self.calls.call(ControlPair { at, request, value }, ()).await
    }
    pub async fn events(&mut self, at: TerminalHandle, slot: u16) -> u32 {
        let events = READABLE | WRITABLE | PRIORITY;
        self.calls.call(PollSide { at, events, slot, seen: 0 }, ()).await.unwrap().events
    }
    pub async fn drop_side(&mut self, at: TerminalHandle) -> Result<KeyboardSignal, Errno> {
        self.calls.call(DropSide { at }, ()).await
    }
    pub async fn jobs(&mut self, group: u32, session: u32) {
        self.calls.call(ChangeJobs { at: self.slave, group, session }, ()).await.unwrap();
    }
}

impl Rig {
    pub fn run<F: Future<Output = ()> + 'static>(&self, body: impl FnOnce(Pair) -> F + 'static) {
        let (server, ran) = (self.server, Rc::new(Cell::new(false)));
        let end = ran.clone();
        self.board.client(move |me| async move {
            body(Pair::open(Client::new(&me, server)).await).await;
            end.set(true);
        });
        self.board.run();
        assert!(ran.get(), "nothing here waits");
    }
}
