//! renga-process.
#![no_std]
#![forbid(unsafe_code)]
