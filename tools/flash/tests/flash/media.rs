//! Media that fail on purpose.

use renga_flash::{CopyObserver, FlashError, FlashMedium, Phase, verify_image, write_image};
use rustix::io::Errno;
use std::io::{self, Cursor};

/// Three chunks and a part of one.
const IMAGE_BYTES: usize = 3 * (4 << 20) + 8192;

fn image() -> Vec<u8> {
    let mut image: Vec<u8> = (0..IMAGE_BYTES as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    image
}

/// What goes wrong, at which byte.
#[derive(Clone, Copy, Default)]
struct Faults {
    write: Option<(u64, Errno)>,
    read: Option<(u64, Errno)>,
    flush: Option<u32>,
    pulled_at: Option<u64>,
    /// Another card was put in before anything was written.
    swapped_before: bool,
    /// Another card is in the reader once this place was written.
    swapped_after: Option<u64>,
    /// Another card is in the reader from this flush on, and takes writes as the first one did.
    swapped_at_flush: Option<u32>,
    reads_other: Option<u64>,
    most: Option<usize>,
}

struct Card {
    bytes: Vec<u8>,
    faults: Faults,
    gone: bool,
    flushes: u32,
    /// Places written to, and flushes.
    log: Vec<Option<u64>>,
}

impl Card {
    fn new(len: usize, faults: Faults) -> Card {
        // An old card: it has a master boot record and other things.
        let mut bytes = vec![0xee; len];
        bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
        Card { bytes, faults, gone: false, flushes: 0, log: Vec::new() }
    }

    fn boots(&self) -> bool {
        self.bytes[510..512] == [0x55, 0xaa]
    }

    fn fails(&mut self, at: u64, len: usize, fault: Option<(u64, Errno)>) -> io::Result<()> {
        let inside = |place: u64| (at..at + len as u64).contains(&place);
        if self.faults.pulled_at.is_some_and(inside) {
            self.gone = true;
        }
        match fault {
            _ if self.gone => Err(Errno::IO.into()),
            Some((place, errno)) if inside(place) => Err(errno.into()),
            _ => Ok(()),
        }
    }
}

impl FlashMedium for Card {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.log.push(Some(at));
        self.fails(at, bytes.len(), self.faults.write)?;
        let room = self.bytes.len().saturating_sub(at as usize);
        let count = bytes.len().min(self.faults.most.unwrap_or(usize::MAX)).min(room);
        self.bytes[at as usize..at as usize + count].copy_from_slice(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.log.push(None);
        self.flushes += 1;
        if self.faults.flush == Some(self.flushes) { Err(Errno::IO.into()) } else { Ok(()) }
    }
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        self.fails(at, out.len(), self.faults.read)?;
        let left = &self.bytes[(at as usize).min(self.bytes.len())..];
        let count = out.len().min(self.faults.most.unwrap_or(usize::MAX)).min(left.len());
        out[..count].copy_from_slice(&left[..count]);
        if let Some(place) = self.faults.reads_other.filter(|place| (at..at + count as u64).contains(place)) {
            out[(place - at) as usize] ^= 1;
        }
        Ok(count)
    }
    fn is_same(&mut self) -> bool {
        let is_swapped = self.faults.swapped_at_flush.is_some_and(|flush| self.flushes >= flush);
        let was_written = |place| self.log.contains(&Some(place));
        !self.gone && !self.faults.swapped_before && !is_swapped && !self.faults.swapped_after.is_some_and(was_written)
    }
}

#[derive(Default)]
struct Seen(Vec<(Phase, u64)>);

impl CopyObserver for Seen {
    fn progress(&mut self, phase: Phase, done_bytes: u64, all_bytes: u64) {
        assert_eq!(all_bytes, IMAGE_BYTES as u64);
        self.0.push((phase, done_bytes));
    }
}

fn flash(faults: Faults) -> (Card, Result<String, FlashError>) {
    let mut card = Card::new(IMAGE_BYTES + 4096, faults);
    let ended = write_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Seen::default());
    (card, ended.map(|written| written.sum.to_string()))
}

fn failure(faults: Faults) -> (Card, FlashError) {
    let (card, ended) = flash(faults);
    (card, ended.expect_err("it fails on purpose"))
}

/// Holds: flash-order.
#[test]
fn write_image_boot_record_comes_last_after_flush() {
    let mut seen = Seen::default();
    let mut card = Card::new(IMAGE_BYTES, Faults::default());
    write_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut seen).expect("nothing fails");
    assert!(card.bytes == image());
    let mib4 = 4 << 20;
    let body = [Some(4096), Some(mib4), Some(2 * mib4), Some(3 * mib4)];
    assert_eq!(card.log[..2], [Some(0), None]);
    assert_eq!(card.log[2..6], body);
    assert_eq!(card.log[6..], [None, Some(0), None]);
    assert_eq!(seen.0.last(), Some(&(Phase::Verify, IMAGE_BYTES as u64)));
    assert!(seen.0.contains(&(Phase::Write, IMAGE_BYTES as u64)));
}

/// Holds: flash-order.
#[test]
fn write_image_interrupted_leaves_no_boot_record() {
    for at in [4096, 4 << 20, (8 << 20) + 77, IMAGE_BYTES as u64 - 1] {
        let (card, error) = failure(Faults { pulled_at: Some(at), ..Faults::default() });
        assert!(matches!(error, FlashError::Pulled) && error.status() == 5, "{at}: {error}");
        assert!(!card.boots(), "pulled at {at}, it still has a master boot record");
    }
    for flush in [1, 2, 3] {
        let (card, error) = failure(Faults { flush: Some(flush), ..Faults::default() });
        assert!(matches!(error, FlashError::Write { .. }), "{error}");
        assert!(!card.boots(), "flush {flush} failed");
    }
}

