//! renga-arch-aarch64.
#![no_std]
