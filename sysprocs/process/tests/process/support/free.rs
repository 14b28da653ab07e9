//! What the boards of a test have free.

use super::System;
use renga_core::Process;
use renga_proto::memory::{Memory, MemoryStatus};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client};
use std::cell::Cell;
use std::rc::Rc;

impl System {
    /// How many page frames each board has free.
    pub fn free_frames(&self) -> Vec<u32> {
        let ask = |(board, &memory): (&HostBoard, &&'static Process)| {
            let free = Rc::new(Cell::new(0));
            let answer = free.clone();
            board.client(move |me| async move {
                let facts = Client::new(&me, Address::<Memory>::new(memory)).call(MemoryStatus {}, ()).await;
                answer.set(facts.map_or(0, |facts| facts.free));
            });
            board.run();
            free.get()
        };
        self.boards.iter().zip(&self.memories).map(ask).collect()
    }
}
