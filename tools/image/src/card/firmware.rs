//! What a board loads before the kernel: fetched from Debian by package name, each part with its licence.
//!
//! Invariant: nothing of it is part of this project; it lies under `target/`, and on cards beside its licence. What has
//! been fetched stays until `target/` is removed, so that cards made between two cleanings are equal.

use anyhow::{Context, Result, bail};
use renga_boot_card::Model;
use renga_workspace::environment::Environment;
use renga_workspace::lock::Lock;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its files on the card, and whence.
const BCM2837: [(&str, &str); 3] =
    [("bootcode.bin", "bootcode.bin"), ("start.elf", "start.elf"), ("fixup.dat", "fixup.dat")];
const BCM2711: [(&str, &str); 2] = [("start4.elf", "start4.elf"), ("fixup4.dat", "fixup4.dat")];
/// Device trees under the names that the firmware loads.
const PI3_TREES: [(&str, &str); 2] =
    [("bcm2710-rpi-3-b.dtb", "bcm2837-rpi-3-b.dtb"), ("bcm2710-rpi-3-b-plus.dtb", "bcm2837-rpi-3-b-plus.dtb")];
const ZERO2W_TREES: [(&str, &str); 1] = [("bcm2710-rpi-zero-2-w.dtb", "bcm2837-rpi-zero-2-w.dtb")];
const PI4_TREES: [(&str, &str); 1] = [("bcm2711-rpi-4-b.dtb", "bcm2711-rpi-4-b.dtb")];
/// Licences and versions of what was fetched.
const PAPERS: [(&str, &str); 3] =
    [("LICENCE.FW", "LICENCE.FW"), ("LICENCE.DTB", "LICENCE.DTB"), ("VERSIONS.TXT", "VERSIONS.TXT")];

/// Fetches it, unless it is there; the folder.
///
/// # Errors
/// If apt or the network fails; what apt said is in the message.
pub fn fetch(environment: &Environment, progress: &ProgressLine) -> Result<PathBuf> {
    let work = environment.work();
    let folder = work.join("firmware");
    fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let _lock = Lock::exclusive(&work.join("firmware.lock"), &mut |line| progress.step(line))
        .context("cannot lock the firmware's folder")?;
    if folder.exists() {
        return Ok(folder);
    }
    progress.step("fetching the boards' firmware and device trees from Debian (65 MB)");
    let script = environment.root.join("tools/setup/fetch-firmware.sh");
    let mut bash = Command::new("bash");
    let output = bash.arg(&script).arg(work.join("apt-firmware")).arg(&folder).output().context("cannot start bash")?;
    if !output.status.success() {
        bail!("the boards' firmware cannot be fetched:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(folder)
}

/// The files that a card of this model has of it: names and contents.
///
/// # Errors
/// If one is missing.
pub fn files(folder: &Path, model: Model) -> Result<Vec<(String, Vec<u8>)>> {
    let (firmware, trees) = parts(model);
    let read = |(name, from): &(&str, &str)| {
        let path = folder.join(from);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((name.to_string(), bytes))
    };
    firmware.iter().chain(trees).chain(&PAPERS).map(read).collect()
}

/// The device tree that a board of this model surely loads.
pub fn device_tree(model: Model) -> &'static str {
    let (_, trees) = parts(model);
    trees[0].0
}

type FirmwarePart = &'static [(&'static str, &'static str)];

fn parts(model: Model) -> (FirmwarePart, FirmwarePart) {
    match model {
        Model::Pi3 => (&BCM2837, &PI3_TREES),
        Model::Zero2W => (&BCM2837, &ZERO2W_TREES),
        Model::Pi4 => (&BCM2711, &PI4_TREES),
    }
}

/// Names of all that [`fetch`] fetches.
#[cfg(test)]
pub(super) fn tests_sources() -> Vec<&'static str> {
    let parts = Model::ALL.into_iter().flat_map(|model| <[FirmwarePart; 2]>::from(parts(model)));
    parts.chain([&PAPERS as FirmwarePart]).flatten().map(|(_, from)| *from).collect()
}
