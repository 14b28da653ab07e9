//! The strings that a program starts with, gathered in page frames that become part of its stack.
//!
//! Order: arguments, environment, then what the auxiliary vector points to. Invariant: each string ends
//! with a zero byte; pages but the last are full; the frames are this value's until
//! [`crate::Pager::load`] takes them or [`ArgumentPages::release`] gives them back. Not here: the
//! pointers to them (`stack.rs`).

use crate::layout::PAGE;
use crate::pager::Pager;
use crate::space::Space;
use core::ffi::CStr;
use heapless::Vec;
use renga_abi::Errno;
use renga_hal::memory::{Frame, ListedFrame, PAGE_BYTES, UserMemory};
use renga_random::Random;

/// Pages of strings that are known here; those behind are named in a page of their own.
const PAGES_HERE: usize = 32;
/// Most pages that the strings may fill, about 4 MiB, whatever the stack's limit. Beyond: `E2BIG`.
const PAGES_MAX: usize = PAGES_HERE + PAGE_BYTES / size_of::<ListedFrame>();
/// The strings and the pointers to them may take a quarter of the stack, or so much if that is more; as in Linux.
const STRINGS_BYTES_MIN: u64 = 128 << 10;
/// Bytes that one string may have, with its zero; as in Linux.
const STRING_BYTES_MAX: usize = 128 << 10;
/// What is copied at a time of a string in memory that others write too; divides a page.
const SHARED_BYTES: usize = 64;
const POINTER_BYTES: u64 = 8;
/// What AT_PLATFORM points to.
const PLATFORM: &[u8] = b"aarch64\0";
/// Bytes that AT_RANDOM points to.
const RANDOM_BYTES: usize = 16;

/// Where, from the first string on, the auxiliary vector's strings are.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Extras {
    pub(crate) name: usize,
    pub(crate) platform: usize,
    pub(crate) random: usize,
}

renga_rt::with_defaults! {
    /// Strings for a new program.
    pub struct ArgumentPages {
        frames: Vec<Frame, PAGES_HERE> = Vec::new(),
        /// The page with the numbers of the frames behind those.
        more: Option<Frame> = None,
        length: usize = 0,
        /// Bytes that the program's stack may have.
        pub(crate) stack_bytes: u64 = stack_bytes,
        pub(crate) arguments: u32 = 0,
        pub(crate) environment: u32 = 0,
        pub(crate) extras: Option<Extras> = None,
    }
    /// None yet, for a program whose stack may have `stack_bytes`.
    pub const fn new(stack_bytes: u64);
}

impl ArgumentPages {
    /// How many pages there are.
    pub(crate) fn count(&self) -> usize {
        self.length.div_ceil(PAGE_BYTES)
    }

    /// The frame of page `index`, which exists.
    pub(crate) fn frame<M: UserMemory>(&self, machine: &M, index: usize) -> Frame {
        match (self.frames.get(index), self.more) {
            (Some(&frame), _) => frame,
            (None, Some(more)) => {
                let list = machine.shared_page(more);
                let listed = list.as_chunks::<4>().0.get(index - PAGES_HERE);
                Frame(listed.map_or(0, |frame| u32::from_le_bytes(*frame)))
            }
            (None, None) => unreachable!("pages behind the first ones are listed"),
        }
    }

    /// To add strings to them by `pager`.
    pub fn with<'b, 'a, M: UserMemory>(&'b mut self, pager: &'b mut Pager<'a, M>) -> StringWriter<'b, 'a, M> {
        StringWriter { pages: self, pager }
    }

    /// `E2BIG` if strings and pointers take more than they may.
    fn check_size(&self, strings: u32) -> Result<(), Errno> {
        let taken = self.length as u64 + u64::from(strings) * POINTER_BYTES;
        if taken > (self.stack_bytes / 4).max(STRINGS_BYTES_MIN) { Err(Errno::E2BIG) } else { Ok(()) }
    }

    /// Gives the frames back.
    pub async fn release<M: UserMemory>(self, pager: &mut Pager<'_, M>) {
        for index in 0..self.count() {
            pager.free(self.frame(pager.machine, index)).await;
        }
        self.release_list(pager).await;
    }

    /// Frees the list, not the strings, whose frames belong to the new space by now.
    pub(crate) async fn release_list<M: UserMemory>(&self, pager: &mut Pager<'_, M>) {
        if let Some(list) = self.more {
            pager.free(list).await;
        }
    }

    /// The offset behind the string (and its zero) that begins at `offset`.
    pub(crate) fn behind_string<M: UserMemory>(&self, machine: &M, offset: usize) -> usize {
        let mut at = offset;
        // Each pass passes a page; the last string ends before the pages do.
        while at < self.length {
            let page = machine.shared_page(self.frame(machine, at / PAGE_BYTES));
            if let Some(length) = zero_in(&page[at % PAGE_BYTES..]) {
                return at + length + 1;
            }
            at = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        }
        at
    }

    /// Bytes of address space that the pages take.
    pub(crate) fn span(&self) -> u64 {
        self.count() as u64 * PAGE
    }
}

/// Adds strings: all arguments, then the environment, then what finishes them.
pub struct StringWriter<'b, 'a, M: UserMemory + 'static> {
    pages: &'b mut ArgumentPages,
    pager: &'b mut Pager<'a, M>,
}

impl<M: UserMemory> StringWriter<'_, '_, M> {
    /// Adds an argument.
    pub async fn push_argument(&mut self, string: &[u8]) -> Result<(), Errno> {
        assert!(self.pages.environment == 0 && self.pages.extras.is_none(), "arguments come first");
        self.push_string(string).await?;
        self.pages.arguments += 1;
        Ok(())
    }

