//! Events of a session, for a screen, a trace or a measurement.

use crate::observation::ObservationOrder;
use anyhow::{Result, bail};
use renga_emu::FrameEvent;
use renga_emu_probes::Hit;

/// Who hears what happens.
pub trait Listener {
    /// A board wrote on its console.
    fn console(&mut self, board: u8, time_ns: u64, bytes: &[u8]);
    /// A board logged a line.
    fn log(&mut self, line: &str);
    /// A board reached a probe.
    fn probe(&mut self, _board: u8, _hit: &Hit) {}
    /// A board was started again at this time, and its clock with it.
    fn started(&mut self, _board: u8, _time_ns: u64) {}
    /// A board does nothing more, until it is started again.
    fn stopped(&mut self, _board: u8, _time_ns: u64) {}
    /// Something happened to a board; a line for the person.
    fn news(&mut self, _line: &str) {}
    /// A person asks for this; no event from before `time_ns` follows. What to print.
    ///
    /// # Errors
    /// If it cannot be done.
    fn observe(&mut self, _time_ns: u64, _order: &ObservationOrder) -> Result<String> {
        bail!("this run is not observed");
    }
    /// A frame crossed the link.
    fn frame(&mut self, frame: &FrameEvent);
}
