//! What the scenarios share: seeds, servers that answer, ask on and pass on.

use renga_abi::Errno;
use renga_core::interleaved::{Choose, Cores};
use renga_core::{Address, Client, Forward, Port, protocol};
use renga_random::Random;
use std::cell::RefCell;
use std::convert::Infallible as Never;
use std::rc::Rc;

protocol! {
    /// A server for tests.
    pub Null = 1, NullCall {
        /// Adds.
        0 Add { a: u64, b: u64 } (()) -> Result<u64, Errno>;
        /// Copies given to taken, and says how much.
        1 Copy {} ((&'a [u8], &'a mut [u8])) -> Result<u64, Errno>;
        /// Waits for another call, or an interruption.
        2 Park { key: u64 } (()) -> Result<u64, Errno> [defers];
    }
}

/// Interleavings of each scenario.
pub const SEEDS: u64 = 400;
/// Calls of a client.
pub const ROUNDS: u64 = 12;

/// Plays `scenario` on 2 to 4 cores in many interleavings.
pub fn each_seed(scenario: impl Fn(&Cores, usize, &dyn Fn())) {
    for seed in 0..SEEDS {
        let count = 2 + (seed % 3) as usize;
        let cores = Cores::new(0, count, 1 << 16);
        let choose = choices(seed);
        scenario(&cores, count, &|| cores.run(&choose));
    }
}

pub fn choices(seed: u64) -> Choose {
    let random = RefCell::new(Random::new(seed));
    Rc::new(move |limit| random.borrow_mut().below(limit))
}

pub fn shared<T: Default>() -> Rc<RefCell<T>> {
    Rc::default()
}

pub async fn answer(mut port: Port<Null>) -> Never {
    loop {
        match port.accept_only(Add::BIT | Copy::BIT).await {
            NullCall::Add(call) => {
                let Add { a, b } = call.entry();
                call.reply(Ok(a + b));
            }
            NullCall::Copy(mut call) => {
                let (given, taken) = call.lent();
                taken[..given.len()].copy_from_slice(given);
                let count = given.len() as u64;
                call.reply(Ok(count));
            }
            NullCall::Park(_) => unreachable!("the entry is closed"),
        }
    }
}

/// Forwards each call as one of its own, with the same slices.
pub async fn relay(mut port: Port<Null>, mut next: Client<Null>) -> Never {
    loop {
        match port.accept_only(Add::BIT | Copy::BIT).await {
            NullCall::Add(call) => {
                let sum = next.call(call.entry(), ()).await;
                call.reply(sum);
            }
            NullCall::Copy(mut call) => {
                let count = next.call(call.entry(), call.lent()).await;
                call.reply(count);
            }
            NullCall::Park(_) => unreachable!("the entry is closed"),
        }
    }
}

/// Passes each call on.
pub async fn pass_on(mut port: Port<Null>, next: Address<Null>) -> Never {
    let next = Forward::new(next);
    loop {
        port.accept().await.pass_on(&next);
    }
}

/// A server on `core` that passes on to `next`, which is on any.
pub fn passing(cores: &Cores, core: usize, next: Address<Null>) -> Address<Null> {
    let next = cores.address(core, next);
    cores.on(core).server(move |_, port| pass_on(port, next))
}
