//! What a board sees of the emulator, without QEMU in it: the page of registers with the link device behind it, its
//! pins, and the messages between the plugin in a board's QEMU and the coordinator.
//!
//! Invariant: nothing here reads a clock or draws a number; every time is an argument, in nanoseconds of virtual time.
//!
//! Not here: how the page gets into QEMU (`renga-emu-plugin`), when frames travel (`renga_emu::bus`), which board may
//! run until when (`renga_emu`).
#![forbid(unsafe_code)]

pub mod card_fault;
pub mod link;
pub mod machine;
pub mod messages;
pub mod pins;
pub mod power_block;
pub mod registers;
pub mod slow_card;

pub use link::{EmulatedLink, LinkEffect};
pub use machine::EmulatedMachine;
pub use messages::{BarrierReport, BoardOrder, BoardRecord, Grant, MessageError, PinWiring, PluginHello, Welcome};
pub use pins::{PinBlock, PinDrive};
pub use power_block::PowerBlock;
