//! renga-systems.
#![no_std]
#![forbid(unsafe_code)]
