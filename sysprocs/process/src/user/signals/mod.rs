//! Signals: delivery, the frame of a handler, and their calls.

pub(crate) mod delivery;
pub(crate) mod frame;
pub(crate) mod signal_calls;
