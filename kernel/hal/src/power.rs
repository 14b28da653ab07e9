//! The end of a run.

/// What stops the cluster.
pub trait Power {
    /// Stops with exit status `status`. On a board without power control it returns, and the board stays idle.
    fn stop(&self, status: u8);
}
