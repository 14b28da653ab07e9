//! What the host does to a run: a full disk, signals at any moment, a damaged disk image.

mod damaged_disk;
mod full_disk;
mod killed;
