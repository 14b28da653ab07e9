//! renga-phy.
#![no_std]
#![forbid(unsafe_code)]
