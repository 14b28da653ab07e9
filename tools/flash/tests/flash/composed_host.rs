//! A host's `/sys`, `/proc` and `/dev`, laid out as the kernel's documentation and the machines at hand have them.

use renga_flash::{BlockDevice, Host};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A USB card reader with a card of 32 GB.
pub const CARD_SECTORS: u64 = 62_333_952;

/// The tree; gone when dropped.
pub struct ComposedHost {
    root: PathBuf,
}

impl ComposedHost {
    /// One with nothing but an empty `/proc`.
    pub fn new() -> ComposedHost {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("renga-host-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let host = ComposedHost { root: std::env::temp_dir().join(name) };
        host.file("proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
        host.file("proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n");
        host
    }

    /// One with a USB card reader `sdb` that may be written to.
    pub fn with_card() -> ComposedHost {
        let host = ComposedHost::new();
        host.usb("sdb", "8:16", 2, true, CARD_SECTORS).partition("sdb", "sdb1", "8:17", 204_800);
        host
    }

    pub fn host(&self) -> Host {
        Host::at(&self.root)
    }

    pub fn device(&self, name: &str) -> BlockDevice {
        self.host().device(name).unwrap_or_else(|| panic!("no {name}"))
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &ComposedHost {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("the host's own temporary folder");
        fs::write(path, content).expect("the host's own temporary folder");
        self
    }

    pub fn append(&self, path: &str, line: &str) -> &ComposedHost {
        let before = fs::read_to_string(self.root.join(path)).expect("it is there");
        self.file(path, format!("{before}{line}\n"))
    }

    pub fn link(&self, path: &str, to: &str) -> &ComposedHost {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("the host's own temporary folder");
        symlink(to, path).expect("the host's own temporary folder");
        self
    }

    /// A mount as `/proc/self/mountinfo` has it.
    pub fn mount(&self, number: &str, at: &str, source: &str) -> &ComposedHost {
        let line = format!("98 27 {number} / {at} rw,nosuid shared:42 - ext4 {source} rw");
        self.append("proc/self/mountinfo", &line)
    }

    /// A disk whose hardware is at `place` below `/sys/devices`.
    pub fn disk(&self, name: &str, number: &str, place: &str, sectors: u64, removable: bool) -> &ComposedHost {
        let folder = format!("sys/devices/{place}/block/{name}");
        self.file(&format!("{folder}/dev"), format!("{number}\n"));
        self.file(&format!("{folder}/size"), format!("{sectors}\n"));
        self.file(&format!("{folder}/removable"), if removable { "1\n" } else { "0\n" });
        self.file(&format!("{folder}/ro"), "0\n").file(&format!("{folder}/diskseq"), "9\n");
        fs::create_dir_all(self.root.join(&folder).join("holders")).expect("the host's own temporary folder");
        self.file(&format!("dev/{name}"), "").link(&format!("{folder}/device"), "../..");
        self.link(&format!("sys/block/{name}"), &format!("../devices/{place}/block/{name}"));
        self.link(&format!("sys/class/block/{name}"), &format!("../../devices/{place}/block/{name}"))
    }

    /// A card reader or disk at a USB port.
    pub fn usb(&self, name: &str, number: &str, port: u32, removable: bool, sectors: u64) -> &ComposedHost {
        let device = format!("pci0000:00/0000:00:14.0/usb1/1-{port}");
        let place = format!("{device}/1-{port}:1.0/host{port}/target{port}:0:0/{port}:0:0:0");
        self.file("sys/devices/pci0000:00/0000:00:14.0/usb1/serial", "0000:00:14.0\n");
        self.file(&format!("sys/devices/{device}/idVendor"), "05e3\n");
        self.file(&format!("sys/devices/{device}/serial"), format!("00000000{port}537\n"));
        self.file(&format!("sys/devices/{place}/vendor"), "Generic \n");
        self.file(&format!("sys/devices/{place}/model"), "MassStorageClass\n");
        self.disk(name, number, &place, sectors, removable)
    }

    /// A card or chip at a controller for SD and MMC.
    pub fn mmc(&self, name: &str, number: &str, kind: &str) -> &ComposedHost {
        let place = format!("platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:{name}");
        self.file(&format!("sys/devices/{place}/type"), format!("{kind}\n"));
        self.file(&format!("sys/devices/{place}/name"), "SC32G\n");
        self.file(&format!("sys/devices/{place}/serial"), "0x7b1a2c3d\n");
        self.file(&format!("sys/devices/{place}/cid"), "035344534333324780\n");
        self.disk(name, number, &place, CARD_SECTORS, false)
    }

    /// A partition of a disk.
    pub fn partition(&self, disk: &str, name: &str, number: &str, sectors: u64) -> &ComposedHost {
        let place = fs::canonicalize(self.root.join("sys/class/block").join(disk)).expect("the disk is there");
        let place = place.strip_prefix(fs::canonicalize(&self.root).expect("it is there")).expect("below the root");
        let folder = format!("{}/{name}", place.display());
        self.file(&format!("dev/{name}"), "");
        self.file(&format!("{folder}/partition"), "1\n").file(&format!("{folder}/dev"), format!("{number}\n"));
        self.file(&format!("{folder}/size"), format!("{sectors}\n")).file(&format!("{folder}/ro"), "0\n");
        fs::create_dir_all(self.root.join(&folder).join("holders")).expect("the host's own temporary folder");
        self.link(&format!("sys/class/block/{name}"), &format!("../../{}", folder.trim_start_matches("sys/")))
    }

    /// A volume that the kernel builds on `below`.
    pub fn volume(&self, name: &str, number: &str, below: &str) -> &ComposedHost {
        let folder = format!("sys/devices/virtual/block/{name}");
        self.file(&format!("{folder}/dev"), format!("{number}\n")).file(&format!("{folder}/size"), "1000\n");
        self.link(&format!("sys/class/block/{name}"), &format!("../../devices/virtual/block/{name}"));
        self.link(&format!("sys/class/block/{below}/holders/{name}"), &format!("/{folder}"))
    }
}

impl Drop for ComposedHost {
    fn drop(&mut self) {
        // In the host's own temporary folder.
        let _ = fs::remove_dir_all(&self.root);
    }
}
