//! Reasons not to write to a device.

use super::device::{BlockDevice, DeviceBus, DeviceUse, size};
use std::fmt;

/// Larger devices are more often a disk in use than a card.
pub const LARGE_BYTES: u64 = 128_000_000_000;

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A partition, of this disk.
    Partition(String),
    /// Its medium cannot be taken out.
    NotRemovable(DeviceBus),
    /// The running system is on it.
    BacksRoot,
    /// Mounted here.
    Mounted(String),
    /// Used for swapping.
    Swap(String),
    /// Part of a volume group, an array or an encrypted volume.
    MemberOf(String),
    /// This device of it carries a part of such a signature, which has no user now.
    Marked(String, &'static str),
    /// Write-protected.
    ReadOnly,
    /// No card in the reader.
    NoMedium,
    /// Unusually large.
    Large(u64),
    /// Smaller than what is to be written.
    TooSmall {
        /// Its size.
        device_bytes: u64,
        /// What is to be written.
        image_bytes: u64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Partition(disk) => write!(f, "it is a partition: a card image is for the whole disk, /dev/{disk}"),
            Refusal::NotRemovable(bus) => write!(f, "its medium cannot be taken out ({bus}): this is no card"),
            Refusal::BacksRoot => f.write_str("the running system is on it"),
            Refusal::Mounted(at) => write!(f, "it is mounted at {at}: unmount that first, if it is your card"),
            Refusal::Swap(name) => write!(f, "memory is swapped to {name}"),
            Refusal::MemberOf(name) => {
                write!(f, "it is part of {name}: a volume group, an array or an encrypted volume")
            }
            Refusal::Marked(name, what) => {
                write!(
                    f,
                    "/dev/{name} is part of {what}, not in use now: `wipefs -a /dev/{name}` says that it is not wanted any more"
                )
            }
            Refusal::ReadOnly => f.write_str("it is write-protected: see the switch at the card's side"),
            Refusal::NoMedium => f.write_str("there is no card in it"),
            Refusal::Large(bytes) => {
                write!(f, "it is unusually large ({}): if it is your card, say --large", size(*bytes))
            }
            Refusal::TooSmall { device_bytes, image_bytes } => {
                write!(f, "it is too small: {} for an image of {}", size(*device_bytes), size(*image_bytes))
            }
        }
    }
}

/// All reasons not to write `image_bytes` to `device`; `large` says that its size is no reason.
pub fn refusals(device: &BlockDevice, image_bytes: u64, large: bool) -> Vec<Refusal> {
    let mut reasons: Vec<Refusal> = device.partition_of.iter().map(|disk| Refusal::Partition(disk.clone())).collect();
    if device.partition_of.is_none() && !device.removable {
        reasons.push(Refusal::NotRemovable(device.bus));
    }
    reasons.extend(device.uses.iter().map(|used| match used {
        DeviceUse::Root => Refusal::BacksRoot,
        DeviceUse::Mounted(at) => Refusal::Mounted(at.clone()),
        DeviceUse::Swap(name) => Refusal::Swap(name.clone()),
        DeviceUse::MemberOf(name) => Refusal::MemberOf(name.clone()),
        DeviceUse::Marked(name, what) => Refusal::Marked(name.clone(), what),
    }));
    if device.read_only {
        reasons.push(Refusal::ReadOnly);
    }
    if device.size_bytes == 0 {
        reasons.push(Refusal::NoMedium);
    } else if device.size_bytes < image_bytes {
        reasons.push(Refusal::TooSmall { device_bytes: device.size_bytes, image_bytes });
    }
    if device.size_bytes > LARGE_BYTES && !large {
        reasons.push(Refusal::Large(device.size_bytes));
    }
    reasons
}
