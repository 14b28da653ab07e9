//! The process that owns a board's page frames.
//!
//! Invariant: a wrong frame number is the caller's bug and is refused with `EINVAL` and a log line.
//! Every step is bounded by the page that a list fits in. Not here: the frames' state (`frames.rs`).

use crate::frame_counts::FrameCounts;
use crate::frame_list::frames_in;
use crate::frames::Frames;
use renga_abi::Errno;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{Memory, MemoryCall, RefillFrames};
use renga_rt::{Call, Me, Never, Notifier, Port, Probe};

renga_rt::probe! {
    /// How many frames are free when a call has been served.
    FreeFrameCount = "free-frames" [4];
}

/// Serves the frames of `memory`; `counts` has a word for each. `reclaimer`: who gives frames back when few
/// are free; woken once, and again after there were enough.
pub async fn memory<M: UserMemory + 'static>(
    me: Me,
    mut port: Port<Memory>,
    counts: &'static FrameCounts,
    memory: &'static M,
    reclaimer: Option<Notifier>,
) -> Never {
    let mut frames = Frames::new(counts, memory);
    let mut scarce = false;
    loop {
        serve(&me, &mut frames, memory, port.accept().await);
        let facts = frames.facts();
        FreeFrameCount::mark([facts.free.into()]);
        let was_scarce = core::mem::replace(&mut scarce, facts.free < facts.low_mark());
        if scarce
            && !was_scarce
            && let Some(reclaimer) = reclaimer
        {
            reclaimer.notify();
        }
    }
}

fn serve<M: UserMemory>(me: &Me, frames: &mut Frames<M>, memory: &M, call: MemoryCall) {
    match call {
        MemoryCall::AllocateFrame(call) => call.reply(frames.take_zeroed().map(|frame| frame.0)),
        MemoryCall::StorePage(mut call) => {
            let (board, at) = (call.board(), usize::from(call.entry().at));
            let stored = frames.take_for(board).map(|frame| fill(memory, frame, at, call.lent()));
            call.reply(stored.map(|frame| frame.0));
        }
        MemoryCall::ShareFrames(mut call) => {
            let shared = match call.board() == me.id().board.0 {
                true => share_all(frames, call.lent()),
                false => Err((Frame(u32::MAX), Errno::EINVAL)),
            };
            call.reply(logged(me, shared));
        }
        MemoryCall::FreeFrames(mut call) => {
            let freed = free_all(me, frames, call.board(), call.lent());
            call.reply(logged(me, freed));
        }
        MemoryCall::FreeFrame(call) => {
            let freed = free_all(me, frames, call.board(), &Frame(call.entry().frame).listed());
            call.reply(logged(me, freed));
        }
        MemoryCall::ShareFrame(call) => {
            let frame = Frame(call.entry().frame);
            call.reply(logged(me, frames.share_one(frame).map_err(|errno| (frame, errno))));
        }
        MemoryCall::TakeStored(call) => {
            let (frame, board) = (Frame(call.entry().frame), call.entry().board);
            call.reply(logged(me, frames.take_stored(frame, board).map_err(|errno| (frame, errno))));
        }
        MemoryCall::MemoryStatus(call) => call.reply(Ok(frames.facts())),
        MemoryCall::BoardDied(call) => {
            frames.drop_board(call.entry().board);
            call.reply(Ok(()));
        }
        MemoryCall::RefillFrames(call) => refill(me, frames, call),
        MemoryCall::MakePrivate(call) => {
            let frame = Frame(call.entry().frame);
            let private = frames.make_private(frame).map(|frame| frame.0).map_err(|errno| (frame, errno));
            call.reply(logged(me, private));
        }
    }
}

/// The result for the caller; a frame that is not its own leaves a line in the log.
fn logged<T>(me: &Me, result: Result<T, (Frame, Errno)>) -> Result<T, Errno> {
    result.map_err(|(frame, errno)| {
        if errno == Errno::EINVAL {
            me.log("refused a frame that is free or does not exist: frame, errno", [frame.0.into(), errno.0.into()]);
        }
        errno
    })
}

/// What is behind the page's end is left out.
fn fill<M: UserMemory>(memory: &M, frame: Frame, at: usize, bytes: &[u8]) -> Frame {
    let start = at.min(PAGE_BYTES);
    let length = bytes.len().min(PAGE_BYTES - start);
    let mut page = memory.page(frame);
    page[..start].fill(0);
    page[start..start + length].copy_from_slice(&bytes[..length]);
    page[start + length..].fill(0);
    frame
}

fn share_all<M: UserMemory>(frames: &mut Frames<M>, list: &[u8]) -> Result<(), (Frame, Errno)> {
    for (index, frame) in frames_in(list).enumerate() {
        if let Err(errno) = frames.share(frame) {
            for shared in frames_in(list).take(index) {
                let _ = frames.release(shared); // just shared
            }
            return Err((frame, errno));
        }
    }
    Ok(())
}

/// All that can be; the first that cannot. Another board's process may free what its board has stored, and nothing
/// else.
fn free_all<M: UserMemory>(me: &Me, frames: &mut Frames<M>, board: u8, list: &[u8]) -> Result<(), (Frame, Errno)> {
    let (mut result, is_ours) = (Ok(()), board == me.id().board.0);
    for frame in frames_in(list) {
        let freed = if is_ours { frames.release(frame) } else { frames.release_stored(frame, board) };
        if let Err(errno) = freed {
            result = result.and(Err((frame, errno)));
        }
    }
    result
}

/// See `RefillFrames`.
fn refill<M: UserMemory>(me: &Me, frames: &mut Frames<M>, mut call: Call<RefillFrames>) {
    let (board, RefillFrames { given, wanted }) = (call.board(), call.entry());
    let list = call.lent();
    let freed = free_all(me, frames, board, &list[..list.len().min(given as usize * size_of::<Frame>())]);
    let places = list.as_chunks_mut::<4>().0;
    let spare = frames.spare().min(places.len()).min(wanted as usize);
    for place in &mut places[..spare] {
        if let Ok(frame) = frames.take() {
            *place = frame.listed();
        }
    }
    let _ = logged(me, freed);
    call.reply(if spare > 0 { Ok(spare as u32) } else { Err(Errno::ENOMEM) });
}
