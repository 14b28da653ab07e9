//! The host's devices, as its kernel shows them in `/sys` and `/proc`.
//!
//! Invariant: only reads. All paths are below one root, so that a recorded tree serves as well. Documentation of the
//! Linux kernel:
//! `ABI/stable/sysfs-block`, `ABI/testing/sysfs-bus-mmc`, `filesystems/proc.rst` (mountinfo).

use super::device::{BlockDevice, DeviceBus, DeviceUse};
use super::signature;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Sizes in sysfs count these, whatever the device's own sectors are.
const SECTOR_BYTES: u64 = 512;
/// Volumes on arrays on partitions ...: more levels than occur in practice.
const LEVELS_MAX: usize = 16;

/// A host, or a recording of one.
#[derive(Clone, Debug)]
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// This one.
    pub fn this() -> Host {
        Host::at(Path::new("/"))
    }

    /// The one whose `/sys`, `/proc` and `/dev` lie below `root`.
    pub fn at(root: &Path) -> Host {
        Host { root: root.to_path_buf() }
    }

    /// All whole disks, by name.
    ///
    /// # Errors
    /// If there is no `/sys`.
    pub fn disks(&self) -> io::Result<Vec<BlockDevice>> {
        let mut names = names_in(&self.root.join("sys/block"))?;
        names.sort();
        Ok(names.iter().filter_map(|name| self.device(name)).collect())
    }

    /// The device that a path such as `/dev/sdb` or `/dev/disk/by-id/...` leads to.
    pub fn find(&self, path: &Path) -> Option<BlockDevice> {
        let whole = fs::canonicalize(self.root.join(path.strip_prefix("/").unwrap_or(path))).ok()?;
        let devices = fs::canonicalize(self.root.join("dev")).ok()?;
        // Deeper paths are no devices of the kernel's, whatever their last name is.
        if whole.parent() != Some(&devices) {
            return None;
        }
        self.device(whole.file_name()?.to_str()?)
    }

    /// The device of this name; none if the kernel has none.
    pub fn device(&self, name: &str) -> Option<BlockDevice> {
        let device = self.identity(name)?;
        Some(BlockDevice { partitions: self.partitions(name), uses: self.uses(name), ..device })
    }

    /// The device of this name without its partitions and uses, which take long to find out.
    pub fn identity(&self, name: &str) -> Option<BlockDevice> {
        let folder = self.folder(name);
        let number = text(&folder.join("dev"))?;
        let place = fs::canonicalize(&folder).ok()?;
        let is_partition = folder.join("partition").exists();
        let parent = || Some(place.parent()?.file_name()?.to_str()?.to_string());
        let bus = bus(&place, name);
        let removable = match bus {
            DeviceBus::SdSlot | DeviceBus::Loop => true,
            DeviceBus::Emmc => false,
            DeviceBus::Usb | DeviceBus::Internal => flag(&folder.join("removable")),
        };
        Some(BlockDevice {
            name: name.to_string(),
            number,
            partition_of: is_partition.then(parent).flatten(),
            model: model(&folder, bus),
            serial: serial(&folder, &place, bus),
            card_number: text(&folder.join("device/cid")),
            bus,
            size_bytes: number_in(&folder.join("size")) * SECTOR_BYTES,
            removable,
            read_only: flag(&folder.join("ro")),
            sequence: number_in(&folder.join("diskseq")),
            partitions: Vec::new(),
            uses: Vec::new(),
        })
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.join("sys/class/block").join(name)
    }

    fn partitions(&self, disk: &str) -> Vec<(String, u64)> {
        let folder = self.folder(disk);
        let mut names = names_in(&folder).unwrap_or_default();
        names.retain(|name| folder.join(name).join("partition").exists());
        names.sort_by_key(|name| (name.len(), name.clone()));
        let sized = |name: String| {
            let size_bytes = number_in(&folder.join(&name).join("size")) * SECTOR_BYTES;
            (name, size_bytes)
        };
        names.into_iter().map(sized).collect()
    }

    /// The uses of a device or one of its partitions, or of anything that lies on one of these.
    fn uses(&self, name: &str) -> Vec<DeviceUse> {
        let mut above = BTreeSet::new();
        self.collect_above(name, 0, &mut above);
        let numbers: BTreeSet<String> = above.iter().filter_map(|name| text(&self.folder(name).join("dev"))).collect();
        let on_it = |source: &str| source.strip_prefix("/dev/").is_some_and(|_| self.leads_into(source, &above));
        let mut uses = Vec::new();
        for (number, at, source) in self.mounts() {
            if numbers.contains(&number) || on_it(&source) {
                uses.push(if at == "/" { DeviceUse::Root } else { DeviceUse::Mounted(at) });
            }
        }
        let swaps = fs::read_to_string(self.root.join("proc/swaps")).unwrap_or_default();
        let swaps = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        uses.extend(swaps.filter(|source| on_it(source)).map(|source| DeviceUse::Swap(source.to_string())));
        let own = |holder: &&String| holder.as_str() != name && !self.folder(holder).join("partition").exists();
        uses.extend(above.iter().filter(own).map(|holder| DeviceUse::MemberOf(self.volume_name(holder))));
        if uses.is_empty() {
            let partitions = self.partitions(name).into_iter().map(|(name, _)| name);
            let marked = |device: String| {
                Some(DeviceUse::Marked(device.clone(), signature::of(&self.root.join("dev").join(device))?))
            };
            uses.extend(std::iter::once(name.to_string()).chain(partitions).filter_map(marked));
        }
        uses
    }

    /// The device itself, its partitions, and what the kernel builds on them.
    fn collect_above(&self, name: &str, level: usize, found: &mut BTreeSet<String>) {
        if level > LEVELS_MAX || !found.insert(name.to_string()) {
            return;
        }
        let partitions = self.partitions(name).into_iter().map(|(name, _)| name);
        let holders = names_in(&self.folder(name).join("holders")).unwrap_or_default();
        for next in partitions.chain(holders) {
            self.collect_above(&next, level + 1, found);
        }
    }

    /// Whether a path in `/dev` is one of these devices, by its name, by a link, or by a volume's name.
    fn leads_into(&self, source: &str, devices: &BTreeSet<String>) -> bool {
        let below = self.root.join(source.trim_start_matches('/'));
        let to = fs::read_link(below).unwrap_or_else(|_| PathBuf::from(source));
        let name = to.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let volume = source.strip_prefix("/dev/mapper/");
        devices.contains(name) || volume.is_some_and(|volume| devices.iter().any(|on| self.volume_name(on) == volume))
    }

    fn volume_name(&self, name: &str) -> String {
        text(&self.folder(name).join("dm/name")).unwrap_or_else(|| name.to_string())
    }

    /// BlockDevice number, place and source of every mount.
    fn mounts(&self) -> Vec<(String, String, String)> {
        let text = fs::read_to_string(self.root.join("proc/self/mountinfo")).unwrap_or_default();
        let mount = |line: &str| {
            let mut fields = line.split(' ');
            let (number, at) = (fields.nth(2)?, fields.nth(1)?);
            let source = line.split_once(" - ")?.1.split(' ').nth(1)?;
            Some((number.to_string(), at.replace("\\040", " "), source.to_string()))
        };
        text.lines().filter_map(mount).collect()
    }
}

