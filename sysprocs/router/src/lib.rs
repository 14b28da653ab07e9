//! renga-router.
#![no_std]
#![forbid(unsafe_code)]
