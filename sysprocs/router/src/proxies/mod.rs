//! Processes that make the calls of other boards here, and the shares of those on other boards.

pub(crate) mod mailbox;
pub(crate) mod pool;
pub(crate) mod proxy;
