//! What boards boot: the kernel and a system's tables, disk images, card images.
//!
//! Not here: writing to cards (`renga-flash`), running boards (`renga-cluster`).
#![forbid(unsafe_code)]

pub mod artifacts;
pub mod calendar;
pub mod card;
pub mod disk_image;
pub mod machine_code;
pub mod partition_table;
pub mod system;
