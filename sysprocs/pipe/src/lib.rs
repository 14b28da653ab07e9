//! renga-pipe.
#![no_std]
#![forbid(unsafe_code)]
