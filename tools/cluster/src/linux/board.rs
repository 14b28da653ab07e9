//! The board that Linux runs on, in the cluster emulator's virtual time: where its cores run side by side.
//!
//! Invariant: what Linux writes, and when, is the same in every run. The first program ends the board by the emulator's
//! own register: a restart would end QEMU at the host's pleasure, and lose what was written last. Not here: what is
//! written (`console`).

use super::{ARGUMENTS, LinuxBoard};
use crate::host_file;
use anyhow::{Result, bail};
use renga_emu::{BoardConfig, ClusterConfig, ClusterEvent, EmulatedCluster, Stats};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Linux finds so many.
const CORES: u8 = 4;

/// Runs Linux with `disk` to its end, handing what it writes to `hear`.
///
/// # Errors
/// If the emulator fails, or it takes longer than `limit`.
pub(super) fn run(linux: &LinuxBoard, disk: &Path, limit: Duration, mut hear: impl FnMut(&[u8])) -> Result<Stats> {
    let mut cluster = EmulatedCluster::start(config(linux, disk))?;
    let (sender, ended) = channel::<()>();
    let stopper = cluster.input_sender();
    let watch = thread::spawn(move || {
        let in_time = ended.recv_timeout(limit) != Err(RecvTimeoutError::Timeout);
        // The receiver is gone if the emulator has just ended.
        in_time || !stopper.stop()
    });
    let stats = loop {
        match cluster.next_event() {
            Ok(ClusterEvent::Log { bytes, .. }) => hear(&bytes),
            Ok(ClusterEvent::CardFailed { .. }) => bail!(host_file::failure(disk)),
            Ok(ClusterEvent::Finished(stats)) => break stats,
            Ok(ClusterEvent::Deadlock { time_ns }) => bail!("Linux waits, and nothing will wake it, at {time_ns} ns"),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
    };
    drop(sender);
    match watch.join() {
        Ok(true) => Ok(stats),
        Ok(false) => bail!("Linux did not end within {} s (--host-limit-s)", limit.as_secs()),
        Err(_) => bail!("the watch over Linux failed"),
    }
}

fn config(linux: &LinuxBoard, disk: &Path) -> ClusterConfig {
    // The cores above those that are wanted come up too, and sleep: see `ARGUMENTS`.
    let isolated = match linux.hardware.cores {
        CORES.. => String::new(),
        cores => format!(" isolcpus={cores}-{}", CORES - 1),
    };
    let board = BoardConfig {
        image: linux.kernel.image.clone(),
        append: format!("{ARGUMENTS}{isolated}{}", linux.hardware.arguments()),
        sd_image: Some(disk.to_path_buf()),
        initrd: Some(linux.initramfs.clone()),
        dtb: Some(linux.kernel.device_tree.clone()),
        cores: CORES,
        ..BoardConfig::default()
    };
    let slice_ns = linux.hardware.core_slice_ns;
    ClusterConfig { slice_ns, ..ClusterConfig::new(linux.qemu.clone(), linux.plugin.clone(), vec![board]) }
}
