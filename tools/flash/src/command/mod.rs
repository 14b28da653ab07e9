//! `renga flash`: writes card images to cards.
//!
//! Not here: what makes that safe (`crate`).

mod cluster;
mod image;
mod job;
mod parallel;
mod terminal;

use crate::{BlockDevice, FlashError, FlashTarget, Host, refusals};
use anyhow::{Context, Result};
use job::FlashCall;
use renga_cli::Flash;
use renga_workspace::environment::Environment;
use renga_workspace::scratch::Scratch;
use std::path::Path;
use terminal::Bars;

/// Writes, verifies or lists; the exit status says how it ended.
///
/// # Errors
/// If the host's devices cannot be listed.
pub fn flash(environment: &Environment, options: &Flash) -> Result<u8> {
    let host = Host::this();
    let call = |scratch| FlashCall { environment, host: &host, options, scratch };
    let ended = match (&options.card, &options.cluster) {
        (Some(image), _) => one(&call(&Scratch::make(environment)?), image),
        (None, Some(file)) => cluster::cluster(&call(&Scratch::make(environment)?), file),
        (None, None) => return list(&host),
    };
    Ok(match ended {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("renga: {error}");
            error.status()
        }
    })
}

/// Every disk, with what speaks against writing to it.
fn list(host: &Host) -> Result<u8> {
    for device in host.disks().context("this host has no /sys")?.into_iter().filter(BlockDevice::is_listed) {
        println!("{device}");
        let reasons = refusals(&device, 1, false);
        reasons.iter().for_each(|reason| println!("  refused: {reason}"));
    }
    println!("Write to one of them: ./renga flash --card FILE /dev/NAME");
    Ok(0)
}

fn one(call: &FlashCall<'_>, image: &Path) -> Result<(), FlashError> {
    let target = match (&call.options.to_file, call.options.device.as_slice()) {
        (Some(file), _) => FlashTarget::file(file)?,
        (None, [device]) => FlashTarget::device(call.host, device)?,
        (None, devices) => {
            let target = format!("{} devices", devices.len());
            return Err(FlashError::NoTarget { target, reason: "--card is for one; --cluster for several".into() });
        }
    };
    let name = target.name();
    let Some(job) = call.prepare((target, 0), image, None, None)? else {
        println!("nothing was written");
        return Ok(());
    };
    let sum = job.run(&mut Bars::default().of(""))?;
    println!("{name}: equal to the image, SHA-256 {sum}; it can be taken out");
    Ok(())
}
