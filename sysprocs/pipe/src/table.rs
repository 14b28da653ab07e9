//! The table of pipe processes of one board.
//!
//! Invariants: that of [`FreeList`]; no more than half of the pipes are fifos, which all boards open here, so that however many
//! those open, programs of this board have pipes.

use renga_proto::slots::{PipeTable, PipeTableCall};
use renga_rt::{Errno, FreeList, Never, Port};

/// Pipes of which it is noted whether they are fifos; others are for programs of this board only.
const NOTED: usize = 4096;

/// Which pipes are fifos.
struct Fifos {
    noted: [u64; NOTED / 64],
    count: usize,
}

impl Fifos {
    fn set(&mut self, pipe: u16, is_fifo: bool) {
        let Some(word) = self.noted.get_mut(usize::from(pipe) / 64) else { return };
        let bit = 1 << (pipe % 64);
        let was = *word & bit != 0;
        *word = if is_fifo { *word | bit } else { *word & !bit };
        self.count = self.count + usize::from(is_fifo) - usize::from(was);
    }
}

/// Serves as many pipes as there are `places`.
pub async fn pipe_table(mut port: Port<PipeTable>, places: &'static mut [u16]) -> Never {
    let fifos_max = (places.len() / 2).clamp(1, NOTED);
    let (mut pipes, mut fifos) = (FreeList::new(places), Fifos { noted: [0; NOTED / 64], count: 0 });
    loop {
        match port.accept().await {
            PipeTableCall::TakePipe(call) => call.reply(pipes.take().ok_or(Errno::ENFILE)),
            PipeTableCall::TakeFifo(call) => {
                let taken = if fifos.count < fifos_max { pipes.take() } else { None };
                taken.into_iter().for_each(|pipe| fifos.set(pipe, true));
                call.reply(taken.ok_or(Errno::ENFILE));
            }
            PipeTableCall::FreePipe(call) => {
                let pipe = call.entry().pipe;
                let held = pipes.give_back(pipe);
                if held {
                    fifos.set(pipe, false);
                }
                call.reply(if held { Ok(()) } else { Err(Errno::EINVAL) });
            }
        }
    }
}
