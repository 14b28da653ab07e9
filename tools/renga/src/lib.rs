//! The commands of the binary `renga`: run, linux, check, image, test.
//!
//! Not here: the command line (`renga-cli`), set-up (the `renga` script), commands with binaries of their own
//! (`renga_workspace::delegate`).
#![forbid(unsafe_code)]

pub mod command;
