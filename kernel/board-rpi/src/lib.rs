//! renga-board-rpi.
#![no_std]
