//! A counter that all programs of the cluster share.
//!
//! Not here: the counter (`renga_counter`), its file (`renga_procfs`).

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// A counter.
    pub Counter = 32, CounterCall {
        /// Adds, and returns the sum. `ERANGE`: the sum has no room, and the counter stays as it is.
        0 Add { amount: i64 } (()) -> Result<i64, Errno>;
        /// The counter's value.
        1 ReadCounter {} (()) -> Result<i64, Errno>;
    }
}
