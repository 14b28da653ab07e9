//! What page frames are used for, told in a word each that several cores change at once.
//!
//! Invariant: content is reached by those alone whose [`Exclusive`] or [`Shared`] the frame's [`FrameState`] allows; all
//! `unsafe` is in `borrow.rs`. Not here: where frames and tables are (`arch-aarch64`), what a frame is wanted for (processes). Decision
//! 0087; every interleaving of `state.rs`, and of mistakes in it, is searched by `tools/races`.
#![no_std]

mod borrow;
mod guarded;
mod state;

pub use borrow::{Exclusive, Shared};
pub use guarded::Guarded;
pub use state::{FrameState, Kind, Refused, Use, wait};