/// How a device is attached, from its place among all devices.
fn bus(place: &Path, name: &str) -> DeviceBus {
    let place = place.to_string_lossy();
    if name.starts_with("loop") {
        return DeviceBus::Loop;
    }
    if place.contains("/mmc_host/") {
        let kind = place.find("/block/").and_then(|at| text(&Path::new(&place[..at]).join("type")));
        return if kind.as_deref() == Some("SD") { DeviceBus::SdSlot } else { DeviceBus::Emmc };
    }
    if place.contains("/usb") { DeviceBus::Usb } else { DeviceBus::Internal }
}

fn model(folder: &Path, bus: DeviceBus) -> String {
    let of = |file: &str| text(&folder.join(file)).unwrap_or_default();
    match bus {
        DeviceBus::Loop => of("loop/backing_file"),
        DeviceBus::SdSlot | DeviceBus::Emmc => of("device/name"),
        DeviceBus::Usb | DeviceBus::Internal => {
            format!("{} {}", of("device/vendor"), of("device/model")).trim().to_string()
        }
    }
}

fn serial(folder: &Path, place: &Path, bus: DeviceBus) -> String {
    let own = [folder.join("device/serial"), folder.join("serial")];
    let own = own.iter().find_map(|file| text(file).filter(|serial| !serial.is_empty()));
    if bus != DeviceBus::Usb {
        return own.unwrap_or_default();
    }
    // Of the USB device, some levels above its disk; further up are the host's own controllers.
    let usb_device = place.ancestors().take(LEVELS_MAX).find(|up| up.join("idVendor").exists());
    own.or_else(|| text(&usb_device?.join("serial"))).unwrap_or_default()
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

fn text(file: &Path) -> Option<String> {
    fs::read_to_string(file).ok().map(|text| text.trim().to_string())
}

fn flag(file: &Path) -> bool {
    text(file).as_deref() == Some("1")
}

fn number_in(file: &Path) -> u64 {
    text(file).and_then(|text| text.parse().ok()).unwrap_or(0)
}
