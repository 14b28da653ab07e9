//! Little-endian fields of a process image, written and read one after the other.
//!
//! Owns: the writer and the reader. Invariant: neither goes beyond its slice (`E2BIG`, `EINVAL`).
//! Called by: `process_image.rs`, `object.rs`. Not here: which fields a program has.

use renga_rt::Errno;

pub struct ImageWriter<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> ImageWriter<'a> {
    /// At the start of `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        ImageWriter { out, at: 0 }
    }
    /// Appends; `E2BIG` when there is no room.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let place = self.out.get_mut(self.at..self.at + bytes.len()).ok_or(Errno::E2BIG)?;
        place.copy_from_slice(bytes);
        self.at += bytes.len();
        Ok(())
    }
    pub fn word(&mut self, word: u64) -> Result<(), Errno> {
        self.put(&word.to_le_bytes())
    }
    pub fn words<const N: usize>(&mut self, words: [u64; N]) -> Result<(), Errno> {
        words.into_iter().try_for_each(|word| self.word(word))
    }
    /// Appends words of which most are `usual`: which are not (a bit each), and these.
    pub fn sparse<const N: usize>(&mut self, usual: u64, words: [u64; N]) -> Result<(), Errno> {
        const { assert!(N <= u64::BITS as usize) };
        let unusual = words.iter().rev().fold(0, |set, &word| set << 1 | u64::from(word != usual));
        self.word(unusual)?;
        words.into_iter().filter(|&word| word != usual).try_for_each(|word| self.word(word))
    }
    /// What is left to write to.
    pub fn rest(&mut self) -> &mut [u8] {
        &mut self.out[self.at..]
    }
    /// How much there is, bytes.
    pub fn bytes(&self) -> usize {
        self.at
    }
}

pub struct ImageReader<'a>(&'a [u8]);

impl<'a> ImageReader<'a> {
    /// From the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        ImageReader(bytes)
    }
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Errno> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Errno::EINVAL)?;
        self.0 = rest;
        Ok(*head)
    }
    pub fn word(&mut self) -> Result<u64, Errno> {
        Ok(u64::from_le_bytes(self.take()?))
    }
    pub fn words<const N: usize>(&mut self) -> Result<[u64; N], Errno> {
        let mut words = [0; N];
        words.iter_mut().try_for_each(|place| self.word().map(|word| *place = word))?;
        Ok(words)
    }
    /// Words of which most are `usual`.
    pub fn sparse<const N: usize>(&mut self, usual: u64) -> Result<[u64; N], Errno> {
        let (unusual, mut words) = (self.word()?, [usual; N]);
        for (_, word) in words.iter_mut().enumerate().filter(|(place, _)| unusual >> place & 1 != 0) {
            *word = self.word()?;
        }
        Ok(words)
    }
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }
}
