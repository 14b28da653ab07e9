//! The end of a run.

/// What stops the cluster.
pub trait Power {
    /// Stops with exit status `status`. On a board whose power nobody can cut it returns, and the board
    /// goes on idle.
    fn stop(&self, status: u8);
}
