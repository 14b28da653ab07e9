//! The image of a board that firmware has left full of garbage: the program that does so (`tools/emu/garbage`), and the
//! kernel behind it.

use anyhow::{Result, ensure};

/// Where in the image the kernel is, and the program jumps to.
const KERNEL_OFFSET: usize = 0x1000;
/// How long the image may be: the program leaves so much of memory alone.
const IMAGE_BYTES_MAX: usize = 4 << 20;
/// Where the program finds its seed.
const SEED_OFFSET: usize = 0x40;

/// A raw image of `program`, which draws its garbage from `seed`, and `kernel`.
///
/// # Errors
/// If the program has no room before the kernel, or the kernel none before the garbage.
pub fn image(program: &[u8], kernel: &[u8], seed: u64) -> Result<Vec<u8>> {
    ensure!((SEED_OFFSET + 8..=KERNEL_OFFSET).contains(&program.len()), "the program has {} bytes", program.len());
    let mut image = program.to_vec();
    // A shift register that holds zero stays there.
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    image[SEED_OFFSET..SEED_OFFSET + 8].copy_from_slice(&seed.to_le_bytes());
    image.resize(KERNEL_OFFSET, 0);
    image.extend(kernel);
    ensure!(image.len() <= IMAGE_BYTES_MAX, "program and kernel have {} bytes: make more room in both", image.len());
    Ok(image)
}
