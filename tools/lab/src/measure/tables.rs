//! Checks the rights in the kernel's tables on the booted image, and that a board's user memory behaves as its model on
//! the host, against which all code that uses it is tested.
//!
//! Not here: the survey (`kernel/arch-aarch64/src/memory/survey.rs`), the trial (`kernel/hal/src/trial.rs`).

use super::measured::figures;
use anyhow::Result;
use renga_hal::trial::{FRAMES, MemoryTrial};
use renga_hal_host::HostMemory;

/// Prints both; whether they are as they should be.
///
/// # Errors
/// If the run does not say.
pub(super) fn agree(text: &str) -> Result<bool> {
    let [executable, writable, both] = figures(text, "kernel-rights")?;
    let [of_programs, ..] = figures(text, "kernel-shares")?;
    println!("\nOf the kernel's pages and blocks {executable} can be executed, {writable} written, {both} both, and");
    println!("programs may use {of_programs}.");
    let apart = [executable, writable].iter().all(|some| *some != "0") && [both, of_programs] == ["0"; 2];
    let mut same = 0;
    let expected = MemoryTrial::digests(&HostMemory::new(FRAMES));
    for (sample, digest) in expected.iter().enumerate() {
        let [found, ..] = figures(text, &format!("user-memory-{sample}"))?;
        same += usize::from(found == format!("{digest:x}"));
    }
    println!("At {same} of {} samples the board's user memory is as its imitation on the host.", expected.len());
    Ok(apart && same == expected.len())
}