    /// Adds a `NAME=value`.
    pub async fn push_environment(&mut self, string: &[u8]) -> Result<(), Errno> {
        self.need_an_argument().await?;
        self.push_string(string).await?;
        self.pages.environment += 1;
        Ok(())
    }

    /// Adds the strings of a program's argument vector at `vector` (0: none), but for the first `skip`.
    pub async fn push_arguments_from(&mut self, space: &mut Space, vector: u64, skip: u32) -> Result<(), Errno> {
        assert!(self.pages.environment == 0 && self.pages.extras.is_none(), "arguments come first");
        self.pages.arguments += self.push_vector(space, vector, skip).await?;
        Ok(())
    }

    /// Adds the strings of a program's environment vector at `vector` (0: none).
    pub async fn push_environment_from(&mut self, space: &mut Space, vector: u64) -> Result<(), Errno> {
        self.need_an_argument().await?;
        self.pages.environment += self.push_vector(space, vector, 0).await?;
        Ok(())
    }

    /// Adds what the auxiliary vector points to: the path `name` of the program and 16 bytes that `seed`
    /// determines. The strings are then complete.
    pub async fn finish(&mut self, name: &[u8], seed: u64) -> Result<(), Errno> {
        self.need_an_argument().await?;
        let mut extras = Extras { name: self.pages.length, ..Extras::default() };
        self.push_string(name).await?;
        extras.platform = self.pages.length;
        self.push_bytes(PLATFORM).await?;
        // Aligned, since programs read it by words.
        let padding = self.pages.length.next_multiple_of(RANDOM_BYTES) - self.pages.length;
        self.push_bytes(&[0; RANDOM_BYTES][..padding]).await?;
        extras.random = self.pages.length;
        self.push_bytes(&random(seed)).await?;
        self.pages.extras = Some(extras);
        Ok(())
    }

    /// As Linux does: a program without arguments gets an empty one.
    async fn need_an_argument(&mut self) -> Result<(), Errno> {
        if self.pages.arguments == 0 { self.push_argument(b"").await } else { Ok(()) }
    }

    /// Adds the strings of a vector of pointers that ends with a null; how many.
    async fn push_vector(&mut self, space: &mut Space, vector: u64, skip: u32) -> Result<u32, Errno> {
        if vector == 0 {
            return Ok(0);
        }
        let mut count = 0;
        // Each pass adds at least a byte, of which there are at most `PAGES_MAX` pages.
        loop {
            let index = u64::from(skip) + u64::from(count);
            let at = vector.checked_add(index * 8).ok_or(Errno::EFAULT)?;
            let string = self.pager.copy_in_word(space, at).await?;
            if string == 0 {
                return Ok(count);
            }
            self.push_user_string(space, string).await?;
            count += 1;
            self.pages.check_size(self.pages.arguments + self.pages.environment + count)?;
        }
    }

    async fn push_user_string(&mut self, space: &mut Space, string: u64) -> Result<(), Errno> {
        let (mut at, start) = (string, self.pages.length);
        // Each pass adds a page's rest, of which there are at most `PAGES_MAX`.
        loop {
            let (mut copy, piece);
            let part = if space.may_share(at) {
                // Others may write to the page while room is made for the string.
                copy = [0; SHARED_BYTES];
                let length = SHARED_BYTES - (at as usize % SHARED_BYTES);
                self.pager.copy_in(space, at, &mut copy[..length]).await?;
                &copy[..length]
            } else {
                piece = self.pager.page_for_read(space, at, PAGE_BYTES).await?;
                &piece[..]
            };
            let end = zero_in(part);
            let length = end.map_or(part.len(), |end| end + 1);
            if self.pages.length + length - start > STRING_BYTES_MAX {
                return Err(Errno::E2BIG);
            }
            self.push_bytes(&part[..length]).await?;
            if end.is_some() {
                return Ok(());
            }
            at = at.checked_add(length as u64).ok_or(Errno::EFAULT)?;
        }
    }

    async fn push_string(&mut self, string: &[u8]) -> Result<(), Errno> {
        self.push_bytes(string).await?;
        self.push_bytes(&[0]).await
    }

    async fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = self.pages.length % PAGE_BYTES;
            if at == 0 {
                self.grow().await?;
            }
            let frame = self.pages.frame(self.pager.machine, self.pages.length / PAGE_BYTES);
            let length = rest.len().min(PAGE_BYTES - at);
            self.pager.machine.page(frame)[at..at + length].copy_from_slice(&rest[..length]);
            self.pages.length += length;
            rest = &rest[length..];
        }
        Ok(())
    }

    /// One page more.
    async fn grow(&mut self) -> Result<(), Errno> {
        let index = self.pages.count();
        if index >= PAGES_MAX {
            return Err(Errno::E2BIG);
        }
        if index >= PAGES_HERE && self.pages.more.is_none() {
            self.pages.more = Some(self.pager.allocate().await?);
        }
        let frame = self.pager.allocate().await?;
        if let (Err(frame), Some(more)) = (self.pages.frames.push(frame), self.pages.more) {
            let mut list = self.pager.machine.page(more);
            list.as_chunks_mut::<4>().0[index - PAGES_HERE] = frame.listed();
        }
        Ok(())
    }
}

/// Where the first zero byte is. (The library's search takes words.)
fn zero_in(bytes: &[u8]) -> Option<usize> {
    CStr::from_bytes_until_nul(bytes).ok().map(CStr::count_bytes)
}

fn random(seed: u64) -> [u8; RANDOM_BYTES] {
    let mut random = Random::new(seed);
    let mut bytes = [0; RANDOM_BYTES];
    bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|word| *word = random.draw().to_le_bytes());
    bytes
}
