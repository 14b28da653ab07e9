//! Words that mean nothing and are the same in every run: what programs under measurement sort, count and set.

/// Words without a short period (xorshift).
#[derive(Debug)]
pub struct RandomWords(u32);

impl Default for RandomWords {
    fn default() -> RandomWords {
        RandomWords(0x9e37_79b9)
    }
}

impl RandomWords {
    /// The next of the random numbers that select words.
    pub fn number(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn word(&mut self) -> String {
        let length = 2 + self.number() % 8;
        (0..length).map(|_| char::from(b'a' + (self.number() % 26) as u8)).collect()
    }

    /// Four words and up to `more - 1` others, with a blank between each two.
    pub fn line(&mut self, more: u32) -> String {
        let count = 4 + self.number() % more;
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}
