//! renga-memory.
#![no_std]
#![forbid(unsafe_code)]
