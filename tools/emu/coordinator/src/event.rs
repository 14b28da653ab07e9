//! Events that a cluster reports to its user.

use crate::power::{BoardStatus, PowerChange};
use renga_emu_device::registers::BROADCAST;
use renga_emu_probes::Hit;
use std::fmt;

/// Something that happened; events come in the order of virtual time.
#[derive(Clone, Debug, PartialEq)]
pub enum ClusterEvent {
    /// A board wrote to its console (PL011): a line at most.
    Console {
        /// Which board.
        board: u8,
        /// When the first of these bytes was written, ns.
        time_ns: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A board wrote to its log (mini UART): a line at most.
    Log {
        /// Which board.
        board: u8,
        /// When the first of these bytes was written, ns.
        time_ns: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A board reached a probe, at the hit's time; only with `probes`.
    Probe {
        /// Which board.
        board: u8,
        /// Which probe, and its operands.
        hit: Hit,
    },
    /// A frame took the wire; only with `frames`.
    Frame(FrameEvent),
    /// A board ended.
    BoardExited {
        /// Which board.
        board: u8,
        /// With this status.
        status: u8,
        /// When, ns.
        time_ns: u64,
    },
    /// A board's watchdog reset it; it starts again in a while. Only of boards without the emulator's device.
    BoardReset {
        /// Which board.
        board: u8,
        /// The partition that it named, or 0.
        partition: u8,
        /// When, ns.
        time_ns: u64,
    },
    /// Something happened to a board from outside.
    Power {
        /// Which board.
        board: u8,
        /// When, ns.
        time_ns: u64,
        /// What.
        change: PowerChange,
        /// How often it has been started by now.
        starts: u32,
    },
    /// A board's QEMU died by itself; it will be started again. (Without [`crate::ClusterConfig::revive_ns`] that is an
    /// error instead.)
    BoardCrashed {
        /// Which board.
        board: u8,
        /// When it was heard of last, ns.
        time_ns: u64,
        /// How its process ended.
        status: String,
    },
    /// The host refused a transfer of the file of a board's card, for the first time since the board was started: the
    /// board sees a card that fails.
    CardFailed {
        /// Which board.
        board: u8,
        /// When, ns.
        time_ns: u64,
    },
    /// The boards' status, as requested.
    Status {
        /// When, ns.
        time_ns: u64,
        /// Per board.
        boards: Vec<BoardStatus>,
    },
    /// A line that another thread gave [`crate::InputSender::relay`]: events before that time have been returned, and
    /// none follows.
    Relayed {
        /// When, ns.
        time_ns: u64,
        /// What.
        line: String,
    },
    /// Two boards began to drive a line of the pins to different levels: on wires, a short circuit.
    Fight(Fight),
    /// Every board waits, no timer runs, nothing is on the link and no input is due. Input lets the cluster go on;
    /// without it, the next event is `Finished`.
    Deadlock {
        /// When, ns.
        time_ns: u64,
    },
    /// The last event.
    Finished(Stats),
}

/// A frame on the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameEvent {
    /// The sender.
    pub source: u8,
    /// The receiver; [`BROADCAST`]: all.
    pub destination: u8,
    /// When it was sent, ns.
    pub sent_ns: u64,
    /// How long it waited for the token, ns.
    pub token_wait_ns: u64,
    /// How long it was on the wire, ns.
    pub wire_ns: u64,
    /// When it arrived, ns.
    pub delivered_ns: u64,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl FrameEvent {
    /// When it took the wire, ns: its place among the events.
    pub fn start_ns(&self) -> u64 {
        self.sent_ns + self.token_wait_ns
    }

    /// Whether it is for every board.
    pub fn is_broadcast(&self) -> bool {
        self.destination == BROADCAST || self.destination == u8::MAX
    }
}

/// Two boards that drive a line to different levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fight {
    /// The line, as the first board has it.
    pub line: String,
    /// The two boards of the session.
    pub boards: [u8; 2],
    /// When, ns.
    pub time_ns: u64,
}

impl fmt::Display for Fight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fight { line, boards: [first, second], time_ns } = self;
        write!(f, "boards {first} and {second} drive line {line} to different levels at {time_ns} ns")
    }
}

/// The whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Virtual time at the end, ns.
    pub virtual_ns: u64,
    /// A person left the run, now or when it was recorded ([`crate::EmulatedCluster::leave`]).
    pub left: bool,
    /// Times that boards were let go.
    pub rounds: u64,
    /// Quanta of single boards.
    pub grants: u64,
    /// Frames that took the wire.
    pub frames: u64,
    /// Of those, hit by [`crate::FaultConfig`].
    pub faults: u64,
    /// Changes of pins.
    pub pin_changes: u64,
    /// Frames lost at boards whose queues were full.
    pub overruns: u64,
    /// Instructions that all boards executed; where boards were stopped from outside, a few more or less.
    pub instructions: u64,
    /// The slice of boards with several cores, ns, if there are such boards.
    pub slice_ns: Option<u64>,
    /// Time of the host, s.
    pub host_s: f64,
    /// Over every byte of every console, with board and time.
    pub console_hash: u64,
    /// Over every byte of every log, with board and time.
    pub log_hash: u64,
    /// Over every frame, with all its times.
    pub frame_hash: u64,
    /// Probes that boards reached; 0 without `probes`.
    pub hits: u64,
    /// Over each of them, with board and time.
    pub probe_hash: u64,
    /// Over every change of pins, with board and time.
    pub pin_hash: u64,
}
