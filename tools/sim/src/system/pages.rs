//! What is on a medium, by pages that copies share until one of them writes.
//!
//! Invariant: an absent page is all zeros, and a present page is not when created. So a copy for a check costs a
//! pointer a page, and a fresh system costs only the pages that the last one wrote. Not here: faults, power
//! (`disk.rs`).

use renga_rt::PAGE_BYTES;
use std::sync::Arc;

type Page = [u8; PAGE_BYTES];

const ZEROS: Page = [0; PAGE_BYTES];

/// The content of a medium; its length is whole pages.
#[derive(Clone, Default)]
pub struct Pages(Vec<Option<Arc<Page>>>);

impl Pages {
    /// So many bytes of zeros, rounded up to whole pages.
    pub fn zeros(bytes: usize) -> Pages {
        Pages(vec![None; bytes.div_ceil(PAGE_BYTES)])
    }

    /// These bytes, and zeros up to a whole page.
    pub fn new(bytes: &[u8]) -> Pages {
        let mut pages = Pages::zeros(bytes.len());
        for (place, content) in pages.0.iter_mut().zip(bytes.chunks(PAGE_BYTES)) {
            if content != &ZEROS[..content.len()] {
                let mut page = Arc::new(ZEROS);
                Arc::make_mut(&mut page)[..content.len()].copy_from_slice(content);
                *place = Some(page);
            }
        }
        pages
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.0.len() * PAGE_BYTES
    }

    /// The pages that are there, each with where it begins.
    pub fn present(&self) -> impl Iterator<Item = (usize, &Page)> {
        self.0.iter().enumerate().filter_map(|(number, page)| Some((number * PAGE_BYTES, &**page.as_ref()?)))
    }

    /// Reads from byte `at` on.
    ///
    /// # Panics
    /// Behind the end.
    pub fn read(&self, at: usize, out: &mut [u8]) {
        for (at, range) in pieces(at, out.len()) {
            let content = self.0[at / PAGE_BYTES].as_deref().unwrap_or(&ZEROS);
            let (at, bytes) = (at % PAGE_BYTES, range.len());
            out[range].copy_from_slice(&content[at..at + bytes]);
        }
    }

    /// Writes from byte `at` on.
    ///
    /// # Panics
    /// Behind the end.
    pub fn write(&mut self, at: usize, data: &[u8]) {
        for (at, range) in pieces(at, data.len()) {
            let page = self.0[at / PAGE_BYTES].get_or_insert_with(|| Arc::new(ZEROS));
            let (at, bytes) = (at % PAGE_BYTES, range.len());
            Arc::make_mut(page)[at..at + bytes].copy_from_slice(&data[range]);
        }
    }
}

/// A transfer in pieces that lie in one page each: where on the medium, and which bytes of the transfer.
fn pieces(at: usize, bytes: usize) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let begin = done;
        done = bytes.min(begin + PAGE_BYTES - (at + begin) % PAGE_BYTES);
        (begin < bytes).then_some((at + begin, begin..done))
    })
}

#[cfg(test)]
mod tests {
    use super::Pages;

    #[test]
    fn disk_image_transfer_across_pages_is_copy_on_write() {
        let bytes: Vec<u8> = (0..3 * 4096).map(|at| (at / 7) as u8).collect();
        let mut pages = Pages::new(&bytes);
        let before = pages.clone();
        pages.write(4000, &[9; 5000]);
        let mut out = vec![0; bytes.len()];
        pages.read(0, &mut out);
        assert!(out[..4000] == bytes[..4000] && out[4000..9000] == [9; 5000] && out[9000..] == bytes[9000..]);
        before.read(0, &mut out);
        assert!(out == bytes);
    }

    #[test]
    fn disk_image_zero_pages_take_no_memory() {
        let mut bytes = vec![0; 2 * 4096 + 1];
        bytes[4096 + 5] = 1;
        let pages = Pages::new(&bytes);
        assert_eq!(pages.bytes(), 3 * 4096);
        assert_eq!(pages.present().map(|(at, page)| (at, page[5])).collect::<Vec<_>>(), [(4096, 1)]);
        let mut out = [7; 4096];
        pages.read(100, &mut out);
        assert!(out.iter().enumerate().all(|(at, byte)| *byte == u8::from(at == 4096 + 5 - 100)));
    }
}
