//! Power cuts of all boards at writes, without the runs: nothing happens after such a cut, so the disk that it leaves
//! is the beginning of the writes of one run.
//!
//! - [`write_log`]: the writes of the rehearsal; [`cut_disk`]: the disk that some of them give;
//! - [`recovery`]: Renga's recovery on the host; [`tree`]: the files that a disk has;
//! - [`cut_state`]: what a cut leaves, recovered by Renga and by e2fsck, which must agree;
//! - [`inspection`]: the oracle on some states, one after the other, in one boot.
//!
//! Invariant: a disk that is replayed is that of the real cut, byte for byte; each exploration makes sure of it at one
//! of its points. Not here: real cuts (`trial`).

mod cut_disk;
mod cut_state;
mod inspection;
mod recovery;
mod tree;
mod write_log;

pub use cut_disk::CutDisk;
pub use cut_state::{CutState, Replay};
pub use inspection::{OracleBoot, batches};
pub use write_log::WriteLog;
