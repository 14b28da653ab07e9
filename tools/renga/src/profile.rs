//! Profiles: what a machine is like, as data.
//!
//! Invariant: a profile changes times only, never what a program computes.

use crate::cli::ProfileName;

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// An instruction takes 2^shift ns.
    pub shift: u8,
    /// Bits a second on the link.
    pub link_rate_bps: u64,
    /// The link's times (`renga_router::LinkTiming`).
    pub link_timing: &'static str,
    /// The link is the bus on the boards' pins.
    pub pins: bool,
    /// The model of the disk's medium (`renga_fs::medium`).
    pub medium: &'static str,
}

impl Profile {
    /// The same with the link on the boards' pins: the emulator connects pin to pin, and all else is the boards' work.
    pub fn with_pins(self) -> Profile {
        Profile { pins: true, link_timing: "pins", ..self }
    }
}

/// The profile called `name`.
pub fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Pi3 => {
            Profile { shift: 0, link_rate_bps: 18_000_000, link_timing: "pi3", pins: false, medium: "sd" }
        }
        ProfileName::Paper1989 => {
            Profile { shift: 10, link_rate_bps: 4_000_000, link_timing: "paper-1989", pins: false, medium: "hdd-1989" }
        }
    }
}

/// The calendar time at which every run starts: 2026-01-01, seconds since 1970.
pub const EPOCH_S: u64 = 1_767_225_600;
