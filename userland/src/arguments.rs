//! Arguments and environment, as the kernel left them on the stack.

use core::ffi::CStr;

/// Arguments or variables that a program here looks at, at most.
pub const ARGUMENTS_MAX: usize = 256;

/// Arguments and environment of this program.
#[derive(Clone, Copy)]
pub struct Arguments {
    stack: *const usize,
}

impl Arguments {
    /// # Safety
    /// `stack` is the initial stack pointer: argc, argv, null, envp, null, all never written since.
    pub unsafe fn new(stack: *const usize) -> Self {
        Arguments { stack }
    }

    fn word(&self, index: usize) -> usize {
        // SAFETY: callers stay within argc + 1 words, or stop at the environment's null.
        unsafe { *self.stack.add(index) }
    }

    /// How many arguments there are, the program's name included.
    pub fn count(&self) -> usize {
        self.word(0).min(ARGUMENTS_MAX)
    }

    /// Argument `index`.
    pub fn get(&self, index: usize) -> Option<&'static CStr> {
        // SAFETY: below argc, so a string of the initial stack, which is never freed.
        (index < self.count()).then(|| unsafe { CStr::from_ptr(self.word(1 + index) as *const _) })
    }

    /// The arguments from `first` on, as a list for an exec: with a null at its end.
    pub fn list_from(&self, first: usize) -> [*const u8; ARGUMENTS_MAX] {
        let mut list = [core::ptr::null(); ARGUMENTS_MAX];
        for (slot, index) in list[..ARGUMENTS_MAX - 1].iter_mut().zip(first..self.count()) {
            *slot = self.word(1 + index) as *const u8;
        }
        list
    }

    /// The environment, as a list for an exec.
    pub fn environment(&self) -> [*const u8; ARGUMENTS_MAX] {
        let mut list = [core::ptr::null(); ARGUMENTS_MAX];
        let first = self.word(0) + 2;
        for (i, slot) in list[..ARGUMENTS_MAX - 1].iter_mut().enumerate() {
            match self.word(first + i) {
                0 => break,
                at => *slot = at as *const u8,
            }
        }
        list
    }

    /// The value of a variable of the environment.
    pub fn variable(&self, name: &[u8]) -> Option<&'static [u8]> {
        for at in self.environment() {
            if at.is_null() {
                return None;
            }
            // SAFETY: an entry of the environment, which is never freed.
            let entry = unsafe { CStr::from_ptr(at.cast()) }.to_bytes();
            if let Some(value) = entry.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"=")) {
                return Some(value);
            }
        }
        None
    }
}
