//! The process that frees frames is woken when few are free: once, and again after there were enough.

use renga_hal_host::HostMemory;
use renga_proto::memory::{AllocateFrame, FreeFrame, Memory};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Notifier};
use std::cell::Cell;
use std::rc::Rc;

/// Frames of the board, and how many of them may be free before the reclaimer is woken.
const FRAMES: u32 = 64;
const FREE_MIN: u32 = 2;

#[test]
fn low_mark_wakes_reclaimer_once_per_shortage() {
    let board = HostBoard::new(0, 1 << 16);
    let machine: &'static HostMemory = Box::leak(Box::new(HostMemory::new(FRAMES)));
    let counts = renga_memory::FrameCounts::new(board.arena, FRAMES as usize);
    let woken = Rc::new(Cell::new(0));
    let counted = woken.clone();
    let reclaimer = board.spawn(|mut me| async move {
        loop {
            me.notified().await;
            counted.set(counted.get() + 1);
        }
    });
    let memory: Address<Memory> =
        board.server(|me, port| renga_memory::memory(me, port, counts, machine, Some(Notifier::new(reclaimer))));
    let seen = woken.clone();
    board.client(|mut me| async move {
        let mut memory = Client::new(&me, memory);
        for times in 1..=3 {
            let mut taken = Vec::new();
            for _ in FREE_MIN..FRAMES {
                taken.push(memory.call(AllocateFrame {}, ()).await.unwrap());
            }
            me.yield_now().await;
            assert_eq!(seen.get(), times - 1, "as many are free as have to be");
            for _ in 0..FREE_MIN {
                taken.push(memory.call(AllocateFrame {}, ()).await.unwrap());
                me.yield_now().await;
                assert_eq!(seen.get(), times, "woken once");
            }
            for frame in taken {
                memory.call(FreeFrame { frame }, ()).await.unwrap();
            }
        }
    });
    board.run();
    assert_eq!(woken.get(), 3);
}
