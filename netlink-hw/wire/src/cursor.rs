//! Reading and writing numbers at the front of a buffer.

use crate::WireError;

/// Most bytes of a number: seven bits in each.
const VARINT_BYTES_MAX: usize = 10;

/// What is left to read.
pub(crate) struct FrameReader<'a>(pub(crate) &'a [u8]);

impl FrameReader<'_> {
    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        let (first, rest) = self.0.split_first().ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    /// A number, seven bits a byte, the lowest first; the top bit says that more follow (LEB128).
    #[inline(always)]
    pub(crate) fn varint(&mut self) -> Result<u64, WireError> {
        match self.0 {
            // Most are small.
            [small @ 0..0x80, rest @ ..] => {
                let value = u64::from(*small);
                self.0 = rest;
                Ok(value)
            }
            [low, high @ 0..0x80, rest @ ..] => {
                let value = u64::from(*low & 0x7f) | u64::from(*high) << 7;
                self.0 = rest;
                Ok(value)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for i in 0..VARINT_BYTES_MAX {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::TooLarge)
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Result<u32, WireError> {
        u32::try_from(self.varint()?).map_err(|_| WireError::TooLarge)
    }

    #[inline]
    pub(crate) fn index(&mut self) -> Result<u16, WireError> {
        u16::try_from(self.varint()?).map_err(|_| WireError::TooLarge)
    }
}

/// The bytes written until now, and the buffer.
pub(crate) struct FrameWriter<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> FrameWriter<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        FrameWriter { bytes, at: 0 }
    }
    pub(crate) fn length(&self) -> usize {
        self.at
    }

    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) -> Result<(), WireError> {
        *self.bytes.get_mut(self.at).ok_or(WireError::Short)? = byte;
        self.at += 1;
        Ok(())
    }

    #[inline]
    pub(crate) fn varint(&mut self, mut value: u64) -> Result<(), WireError> {
        // At most VARINT_BYTES_MAX iterations: 64 bits, seven each.
        while value >= 0x80 {
            self.byte(value as u8 | 0x80)?;
            value >>= 7;
        }
        self.byte(value as u8)
    }
}
