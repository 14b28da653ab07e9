//! The number of a page frame, alone and in lists of messages. Not here: its content and its owners (`memory.rs`).

/// A page frame for user memory, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame(pub u32);

/// A frame's number as lists of frames have it in messages: little-endian.
pub type ListedFrame = [u8; 4];

/// In a list, where there is no frame.
pub const NOT_LISTED: ListedFrame = [0xff; 4];

impl Frame {
    /// As lists have it.
    pub const fn listed(self) -> ListedFrame {
        self.0.to_le_bytes()
    }
}
