//! The cluster emulator: one QEMU per board, all in one deterministic virtual time.
//!
//! [`EmulatedCluster::start`] starts the boards; [`EmulatedCluster::next_event`] lets them run and returns events;
//! [`EmulatedCluster::input`] types at a console; [`EmulatedCluster::power`] cuts, hangs and starts boards.
//! `tools/emu/README.md` says how it works and what a board sees of it.
//!
//! Invariant: events come in the order of virtual time, and nothing in them but [`Stats::host_s`], `rounds` and
//! `grants` depends on the host.
//!
//! Not here: what runs inside QEMU (`renga-emu-plugin`), the registers (`renga-emu-device`), what frames contain
//! (`renga-wire`), what the logs mean.
#![forbid(unsafe_code)]

mod board;
pub mod bus;
mod cluster;
mod commands;
mod config;
mod error;
mod event;
pub mod faults;
mod fingerprint;
mod firmware;
mod horizon;
mod liveness;
mod memory_file;
mod pace;
pub mod power;
mod qemu;
mod recording;
mod timeline;
mod wire_fault;
mod wires;

pub use board::BoardState;
pub use bus::BusConfig;
pub use cluster::EmulatedCluster;
pub use commands::InputSender;
pub use config::{BoardConfig, ClusterConfig, RunLimits};
pub use error::EmuError;
pub use event::{ClusterEvent, Fight, FrameEvent, Stats};
pub use faults::FaultConfig;
pub use fingerprint::Fingerprint;
pub use firmware::{FirmwareLoader, Loaded};
pub use liveness::Patience;
pub use power::{BoardStatus, PowerChange, PowerOrder};
pub use qemu::SUPPORTED_QEMU;
pub use recording::{RecordedInput, Recording, RecordingHeader};
pub use renga_emu_device::{EmulatedMachine, card_fault};
pub use wire_fault::EmulatedWireFault;
pub use wires::PinsConfig;
