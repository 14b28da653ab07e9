//! Arguments and environment, as the kernel left them on the stack.

use core::ffi::CStr;

/// Arguments and environment of this program.
#[derive(Clone, Copy)]
pub struct ProgramArguments {
    stack: *const usize,
}

impl ProgramArguments {
    /// # Safety
    /// `stack` is the initial stack pointer: argc, argv, null, envp, null, all never written since.
    pub unsafe fn new(stack: *const usize) -> Self {
        ProgramArguments { stack }
    }

    fn word(&self, index: usize) -> usize {
        // SAFETY: callers stay within argc + 1 words, or stop at the environment's null.
        unsafe { *self.stack.add(index) }
    }

    /// How many arguments there are, the program's name included.
    pub fn count(&self) -> usize {
        self.word(0)
    }

    /// Argument `index`.
    pub fn get(&self, index: usize) -> Option<&'static CStr> {
        // SAFETY: below argc, so a string of the initial stack, which is never freed.
        (index < self.count()).then(|| unsafe { CStr::from_ptr(self.word(1 + index) as *const _) })
    }

    /// The arguments from `first` on, as a list for an exec: with the null at its end.
    pub fn list_from(&self, first: usize) -> &'static [*const u8] {
        let first = first.min(self.count());
        // SAFETY: argv and its null are words 1 to 1 + argc of the initial stack, never written since.
        unsafe { core::slice::from_raw_parts(self.stack.add(1 + first).cast(), self.count() - first + 1) }
    }

    /// The environment, as a list for an exec.
    pub fn environment(&self) -> &'static [*const u8] {
        let first = self.word(0) + 2;
        let mut count = 0;
        // Bounded by what the kernel put there, which ends with a null.
        while self.word(first + count) != 0 {
            count += 1;
        }
        // SAFETY: envp and its null, counted just now, never written since.
        unsafe { core::slice::from_raw_parts(self.stack.add(first).cast(), count + 1) }
    }

    /// The value of a variable of the environment.
    pub fn variable(&self, name: &[u8]) -> Option<&'static [u8]> {
        for &at in self.environment() {
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
