//! Systems: the kinds of process that there are, and the form in which a placement reaches a board.
//!
//! The placement files (`*.toml`) stand beside this crate's sources; the placement tool checks them
//! against [`facts`] and writes them as a [`tables::System`], which the image is built with.
//!
//! Not here: the rules of placement (`tools/placement`), the processes themselves.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "facts")]
extern crate std;

#[cfg(feature = "facts")]
pub mod facts;
pub mod kind;
pub mod tables;

pub use kind::Kind;
