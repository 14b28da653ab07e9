//! Zeros of an image: not written where the card is zero, and written where it is not.

use renga_flash::{CopyObserver, FlashError, FlashMedium, Phase, ZERO_BLOCK_BYTES, write_image};
use rustix::io::Errno;
use std::io::{self, Cursor};

const BLOCK: usize = ZERO_BLOCK_BYTES;
/// Longer than what is moved at once.
const IMAGE_BYTES: usize = 150 * BLOCK + 512;

struct Quiet;

impl CopyObserver for Quiet {
    fn progress(&mut self, _: Phase, _: u64, _: u64) {}
}

/// A card that counts the bytes that are written to it.
struct CountingCard {
    bytes: Vec<u8>,
    written_bytes: usize,
    /// From here on reads find no device.
    gone_from: u64,
}

impl FlashMedium for CountingCard {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        self.written_bytes += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        if at + out.len() as u64 > self.gone_from {
            return Err(Errno::NODEV.into());
        }
        out.copy_from_slice(&self.bytes[at as usize..at as usize + out.len()]);
        Ok(out.len())
    }
    fn is_same(&mut self) -> bool {
        true
    }
}

/// Zeros, but for a boot record and some bytes.
fn image() -> Vec<u8> {
    let mut image = vec![0; IMAGE_BYTES];
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    for at in [10 * BLOCK, 64 * BLOCK - 1, 64 * BLOCK, 149 * BLOCK + 77] {
        image[at] = 0xc3;
    }
    image
}

/// Writes the image to a card with these bytes; bytes written, and what the call says was left out.
fn write(old: Vec<u8>) -> (usize, u64) {
    let mut card = CountingCard { bytes: old, written_bytes: 0, gone_from: u64::MAX };
    let written =
        write_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Quiet).expect("nothing fails");
    assert!(card.bytes == image(), "the card is the image");
    (card.written_bytes, written.skipped_bytes)
}

/// Holds: flash-zeros.
#[test]
fn write_image_zeros_on_zero_card_are_not_written() {
    let (written_bytes, skipped_bytes) = write(vec![0; IMAGE_BYTES]);
    // The front twice, and the blocks with a byte. The first two are of one chunk whose blocks begin behind the front.
    assert!(written_bytes <= 2 * 4096 + 4 * BLOCK, "{written_bytes} bytes written");
    assert_eq!(skipped_bytes as usize + written_bytes - 4096, IMAGE_BYTES);
}

/// Holds: flash-zeros.
#[test]
fn write_image_zeros_on_used_card_are_written() {
    let (written_bytes, skipped_bytes) = write(vec![0xee; IMAGE_BYTES]);
    assert_eq!((written_bytes, skipped_bytes), (IMAGE_BYTES + 4096, 0));
    // One byte of another use, in the middle of zeros.
    for at in [4096, 5 * BLOCK, 100 * BLOCK + 4095, IMAGE_BYTES - 1] {
        let mut old = vec![0; IMAGE_BYTES];
        old[at] = 1;
        let (_, skipped_bytes) = write(old);
        assert!(skipped_bytes > 0, "{at}");
    }
}

/// Holds: flash-zeros.
#[test]
fn write_image_zeros_on_card_that_is_gone_are_not_written() {
    let mut card = CountingCard { bytes: vec![0; IMAGE_BYTES], written_bytes: 0, gone_from: 11 * BLOCK as u64 };
    let ended = write_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Quiet);
    assert!(matches!(ended, Err(FlashError::Pulled)), "{ended:?}");
    assert!(card.written_bytes <= 4096 + BLOCK, "{} bytes written after the card was gone", card.written_bytes);
}
