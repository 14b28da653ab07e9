//! The lowest layer: data, and what needs nothing else of the kernel; the layers above operate on it.

pub(crate) mod arena;
#[cfg(feature = "host")]
pub mod events;
pub mod probe;
#[cfg(feature = "host")]
pub(crate) mod recorder;
pub mod state;
pub(crate) mod views;
pub(crate) mod wait;
