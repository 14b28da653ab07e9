//! renga-fs.
#![no_std]
#![forbid(unsafe_code)]
