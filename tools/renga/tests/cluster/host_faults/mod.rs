//! What the host does to a run: a full disk, signals at any moment.

mod full_disk;
mod killed;