#[test]
fn medium_errors_have_different_statuses() {
    let write = |errno| failure(Faults { write: Some((5 << 20, errno)), ..Faults::default() }).1;
    assert!(matches!(write(Errno::IO), FlashError::Write { at: 0x40_0000, .. }));
    assert!(matches!(write(Errno::NOSPC), FlashError::Full { at: 0x40_0000 }));
    assert!(matches!(write(Errno::NODEV), FlashError::Pulled));
    assert!(matches!(write(Errno::NXIO), FlashError::Pulled));
    let read = |errno| failure(Faults { read: Some((5 << 20, errno)), ..Faults::default() }).1;
    assert!(matches!(read(Errno::IO), FlashError::Read { at: 0x40_0000, .. }));
    assert!(matches!(read(Errno::NODEV), FlashError::Pulled));
}

#[test]
fn medium_smaller_than_stated_is_full() {
    let mut card = Card::new(5 << 20, Faults::default());
    let ended = write_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Seen::default());
    assert!(matches!(ended, Err(FlashError::Full { at: 0x50_0000 })), "{ended:?}");
    assert!(!card.boots());
}

#[test]
fn medium_short_reads_and_writes_continue() {
    let (card, ended) = flash(Faults { most: Some(70_000), ..Faults::default() });
    assert_eq!(ended.expect("nothing fails"), flash(Faults::default()).1.expect("nothing fails"));
    assert!(card.bytes[..IMAGE_BYTES] == image());
}

#[test]
fn medium_ending_early_fails_verification() {
    let mut card = Card::new(5 << 20, Faults::default());
    card.bytes.copy_from_slice(&image()[..5 << 20]);
    let ended = verify_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Seen::default());
    assert!(matches!(ended, Err(FlashError::Read { at: 0x50_0000, .. })), "{ended:?}");
}

/// Holds: flash-order.
#[test]
fn verify_image_one_flipped_bit_is_found() {
    for at in [0, 511, 4096, 9_000_001, IMAGE_BYTES as u64 - 1] {
        let (card, error) = failure(Faults { reads_other: Some(at), ..Faults::default() });
        assert!(matches!(error, FlashError::Differs { at: found, .. } if found == at), "{at}: {error}");
        assert_eq!(error.status(), 1);
        assert!(!card.boots(), "{at}: a card that differs has a boot record");
        assert_eq!(card.log.last(), Some(&None), "{at}: its boot record is wiped, but not flushed");
    }
}

/// Holds: flash-order.
#[test]
fn verify_image_alone_wipes_nothing() {
    let mut card = Card::new(IMAGE_BYTES, Faults::default());
    let ended = verify_image(&mut Cursor::new(image()), IMAGE_BYTES as u64, &mut card, &mut Seen::default());
    assert!(matches!(ended, Err(FlashError::Differs { at: 0, .. })), "{ended:?}");
    assert!(card.boots() && card.log.is_empty());
}

#[test]
fn write_image_card_swapped_before_start_gets_no_write() {
    let (card, error) = failure(Faults { swapped_before: true, ..Faults::default() });
    assert!(matches!(error, FlashError::Pulled), "{error}");
    assert_eq!(card.log, []);
}

/// Holds: flash-order.
#[test]
fn write_image_card_swapped_between_chunks_gets_no_further_write() {
    for place in [0, 4096, 4 << 20] {
        let (card, error) = failure(Faults { swapped_after: Some(place), ..Faults::default() });
        assert!(matches!(error, FlashError::Pulled), "{place}: {error}");
        assert_eq!(card.log.iter().flatten().last(), Some(&place), "{place}: another card was written");
    }
}

/// A card that another one takes the place of while it is read back is not that one's to wipe.
/// Holds: flash-order.
#[test]
fn write_image_card_swapped_before_verification_is_not_wiped() {
    let faults = Faults { swapped_at_flush: Some(3), reads_other: Some(4096), ..Faults::default() };
    let (card, error) = failure(faults);
    assert!(matches!(error, FlashError::Pulled), "{error}");
    assert!(card.boots(), "the other card was wiped");
}

#[test]
fn write_image_of_one_sector_changes_one_sector() {
    let mut card = Card::new(8192, Faults::default());
    struct Any;
    impl CopyObserver for Any {
        fn progress(&mut self, _: Phase, _: u64, _: u64) {}
    }
    write_image(&mut Cursor::new(&image()[..512]), 512, &mut card, &mut Any).expect("nothing fails");
    assert!(card.bytes[..512] == image()[..512]);
    assert!(card.bytes[512..].iter().all(|byte| *byte == 0xee), "more than the image was written");
}

/// A card that takes the place of the first one in silence gets no boot record: it would be one that starts, and half
/// another's.
/// Holds: flash-order.
#[test]
fn write_image_card_swapped_before_boot_record_gets_none() {
    for flush in [1, 2] {
        let (card, error) = failure(Faults { swapped_at_flush: Some(flush), ..Faults::default() });
        assert!(matches!(error, FlashError::Pulled), "{error}");
        assert!(!card.boots(), "swapped at flush {flush}, it has a boot record");
    }
}
