//! All processes of a file system on one board in a host program: for the file system's tests and for the fuzz targets.
//!
//! Invariant: every part lies in the board's arena, so a board of [`renga_rt::host::HostBoard::within`] leaves nothing
//! behind. Called by: `sysprocs/fs/tests`, `tools/fuzz`. Not here: media, clients, placement files (`renga_systems`).
#![forbid(unsafe_code)]

mod frames;
mod servers;
mod workers;

pub use frames::HostFrames;
pub use servers::{EPOCH_NS, FsCounts, FsServers};
