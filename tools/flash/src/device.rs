//! What is known of a block device.

use std::fmt;

/// How a device is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceBus {
    /// A USB card reader or disk.
    Usb,
    /// A card slot of the host itself.
    SdSlot,
    /// Memory soldered to the host, behind the same kind of controller as cards.
    Emmc,
    /// A file that serves as a device.
    Loop,
    /// Anything else: a disk of the host.
    Internal,
}

impl fmt::Display for DeviceBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceBus::Usb => "USB",
            DeviceBus::SdSlot => "SD slot",
            DeviceBus::Emmc => "eMMC",
            DeviceBus::Loop => "loop",
            DeviceBus::Internal => "internal",
        })
    }
}

/// A use of a device, or of something that lies on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceUse {
    /// The running system lives on it.
    Root,
    /// Mounted at this place.
    Mounted(String),
    /// Memory is swapped to it.
    Swap(String),
    /// Part of a volume group, an array or an encrypted volume, of this name.
    MemberOf(String),
    /// This device carries such a signature, which has no user now.
    Marked(String, &'static str),
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    /// The kernel's name, such as `sdb`.
    pub name: String,
    /// Major and minor number, as `8:16`.
    pub number: String,
    /// Of which disk it is a partition, if it is one.
    pub partition_of: Option<String>,
    /// What it calls itself; may be empty.
    pub model: String,
    /// Its serial number, or that of its reader; may be empty.
    pub serial: String,
    /// The card's own number, which readers on USB do not report.
    pub card_number: Option<String>,
    /// How it is attached.
    pub bus: DeviceBus,
    /// Its size; 0 without a medium.
    pub size_bytes: u64,
    /// Whether its medium can be taken out.
    pub removable: bool,
    /// Whether it refuses writes.
    pub read_only: bool,
    /// A number that changes when the medium does; 0 on kernels that do not count.
    pub sequence: u64,
    /// Its partitions: name and size.
    pub partitions: Vec<(String, u64)>,
    /// The uses of it or a part of it.
    pub uses: Vec<DeviceUse>,
}

impl BlockDevice {
    /// Its path.
    pub fn path(&self) -> String {
        format!("/dev/{}", self.name)
    }

    /// Whether there is something to say about it: a driver's empty places are left out, empty card readers are not.
    pub fn is_listed(&self) -> bool {
        self.size_bytes > 0 || (self.removable && self.bus != DeviceBus::Loop)
    }

    /// What a person or a script has to say to name it unambiguously: the serial number, or what there is instead.
    pub fn distinction(&self) -> String {
        let candidates = [self.serial.as_str(), self.model.as_str()];
        let named = candidates.into_iter().find(|text| !text.is_empty());
        named.map_or_else(|| self.path(), str::to_string)
    }

    /// Whether `other`, seen later, is the same device with the same medium.
    pub fn is_same(&self, other: &BlockDevice) -> bool {
        let known = |device: &BlockDevice| {
            let BlockDevice { name, number, model, serial, card_number, size_bytes, sequence, .. } = device.clone();
            (name, number, model, serial, card_number, size_bytes, sequence)
        };
        known(self) == known(other)
    }
}

impl fmt::Display for BlockDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |text: &str| if text.is_empty() { "-".to_string() } else { text.to_string() };
        write!(f, "{}  {}  serial {}", self.path(), or_none(&self.model), or_none(&self.serial))?;
        write!(f, "  {}  {}", self.bus, size(self.size_bytes))?;
        for (name, size_bytes) in &self.partitions {
            write!(f, "\n  {name}  {}", size(*size_bytes))?;
        }
        for used in &self.uses {
            match used {
                DeviceUse::Root => write!(f, "\n  holds the running system")?,
                DeviceUse::Mounted(at) => write!(f, "\n  mounted at {at}")?,
                DeviceUse::Swap(name) => write!(f, "\n  swap on {name}")?,
                DeviceUse::MemberOf(name) => write!(f, "\n  part of {name}")?,
                DeviceUse::Marked(name, what) => write!(f, "\n  {name} is part of {what}")?,
            }
        }
        Ok(())
    }
}

/// A size for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0 => "no medium".to_string(),
        1..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
