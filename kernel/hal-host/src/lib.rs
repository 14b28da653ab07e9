//! Imitations of hardware for host programs: tests of the processes that own user memory, fuzzing, the simulator.
//!
//! Not here: the traits that they implement (`renga-hal`), pins and the link (`renga-phy`).
#![forbid(unsafe_code)]

mod memory;
mod shared_tables;

pub use memory::HostMemory;
