//! Signals: actions, delivery, the frame of a handler, and their calls.

pub(crate) mod actions;
pub(crate) mod delivery;
pub(crate) mod frame;
pub(crate) mod signal_calls;
pub(crate) mod signal_files;
