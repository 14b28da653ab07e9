//! Ranges: of descriptors that are closed together, of a program's pages.

use crate::user::User;
use crate::user::escape::{Escape, Outcome};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_rt::Errno;
use renga_rt::user::AccessKind;

/// Of close_range: the table is one's own anyway; and only mark them for exec.
const CLOSE_RANGE_UNSHARE: u32 = 2;
const CLOSE_RANGE_CLOEXEC: u32 = 4;
const PAGE: u64 = PAGE_BYTES as u64;

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn close_range(&mut self) -> Outcome {
        let (first, last, flags) = (self.int(0), self.int(1), self.int(2));
        if first > last || flags & !(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let mut from = first as usize;
        // Bounded by the descriptors.
        loop {
            let next = self.program.files.iter_from(from).next().map(|(number, closed)| (number, *closed));
            let Some((number, closed)) = next.filter(|&(number, _)| number <= last as usize) else { break };
            from = number + 1;
            if flags & CLOSE_RANGE_CLOEXEC != 0 {
                self.program.files.get_mut(number as u64)?.close_on_exec = true;
                continue;
            }
            let object = self.program.files.remove(number as u64)?;
            self.let_locks_go(&closed).await;
            let _ = self.services.release(object).await; // as on Linux, what closing would say is lost
        }
        Ok(0)
    }

    /// mincore: which pages have a frame that the program can use without a fault.
    pub(in crate::user) async fn which_are_present(&mut self) -> Outcome {
        let (address, length, place) = (self.argument(0), self.argument(1), self.argument(2));
        if !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        let end = address.checked_add(length).ok_or(Errno::ENOMEM)?;
        let (mut at, mut out) = (address, place);
        // Each turn passes a page of answers.
        while at < end {
            if self.is_over_after_page().await {
                return Err(Escape::Restart);
            }
            let pages = (end - at).div_ceil(PAGE).min(PAGE);
            for index in 0..pages {
                let page = at + index * PAGE;
                let Some(space) = &self.space else { unreachable!("a program has a space while it runs") };
                if !space.areas().iter().any(|area| area.start_address() <= page && page < area.end_address()) {
                    return Err(Errno::ENOMEM.into());
                }
                let present = space.present_frame(self.machine, page, AccessKind::Read).is_some();
                self.scratch[index as usize] = u8::from(present);
            }
            self.put_scratch(out, pages as usize).await?;
            (at, out) = (at + pages * PAGE, out.wrapping_add(pages));
        }
        Ok(0)
    }
}
