//! `renga release`: an archive of what is built from this checkout, for machines without Rust.
//!
//! Invariant: one state of the sources gives one archive, byte for byte, in whichever folder it is made: paths of the
//! machine are mapped, entries sorted, owners and times fixed. Not here: how the tool finds what a release has
//! (`renga_workspace::prebuilt`), and which programs are delegates (`renga_workspace::delegate`).
#![forbid(unsafe_code)]

pub mod archive;
mod contents;
mod host_build;
mod licences;
mod machine_paths;
pub mod release_command;
