//! Where trace events leave the board: the emulator's trace register, which adds nothing to them.
//!
//! Invariant: the ring is emptied after each dispatch, which makes fewer events than it holds; what
//! it lost all the same is told once. Not here: what an event means on the host.

use crate::hardware::EmulatorPage;
use renga_core::trace::TraceRing;

/// The port; none without an emulator, or when nobody listens.
pub struct TracePort {
    link: Option<EmulatorPage>,
    lost_told: bool,
}

impl TracePort {
    /// A port on `link`, if the emulator wants events.
    pub fn new(link: Option<EmulatorPage>) -> Self {
        TracePort { link: link.filter(EmulatorPage::tracing), lost_told: false }
    }

    /// Sends all events of the ring.
    #[inline(always)]
    pub fn drain(&mut self, ring: &TraceRing) {
        if TraceRing::ON {
            self.send(ring);
        }
    }

    fn send(&mut self, ring: &TraceRing) {
        while let Some((time_ns, words)) = ring.pop() {
            if let Some(link) = &mut self.link {
                link.trace(&[time_ns as u32, (time_ns >> 32) as u32, words[0], words[1], words[2]]);
            }
        }
        if ring.lost() > 0 && !core::mem::replace(&mut self.lost_told, true) {
            defmt::warn!("the trace lost {=u64} events", ring.lost());
        }
    }
}
