//! The session with one other board: hellos, the window of frames, and for how long to wait.

pub(crate) mod link_session;
#[cfg(feature = "model")]
pub(crate) mod search_state;
pub(crate) mod timing;
pub(crate) mod window;
