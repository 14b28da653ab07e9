//! What a person at a running session may ask for: how busy the boards are, and a trace from now on.
//!
//! The kernels' probes report to this from the session's start, so that `top` counts since the last `top`, and a trace
//! that begins in the middle begins with how things stand. The run is the same with and without. Not here: what the
//! orders look like (`escape`), what `top` prints (`top_report`).

use crate::top_report;
use crate::trace::{EventDecoder, TraceOutput, frame_event, header};
use anyhow::{Result, bail};
use renga_emu::FrameEvent;
use renga_emu_probes::Hit;
use renga_images::system::SystemFile;
use renga_profile::Profile;
use renga_trace::figures::TraceFigures;
use renga_trace::meter::Meter;
use renga_trace::snapshot::TraceSnapshot;
use renga_trace::{Timed, TraceEvent};
use std::path::{Path, PathBuf};

/// What a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservationOrder {
    /// Print what happened since the last time.
    Top,
    /// Write a trace into this file.
    TraceOn(PathBuf),
    /// End it.
    TraceOff,
}

/// The events of a session, added up.
pub struct Observation {
    decoder: EventDecoder,
    meter: Meter,
    snapshot: TraceSnapshot,
    /// As of the last `top`.
    last: TraceFigures,
    trace: Option<(PathBuf, TraceOutput)>,
}

impl Observation {
    /// Of boards of this profile that run the kernel with this ELF file.
    ///
    /// # Errors
    /// If the kernel's probes cannot be listed.
    pub fn new((system, profile): (&SystemFile, &Profile), elf: &Path) -> Result<Observation> {
        Ok(Observation {
            decoder: EventDecoder::new(elf)?,
            meter: Meter::new(header(system, profile)),
            snapshot: TraceSnapshot::default(),
            last: TraceFigures::default(),
            trace: None,
        })
    }

    fn take(&mut self, event: &Timed) {
        self.meter.take(event);
        self.snapshot.take(event);
        if let Some((_, trace)) = &mut self.trace {
            trace.write(event);
        }
    }

    /// A board reached a probe.
    pub fn probe(&mut self, board: u8, hit: &Hit) {
        if let Some(event) = self.decoder.probe(board, hit) {
            self.take(&event);
        }
    }

    /// A board was started again.
    pub fn started(&mut self, board: u8, time_ns: u64) {
        self.take(&Timed { time_ns, board, core: 0, event: TraceEvent::Started });
    }

    /// A board does nothing more.
    pub fn stopped(&mut self, board: u8, time_ns: u64) {
        self.take(&Timed { time_ns, board, core: 0, event: TraceEvent::Stopped });
    }

    /// A frame took the wire.
    pub fn frame(&mut self, frame: &FrameEvent) {
        let event = frame_event(frame);
        self.take(&Timed { event: TraceEvent::Token {}, ..event });
        self.take(&event);
    }

    /// Carries an order out at `time_ns`, before which no event follows; what to print.
    ///
    /// # Errors
    /// If a trace cannot be written, or is in the wrong state for that.
    pub fn obey(&mut self, time_ns: u64, order: &ObservationOrder) -> Result<String> {
        self.meter.pass_until(time_ns);
        let time_ns = time_ns.max(self.meter.time_ns());
        match order {
            ObservationOrder::Top => {
                let figures = self.meter.figures();
                let since = figures.since(&self.last);
                self.last = figures;
                Ok(top_report::text(self.meter.header(), &since))
            }
            ObservationOrder::TraceOn(path) => {
                if let Some((path, _)) = &self.trace {
                    bail!("{} is being written: `trace off` ends it", path.display());
                }
                let mut trace = TraceOutput::create(path, self.meter.header())?;
                self.snapshot.events(time_ns).iter().for_each(|event| trace.write(event));
                self.trace = Some((path.clone(), trace));
                Ok(format!("renga: what happens is written into {} until `trace off`", path.display()))
            }
            ObservationOrder::TraceOff => match self.trace.take() {
                Some((path, trace)) => {
                    trace.finish()?;
                    Ok(format!("renga: `renga view {}` shows the trace", path.display()))
                }
                None => bail!("no trace is being written: `trace on FILE` begins one"),
            },
        }
    }

    /// Makes sure that all of a trace is in its file.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn finish(self) -> Result<()> {
        self.trace.map_or(Ok(()), |(_, trace)| trace.finish())
    }
}
