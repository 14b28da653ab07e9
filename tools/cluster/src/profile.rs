//! Profiles: what a machine is like, as data.
//!
//! Invariant: a profile changes times only, never what a program computes.

use renga_boot_card::LinkMode;
use renga_cli::ProfileName;

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// An instruction takes 2^shift ns.
    pub shift: u8,
    /// Bits a second on the link.
    pub link_rate_bps: u64,
    /// The link's times (`renga_router::LinkTiming`).
    pub link_timing: &'static str,
    /// The link is the bus on the boards' pins, wired so.
    pub pins: Option<LinkMode>,
    /// The model of the disk's medium (`renga_fs::medium`).
    pub medium: &'static str,
    /// By how much cores of a board may be apart, as a slice of the emulator's, if it is not its own choice, ns.
    pub core_slice_ns: Option<u64>,
}

impl Profile {
    /// The same over a link of another rate; boards wait for a slower one as long as the slowest known needs that is as
    /// slow.
    pub fn with_link_rate(self, link_rate_bps: u64) -> Profile {
        let link_timing = match link_rate_bps {
            _ if link_rate_bps >= self.link_rate_bps => self.link_timing,
            // On the pins of emulated boards a full frame takes two milliseconds.
            4_000_000.. => "pins",
            _ => "paper-1989",
        };
        Profile { link_rate_bps, link_timing, ..self }
    }

    /// The same with the link on the boards' pins: the emulator connects pin to pin, and all else is the boards' work.
    pub fn with_pins(self, wired: LinkMode) -> Profile {
        Profile { pins: Some(wired), link_timing: "pins", ..self }
    }
}

/// The profile called `name`.
pub fn profile(name: ProfileName) -> Profile {
    match name {
        ProfileName::Pi3 => Profile {
            shift: 0,
            link_rate_bps: 18_000_000,
            link_timing: "pi3",
            pins: None,
            medium: "sd",
            core_slice_ns: None,
        },
        ProfileName::Paper1989 => Profile {
            shift: 10,
            link_rate_bps: 4_000_000,
            link_timing: "paper-1989",
            medium: "hdd-1989",
            ..profile(ProfileName::Pi3)
        },
    }
}
