//! Files: a small image, a board with all processes of a file system, and two targets on it.

pub mod board;
pub mod ext2;
pub mod image;
pub mod path;
