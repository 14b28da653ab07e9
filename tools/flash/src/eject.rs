//! Having a reader give its card up once all is written, so that no desktop mounts it meanwhile.
//!
//! Invariant: only what was written, flushed and read back is given up, so failing costs nothing. Not here: which
//! readers can (a slot of the host's own has nothing to let go of).

use super::device::{BlockDevice, DeviceBus};
use std::process::{Command, Stdio};

/// The program of the host that does it.
pub const EJECT: &str = "eject";

/// Whether the card in `device` was given up, by `program`.
pub fn eject(device: &BlockDevice, program: &str) -> bool {
    if device.bus != DeviceBus::Usb {
        return false;
    }
    let quiet = Command::new(program)
        .arg(device.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}
