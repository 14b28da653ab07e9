//! What a rendezvous between two cores costs, in instructions: what each of them does for it, one after the other on
//! this core.
//!
//! Invariant: what a core does for a call is the same wherever it runs, so the sum is what both do together. Not here:
//! the registers of an IPI, and how long a core that sleeps takes to wake.

use super::{Null, ROUNDS, Spread, begin, null, server, ticks};
use crate::hardware;
use core::fmt::Write;
use renga_core::CoreEndpoint;
use renga_core::{Address, Arena, Client, Core, Process, Protocol};
use renga_rt::ProcId;
use renga_sync::Ipi;

/// Sends nothing: both cores are this one.
struct NoIpi;
impl Ipi for NoIpi {
    fn send(&self) {}
    fn acknowledge(&self) {}
    fn wait(&self) {}
}

/// The caller's core and the server's.
#[derive(Clone, Copy)]
pub struct CorePair {
    home: &'static Core,
    far: &'static Core,
}

impl CorePair {
    /// Two cores: one has a server, the other a process that calls it without end.
    pub fn make(arena: &'static Arena) -> CorePair {
        let endpoints: &'static [CoreEndpoint] = arena.put_slice(2, |_| CoreEndpoint::new(&NoIpi));
        let core = |number| {
            let core = arena.put(|| Core::with_clock(|_| hardware::now_ns()));
            core.set_endpoints(number, endpoints);
            &*core
        };
        let (home, far) = (core(0), core(1));
        let server = server(far, arena, |_, port| null(port));
        server.enable_remote_calls(arena);
        let gate = Address::new(server.handle_on(home, arena, Null::ENTRIES));
        let caller: &'static Process = arena.put(|| Process::new(home, 1, ProcId::default()));
        caller.enable_remote_calls(arena);
        begin(caller, arena, |me| async move {
            let mut client = Client::<Null>::new(&me, gate);
            loop {
                let _ = client.call(super::Nothing {}, ()).await;
            }
        });
        CorePair { home, far }
    }

    /// Prints what a round slice takes on the server's core, on the caller's, and on both. By itself: inside its caller
    /// it would change what is measured there.
    #[inline(never)]
    pub fn measure(self, out: &mut impl Write, cost: u64) {
        let CorePair { home, far } = self;
        let dispatch = |core: &Core| while core.dispatch_by(hardware::now_ns) {};
        dispatch(far);
        dispatch(home);
        let [there, here, both] = [const { Spread::new() }; 3];
        for asleep in [false, true] {
            let step = |core: &Core| {
                if asleep {
                    core.resume_polling();
                }
                core.drain_mailbox();
                dispatch(core);
                if asleep {
                    core.stop_polling();
                }
            };
            for _ in 0..ROUNDS {
                let start = ticks();
                step(far);
                let between = ticks();
                step(home);
                let end = ticks();
                there.add(between - start - cost);
                here.add(end - between - cost);
                both.add(end - start - 2 * cost);
            }
            let [whole, serve, call] = if asleep {
                ["cores-asleep", "cores-asleep-server", "cores-asleep-caller"]
            } else {
                ["cores-busy", "cores-busy-server", "cores-busy-caller"]
            };
            both.take_line(out, whole);
            there.take_line(out, serve);
            here.take_line(out, call);
        }
    }
}
