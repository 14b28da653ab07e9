//! What the tables that the processor uses allow the kernel: read back from where the processor has them.
//!
//! For measurements and tests. Not here: making them (`kernel_map.rs`, `frame_memory.rs`).

use super::descriptor::Descriptor;
use super::table::{ENTRIES, SHIFTS, TranslationTable};
use crate::registers::read_register;

/// The level whose entries are pages.
const PAGES: usize = SHIFTS.len() - 1;

/// How many pages and blocks there are of each kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Survey {
    /// The kernel may execute them.
    pub executable: u32,
    /// It may write them.
    pub writable: u32,
    /// Both.
    pub both: u32,
    /// Programs may use them.
    pub of_programs: u32,
}

impl Survey {
    /// Of the kernel's half of the addresses.
    pub fn of_kernel() -> Survey {
        let mut survey = Survey::default();
        survey.add(Descriptor(read_register!("ttbr1_el1")).physical(), 0);
        survey
    }

    /// The table at `physical`, and those that it leads to: each level is one deeper, and there are three.
    fn add(&mut self, physical: u64, level: usize) {
        // SAFETY: a table that the processor uses now, so nothing else; one core runs the kernel, and changes none
        // meanwhile.
        let table = unsafe { TranslationTable::at(physical) };
        for entry in (0..ENTRIES).map(|position| table.entry_at(position).get()).filter(|entry| entry.is_valid()) {
            if level < PAGES && entry.is_table() {
                self.add(entry.physical(), level + 1);
                continue;
            }
            let (executes, writes) = (entry.kernel_executes(), entry.kernel_writes());
            self.executable += u32::from(executes);
            self.writable += u32::from(writes);
            self.both += u32::from(executes && writes);
            self.of_programs += u32::from(entry.is_programs());
        }
    }
}
