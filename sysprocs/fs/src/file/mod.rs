//! Open files: one process each, and which of them are free.

mod appending;
pub(crate) mod attributes;
pub(crate) mod cached;
pub(crate) mod file_table;
mod held;
pub(crate) mod made;
pub(crate) mod open_file;
mod own_inode;
mod settling;
mod writing;
