//! What a program's future and the player hand each other.
//!
//! Invariant: at most one request is under way, and its answer is there before the future is polled
//! again. Not here: what a request leads to (`player.rs`).

use super::elf::{DATA, FRAME_BYTES};
use renga_abi::Errno;
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

/// What a program does; its result is its exit status.
pub type ProgramRun = Pin<Box<dyn Future<Output = u8>>>;
/// Makes a program's run, as often as it is executed.
pub type ProgramBody = Rc<dyn Fn(SimProgram) -> ProgramRun>;
/// Makes the run of a forked child, once.
pub type Child = Box<dyn FnOnce(SimProgram) -> ProgramRun>;
/// A system call: its number and arguments.
pub type ProgramCall = (u64, [u64; 6]);

/// What a program wants next.
pub enum ProgramRequest {
    /// A system call.
    Call(ProgramCall),
    /// A system call of which the child, where it returns 0, goes on as said.
    Fork(ProgramCall, Child),
    /// To read so many bytes of its memory.
    Load(u64, usize),
    /// To write its memory.
    Store(u64, Vec<u8>),
    /// To run this when the signal comes.
    Handle(u8, ProgramBody),
    /// To go on where no code is.
    Jump(u64),
}

/// What it gets.
pub enum ProgramReply {
    /// The result of a call.
    Result(u64),
    /// Bytes of its memory.
    Bytes(Vec<u8>),
    /// It is done.
    Done,
}

#[derive(Default)]
pub struct Exchange {
    pub request: RefCell<Option<ProgramRequest>>,
    pub answer: RefCell<Option<ProgramReply>>,
}

/// A user program, as seen by its own closure. Clones are the same program.
#[derive(Clone)]
pub struct SimProgram {
    pub(super) exchange: Rc<Exchange>,
    /// Where its part of the data is: handlers have their own.
    pub(super) base: u64,
    /// The address of `argc` on its first stack.
    pub(super) stack: u64,
}

/// The result of a system call.
pub fn result(value: u64) -> Result<u64, Errno> {
    const LAST_ERRNO: u64 = 4095;
    match value.wrapping_neg() {
        errno @ 1..=LAST_ERRNO => Err(Errno(errno as u16)),
        _ => Ok(value),
    }
}

impl SimProgram {
    /// One whose data begin with frame `depth`.
    pub(super) fn new(depth: u64, stack: u64) -> SimProgram {
        let base = DATA + depth * FRAME_BYTES;
        SimProgram { exchange: Rc::default(), base, stack }
    }

    /// The address from which on it has memory for what calls take.
    pub fn data(&self) -> u64 {
        self.base
    }

    async fn ask(&self, request: ProgramRequest) -> ProgramReply {
        *self.exchange.request.borrow_mut() = Some(request);
        let answered = |_: &mut std::task::Context<'_>| match self.exchange.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        };
        poll_fn(answered).await
    }

    /// Makes a system call.
    ///
    /// # Errors
    /// Its errno.
    pub async fn call(&self, number: u64, arguments: &[u64]) -> Result<u64, Errno> {
        match self.ask(ProgramRequest::Call((number, six(arguments)))).await {
            ProgramReply::Result(value) => result(value),
            _ => unreachable!("a call has a result"),
        }
    }

    /// Makes a system call after which the process whose result is 0 goes on as `child`.
    ///
    /// # Errors
    /// Its errno.
    pub async fn call_fork<F: Future<Output = u8> + 'static>(
        &self,
        number: u64,
        arguments: &[u64],
        child: impl FnOnce(SimProgram) -> F + 'static,
    ) -> Result<u64, Errno> {
        let child: Child = Box::new(move |program| Box::pin(child(program)));
        match self.ask(ProgramRequest::Fork((number, six(arguments)), child)).await {
            ProgramReply::Result(value) => result(value),
            _ => unreachable!("a call has a result"),
        }
    }

    /// Reads its memory.
    pub async fn load(&self, address: u64, bytes: usize) -> Vec<u8> {
        match self.ask(ProgramRequest::Load(address, bytes)).await {
            ProgramReply::Bytes(bytes) => bytes,
            _ => unreachable!("a load has bytes"),
        }
    }

    /// Writes its memory.
    pub async fn store(&self, address: u64, bytes: &[u8]) {
        self.ask(ProgramRequest::Store(address, bytes.to_vec())).await;
    }

    /// Goes on at `address`, where no code is: never returns.
    pub async fn jump(&self, address: u64) {
        self.ask(ProgramRequest::Jump(address)).await;
    }

    /// Has the player run `handler` when the program is sent where the handler of `signal` is.
    pub(super) async fn handle(&self, signal: u8, handler: ProgramBody) {
        self.ask(ProgramRequest::Handle(signal, handler)).await;
    }
}

fn six(arguments: &[u64]) -> [u64; 6] {
    std::array::from_fn(|index| arguments.get(index).copied().unwrap_or(0))
}
