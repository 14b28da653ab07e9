//! The table of pipe processes of one board.
//!
//! Invariant: that of [`FreeList`].

use renga_proto::slots::{PipeTable, PipeTableCall};
use renga_rt::{Errno, FreeList, Never, Port};

/// Serves as many pipes as there are `places`.
pub async fn pipe_table(mut port: Port<PipeTable>, places: &'static mut [u16]) -> Never {
    let mut pipes = FreeList::new(places);
    loop {
        match port.accept().await {
            PipeTableCall::TakePipe(call) => call.reply(pipes.take().ok_or(Errno::ENFILE)),
            PipeTableCall::FreePipe(call) => {
                let held = pipes.give_back(call.entry().pipe);
                call.reply(if held { Ok(()) } else { Err(Errno::EINVAL) });
            }
        }
    }
}
