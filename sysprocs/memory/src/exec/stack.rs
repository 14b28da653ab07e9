//! The initial stack, as Linux lays it out: argc, argv, envp, auxiliary vector, strings.
//!
//! Not here: what the entries' values are (`build.rs`).

use crate::area::{Area, Origin, number};
use crate::exec::arguments::ArgumentPages;
use crate::layout::{PAGE, STACK_BYTES_MAX, STACK_END, page_up};
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Access, UserMemory};

/// The processor wants the stack pointer aligned so.
const STACK_ALIGNMENT: u64 = 16;
const WORD_BYTES: u64 = 8;
/// What a stack has below its strings at least, however small its limit: the pointers to them, and a little.
const BELOW_STRINGS_BYTES: u64 = 256 << 10;

/// Keys of the auxiliary vector, as in Linux's `auxvec.h`.
pub mod key {
    pub const NULL: u64 = 0;
    pub const PHDR: u64 = 3;
    pub const PHENT: u64 = 4;
    pub const PHNUM: u64 = 5;
    pub const PAGESZ: u64 = 6;
    pub const BASE: u64 = 7;
    pub const FLAGS: u64 = 8;
    pub const ENTRY: u64 = 9;
    pub const UID: u64 = 11;
    pub const EUID: u64 = 12;
    pub const GID: u64 = 13;
    pub const EGID: u64 = 14;
    pub const PLATFORM: u64 = 15;
    pub const HWCAP: u64 = 16;
    pub const CLKTCK: u64 = 17;
    pub const SECURE: u64 = 23;
    pub const RANDOM: u64 = 25;
    pub const EXECFN: u64 = 31;
}

/// Words on their way to the stack, from low addresses to high.
struct StackWords {
    words: [[u8; WORD_BYTES as usize]; 64],
    count: usize,
    at: u64,
}

impl StackWords {
    /// Takes a word, for which there is room; whether there is none for another.
    #[inline(always)]
    fn push(&mut self, word: u64) -> bool {
        self.words[self.count] = word.to_le_bytes();
        self.count += 1;
        self.count == self.words.len()
    }
    async fn flush<M: UserMemory>(&mut self, pager: &mut Pager<'_, M>, space: &mut Space) -> Result<(), Errno> {
        pager.copy_out(space, self.at, self.words[..self.count].as_flattened()).await?;
        self.at += self.count as u64 * WORD_BYTES;
        self.count = 0;
        Ok(())
    }
}

/// Where a stack of so many bytes at most begins.
fn stack_start(bytes: u64) -> u64 {
    STACK_END - page_up(bytes.min(STACK_BYTES_MAX)).unwrap_or(STACK_BYTES_MAX).max(PAGE)
}

impl Space {
    /// The stack may grow to `bytes` from now on, as far as there is room; what it has it keeps.
    pub fn limit_stack<M: UserMemory>(&mut self, machine: &M, bytes: u64) {
        let Some(stack) = self.table.areas.find(number(STACK_END) - 1).copied().filter(|_| !self.borrowed) else {
            return;
        };
        let (old, new) = (stack.start_address(), stack_start(bytes));
        if new < old && self.table.areas.within(number(new), number(old)).is_empty() {
            // Without room in the list of areas it stays as it is.
            let _ = self.table.areas.insert(Area::new(new, old, stack.access, Origin::Zero));
        } else if new > old {
            let kept = self.next_page(machine, old, new).map_or(new, |(va, _, _)| va);
            let _ = self.table.areas.remove(number(old), number(kept)); // from its end, which takes no room
        }
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// Makes the stack and maps the strings at the end of the stack; their address. Frames not mapped are given back.
    pub(crate) async fn place_strings(&mut self, space: &mut Space, strings: &ArgumentPages) -> Result<u64, Errno> {
        let start = STACK_END - strings.span();
        let bottom = stack_start(strings.stack_bytes.max(strings.span() + BELOW_STRINGS_BYTES));
        let stack = Area::new(bottom, STACK_END, Access::ReadWrite, Origin::Zero);
        let mut result = space.table.areas.insert(stack).map(|()| start);
        for index in 0..strings.count() {
            let frame = strings.frame(self.machine, index);
            if result.is_ok() {
                let va = start + index as u64 * PAGE;
                result = self.show(space, va, frame, Access::ReadWrite).await.map(|()| start);
            } else {
                self.free(frame).await;
            }
        }
        result
    }

    /// Writes what stands below the strings; the stack pointer, and where the environment begins.
    pub(crate) async fn place_vectors(
        &mut self,
        space: &mut Space,
        strings: &ArgumentPages,
        auxiliary: &[(u64, u64)],
    ) -> Result<(u64, u64), Errno> {
        let start = STACK_END - strings.span();
        let pointers = u64::from(strings.arguments) + u64::from(strings.environment) + 2;
        let words = 1 + pointers + 2 * auxiliary.len() as u64;
        let sp = (start - words * WORD_BYTES) & !(STACK_ALIGNMENT - 1);
        let mut out = StackWords { words: [[0; WORD_BYTES as usize]; 64], count: 0, at: sp };
        out.push(u64::from(strings.arguments));
        let (mut offset, mut environment) = (0, 0);
        for count in [strings.arguments, strings.environment] {
            environment = start + offset as u64;
            for index in 0..=count {
                let pointer = if index == count { 0 } else { start + offset as u64 };
                if out.push(pointer) {
                    out.flush(self, space).await?;
                }
                if index < count {
                    offset = strings.behind_string(self.machine, offset);
                }
            }
        }
        for word in auxiliary.iter().flat_map(|&(key, value)| [key, value]) {
            if out.push(word) {
                out.flush(self, space).await?;
            }
        }
        out.flush(self, space).await?;
        Ok((sp, environment))
    }
}
