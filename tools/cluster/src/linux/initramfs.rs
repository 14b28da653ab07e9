//! The file system in memory that Linux starts from: the first program, its tools, and the card's modules.

use super::LinuxHardware;
use super::kernel::{DISK_MODULES, DebianKernel, MODULES};
use anyhow::{Context, Result};
use renga_images::calendar::EPOCH_S;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first program.
const INIT: &str = include_str!("init.sh");
/// How its disk without content is made: 4 GiB, each request done by a timer, so long after it came.
const NULL_DISK: &str = "gb=4 queue_mode=2 submit_queues=1 irqmode=2 completion_nsec=";
/// Ends the board by the emulator's register (`renga_emu_device::registers`), in the device tree of no board.
const END: &str = "$b mount -t devtmpfs dev /dev; $b devmem 0x3fb00030 32 0\n";
/// A disk in memory with the content of the card, each of whose requests takes time; the script is on that.
const TIMED_CARD: &str = include_str!("timed_card.sh");
/// The first program's devices are unmounted by then. The host waits for the word.
const WRITE_BACK: &str = "$b mount -t devtmpfs dev /dev\n$b dd if=$disk of=/dev/mmcblk0p1 bs=4k count=$((sectors / 8)) conv=fsync 2>&1 && echo $WRITTEN\n";
/// What says that all of the timed card is on the card.
pub(super) const WRITTEN: &str = "the card is written";
const FOLDERS: [&str; 5] = ["dev", "disk", "modules", "proc", "sys"];
const NS_PER_US: u64 = 1000;
const BYTES_PER_MB: u64 = 1_000_000;
const BYTES_PER_MIB: u64 = 1 << 20;
const FOLDER_MODE: u32 = 0o040_755;
const PROGRAM_MODE: u32 = 0o100_755;
/// `/dev/console`, without which the first program has no output.
const CONSOLE: (&str, u32, u32, u32) = ("dev/console", 0o020_600, 5, 1);

/// Writes it to `path`.
///
/// # Errors
/// If a part cannot be read, or it cannot be written.
pub(super) fn write(kernel: &DebianKernel, hardware: LinuxHardware, path: &Path) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut archive = Archive { to: file, entries: 0 };
    for folder in FOLDERS {
        archive.add(folder, FOLDER_MODE, (0, 0), &[])?;
    }
    let (name, mode, major, minor) = CONSOLE;
    archive.add(name, mode, (major, minor), &[])?;
    archive.add("busybox", PROGRAM_MODE, (0, 0), &read(&kernel.busybox)?)?;
    let mut add = |(module, path): (&&str, &PathBuf)| {
        archive.add(&format!("modules/{module}.ko"), PROGRAM_MODE, (0, 0), &read(path)?)
    };
    MODULES.iter().zip(&kernel.modules).try_for_each(&mut add)?;
    let mut further = String::new();
    if hardware.null_disk_ns.is_some() || hardware.card.is_some() {
        DISK_MODULES.iter().zip(&kernel.disk_modules).try_for_each(&mut add)?;
        let parameters =
            hardware.null_disk_ns.map_or("nr_devices=0".to_string(), |delay_ns| format!("{NULL_DISK}{delay_ns}"));
        further = format!("$b insmod /modules/configfs.ko\n$b insmod /modules/null_blk.ko {parameters}\n");
    }
    let timed = hardware.card.map_or(String::new(), |card| {
        // Behind the disk without content, if that is there, too.
        let name = format!("nullb{}", u8::from(hardware.null_disk_ns.is_some()));
        TIMED_CARD
            .replace("$NAME", &name)
            .replace("$REQUEST_NS", &(u64::from(card.request_us) * NS_PER_US).to_string())
            .replace("$RATE_MIB_S", &(u64::from(card.rate_mb_s) * BYTES_PER_MB).div_ceil(BYTES_PER_MIB).to_string())
    });
    let write_back = hardware.card.map_or(String::new(), |_| WRITE_BACK.replace("$WRITTEN", WRITTEN));
    let end = write_back + if hardware.cores > 1 { END } else { "" };
    let init = INIT.replace("$MODULES", &MODULES.join(" ")).replace("$EPOCH_S", &EPOCH_S.to_string());
    let init = init.replace("$FURTHER\n", &further).replace("$TIMED\n", &timed).replace("$END\n", &end);
    archive.add("init", PROGRAM_MODE, (0, 0), init.as_bytes())?;
    cpio::newc::trailer(archive.to)?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// An archive in the making.
struct Archive {
    to: File,
    entries: u32,
}

impl Archive {
    /// Adds something of this name, with its type and permissions, the numbers of a device, and what it contains.
    fn add(&mut self, name: &str, mode: u32, device: (u32, u32), content: &[u8]) -> Result<()> {
        self.entries += 1;
        let entry = cpio::newc::Builder::new(name).ino(self.entries).mode(mode).nlink(1);
        let entry = entry.rdev_major(device.0).rdev_minor(device.1);
        let mut writer = entry.write(&self.to, u32::try_from(content.len())?);
        writer.write_all(content)?;
        writer.finish()?;
        Ok(())
    }
}
