//! Writing to cards, and to nothing else: every refusal on a composed `/sys` and `/proc`, every failure on a medium
//! that fails on purpose, and the command itself on loop devices where this machine has them.
//!
//! Not here: what is on a card (`tools/image/src/card/tests.rs`). No card reader has been used.

mod cluster;
mod command;
mod composed_host;
mod confirmation;
mod eject;
mod images;
mod loop_device;
mod media;
mod ordinary_file;
mod refusals;
mod sound_card;
mod statuses;
mod terminal;
mod zeros;
