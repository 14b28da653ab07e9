//! The server of futexes: a method for each entry.
//!
//! Invariant: no entry waits, and no server is called; who is woken is noted for the board's waker. The caller's board
//! names the programs and the spaces: no board speaks for another's.

use crate::queue::{FutexWait, WaitQueue};
use renga_proto::futex::{ANY_BITS, BoardDied, Futexes, FutexesServer, JoinQueue, MoveWaiters, WakeFutex, WasWoken};
use renga_rt::{Call, Errno, Never, Port, Waiters, Wakes};

struct FutexState {
    queue: WaitQueue,
    /// Who is woken by the present call.
    woken: Waiters,
    wakes: &'static Wakes,
}

/// Keeps who waits, of at most as many programs as there are `places`.
pub async fn futexes(mut port: Port<Futexes>, places: &'static mut [FutexWait], wakes: &'static Wakes) -> Never {
    let mut state = FutexState { queue: WaitQueue::new(places), woken: Waiters::NONE, wakes };
    loop {
        port.accept().await.serve(&mut state).await;
    }
}

impl FutexesServer for FutexState {
    async fn join_queue(&mut self, call: &mut Call<JoinQueue>) -> Result<(), Errno> {
        let JoinQueue { key, bits, slot } = call.entry();
        if bits == 0 {
            return Err(Errno::EINVAL);
        }
        self.queue.join((call.board(), slot), key, bits)
    }

    async fn was_woken(&mut self, call: &mut Call<WasWoken>) -> Result<bool, Errno> {
        let WasWoken { slot, leaves } = call.entry();
        Ok(self.queue.was_woken((call.board(), slot), leaves))
    }

    async fn wake_futex(&mut self, call: &mut Call<WakeFutex>) -> Result<u32, Errno> {
        let WakeFutex { key, bits, count } = call.entry();
        let woken = self.queue.wake(call.board(), key, bits, count, &mut self.woken);
        self.wakes.wake(&mut self.woken);
        Ok(woken)
    }

    async fn move_waiters(&mut self, call: &mut Call<MoveWaiters>) -> Result<u32, Errno> {
        let MoveWaiters { key, offset, count, moves } = call.entry();
        let woken = self.queue.wake(call.board(), key, ANY_BITS, count, &mut self.woken);
        self.wakes.wake(&mut self.woken);
        Ok(woken + self.queue.move_to(call.board(), key, key.at(offset), moves))
    }

    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        self.queue.drop_board(call.entry().board);
        Ok(())
    }
}
