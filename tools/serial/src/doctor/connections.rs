//! What boards are connected by: serial adapters and card readers.

use super::Diagnosis;
use renga_flash::{Host, LARGE_BYTES, refusals};
use rustix::fs::{Access, access};
use std::fs;
use std::path::Path;

/// Names that the kernel gives to serial adapters on USB.
const ADAPTERS: [&str; 2] = ["ttyUSB", "ttyACM"];

/// The serial adapters of the host whose `/sys` and `/dev` lie below `root`.
pub fn serial_ports(root: &Path) -> Vec<Diagnosis> {
    let entries = fs::read_dir(root.join("sys/class/tty")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| ADAPTERS.iter().any(|prefix| name.starts_with(prefix)));
    names.sort();
    if names.is_empty() {
        let way_out =
            "for the consoles of real boards: an adapter of 3.3 V (never 5 V) from USB to serial, one for each board";
        return vec![Diagnosis::for_boards("no serial adapter", way_out)];
    }
    names.iter().map(|name| serial_port(root, name)).collect()
}

fn serial_port(root: &Path, name: &str) -> Diagnosis {
    let device = root.join("dev").join(name);
    // The interface's parent is the USB device, which has a name for people.
    let product =
        fs::read_to_string(root.join(format!("sys/class/tty/{name}/device/../../product"))).unwrap_or_default();
    let what = format!("serial adapter /dev/{name} {}", product.trim());
    match access(&device, Access::READ_OK | Access::WRITE_OK) {
        Ok(()) => Diagnosis::good(what.trim_end()),
        Err(_) if !device.exists() => Diagnosis::for_boards(
            format!("{what}: there is no /dev/{name}"),
            "the adapter was just taken out, or this is a container without the host's devices",
        ),
        Err(_) => Diagnosis::for_boards(
            format!("{what}: you may not use it"),
            "join the group that owns it, then log in again: sudo usermod -a -G dialout $USER (on some systems `uucp`)",
        ),
    }
}

/// The card readers of `host`.
pub fn card_readers(host: &Host) -> Vec<Diagnosis> {
    let disks = host.disks().unwrap_or_default();
    let readers: Vec<_> = disks.into_iter().filter(|disk| disk.removable && !disk.name.starts_with("loop")).collect();
    if readers.is_empty() {
        let way_out = "for real boards: a reader for micro SD cards; cards of 8 to 32 GB are enough";
        return vec![Diagnosis::for_boards("no card reader", way_out)];
    }
    let finding = |disk: &renga_flash::BlockDevice| {
        let large = disk.size_bytes > LARGE_BYTES;
        let reasons: Vec<String> = refusals(disk, 1, large).iter().map(ToString::to_string).collect();
        let first = disk.to_string().lines().next().unwrap_or_default().to_string();
        if reasons.is_empty() {
            return Diagnosis::good(format!("card reader {first}"));
        }
        Diagnosis::for_boards(format!("card reader {first}: {}", reasons.join("; ")), "./renga flash says more")
    };
    readers.iter().map(finding).collect()
}
