//! The kernel's own map: the image with the least rights that work, memory and devices without
//! execution, a hole under the stack.
//!
//! Invariant: `kernel_tables` of `boot.S` is used here only, and there is one [`KernelMap`].
//!
//! Not here: which memory and devices exist (`renga-board-rpi`).

use super::descriptor::{Descriptor, KernelUse};
use super::maintenance::{activate_space, publish_tables, synchronise_context};
use super::table::TranslationTable;
use crate::boot::ImageLayout;
use crate::physical::{HIGH_DEVICES, HIGH_DEVICES_BASE, LINEAR_BASE, LINEAR_BYTES, to_kernel, to_physical};
use core::ops::Range;
use renga_hal::memory::PAGE_BYTES;

const BLOCK_BYTES: u64 = 2 << 20;
const GIB: u64 = 1 << 30;
/// Memory from 0 on that is mapped page by page: code and constants must lie in it. In blocks.
const FINE_BLOCKS: u64 = 4;
/// The part of the firmware's data that gives its length, in bytes.
const BOOT_HEADER_BYTES: u64 = 8;

/// Positions in `kernel_tables`, in frames.
mod position {
    pub const ROOT: usize = 0;
    /// One middle table for each GiB of the linear map.
    pub const MIDDLE: usize = 1;
    pub const FINE: usize = 3;
    pub const EMPTY: usize = 7;
    /// The middle table of the devices that the linear map does not reach.
    pub const HIGH_DEVICES: usize = 8;
}

unsafe extern "C" {
    static kernel_tables: u8;
    fn renga_switch_map(root: u64, empty: u64);
}

fn physical_table(position: usize) -> u64 {
    to_physical(&raw const kernel_tables as usize + position * PAGE_BYTES)
}

fn table(position: usize) -> TranslationTable {
    // SAFETY: `kernel_tables` is nine frames that nothing else uses.
    unsafe { TranslationTable::at(physical_table(position)) }
}

/// The root of an address space without pages: active while no program is.
pub fn empty_root() -> u64 {
    physical_table(position::EMPTY)
}

/// The map, once installed.
pub struct KernelMap(());

impl KernelMap {
    /// Replaces the coarse map of boot: the image, with its rights, and nothing else.
    ///
    /// # Safety
    /// Called once, first thing, on the boot core. Only the image, its stack and boot data below
    /// its end are used until more is added.
    pub unsafe fn install() -> Self {
        let layout = ImageLayout::get();
        assert!(layout.rodata_end <= FINE_BLOCKS * BLOCK_BYTES, "code and constants end beyond the finely mapped part");
        let root = table(position::ROOT);
        for gib in 0..LINEAR_BYTES / GIB {
            let middle = Descriptor::table(physical_table(position::MIDDLE + gib as usize));
            root.entry(LINEAR_BASE + gib * GIB, 0).set(middle);
        }
        root.entry(HIGH_DEVICES_BASE, 0).set(Descriptor::table(physical_table(position::HIGH_DEVICES)));
        for block in 0..FINE_BLOCKS {
            map_finely(&layout, block);
        }
        let mut map = Self(());
        // SAFETY: the image is memory, and its writable part is the kernel's.
        unsafe { map.add_memory(FINE_BLOCKS * BLOCK_BYTES..layout.end) };
        // SAFETY: the new map has this code, its data and its stack where the old one has them.
        unsafe { Self::join() };
        map
    }

    /// Has this core use the map.
    ///
    /// # Safety
    /// Once on each core, first thing; on others than the boot core when that has installed it.
    pub unsafe fn join() {
        // SAFETY: the map has this code, its data and its stack where the coarse one has them.
        unsafe {
            renga_switch_map(physical_table(position::ROOT), empty_root());
            activate_space(empty_root());
            core::arch::asm!("tlbi vmalle1", "dsb nsh", "isb", options(nostack, preserves_flags));
        }
    }

    /// Maps memory for reading and writing, in blocks of 2 MiB; blocks mapped already stay as they are.
    ///
    /// # Safety
    /// It is memory, and speculative reads of the rest of its blocks are harmless.
    pub unsafe fn add_memory(&mut self, range: Range<u64>) {
        self.add_blocks(range, Descriptor::memory_block);
    }

    /// Maps device registers, in blocks of 2 MiB.
    ///
    /// # Safety
    /// The blocks contain devices only.
    pub unsafe fn add_devices(&mut self, range: Range<u64>) {
        self.add_blocks(range, Descriptor::device_block);
    }

    fn add_blocks(&mut self, range: Range<u64>, descriptor: fn(u64) -> Descriptor) {
        let first = range.start & !(BLOCK_BYTES - 1);
        for block in (first..range.end).step_by(BLOCK_BYTES as usize) {
            let entry = middle_table(block).entry(block, 1);
            if entry.get().is_empty() {
                entry.set(descriptor(block));
            }
        }
        publish_tables();
        // The kernel itself uses the entries next.
        synchronise_context();
    }

    /// The bytes that the firmware left at `physical`: as many as `length` makes of the first eight. None where
    /// no firmware leaves any.
    ///
    /// # Safety
    /// `physical` is what the firmware passed; nothing writes there while the result is in use.
    pub unsafe fn boot_data(&mut self, physical: u64, length: fn([u8; 8]) -> usize) -> &'static [u8] {
        let image = ImageLayout::get();
        let sound = |end: u64| {
            physical.is_multiple_of(4) && (end <= image.start || physical >= image.end) && end <= LINEAR_BYTES
        };
        let header_end = physical.saturating_add(BOOT_HEADER_BYTES);
        if !sound(header_end) {
            return &[];
        }
        // SAFETY: the firmware's data lies in memory; the image, which changes, is left out.
        let header = unsafe { self.memory_bytes(physical, BOOT_HEADER_BYTES as usize) };
        let bytes = length(header.try_into().unwrap_or_default());
        if !sound(physical.saturating_add(bytes as u64)) {
            return &[];
        }
        // SAFETY: as above, and so long by the data's own word, which has a limit.
        unsafe { self.memory_bytes(physical, bytes) }
    }

    /// # Safety
    /// It is memory that nothing writes to while the result is in use.
    unsafe fn memory_bytes(&mut self, physical: u64, bytes: usize) -> &'static [u8] {
        // SAFETY: by this function's own condition.
        unsafe {
            self.add_memory(physical..physical + bytes as u64);
            core::slice::from_raw_parts(to_kernel(physical) as *const u8, bytes)
        }
    }

    /// What the firmware loaded into memory at `range`.
    ///
    /// # Safety
    /// It is memory, and nothing writes there while the result is in use.
    pub unsafe fn loaded(&mut self, range: Range<u64>) -> &'static [u8] {
        let length = range.end.saturating_sub(range.start) as usize;
        // SAFETY: memory that stays as it is, by this function's own condition.
        unsafe {
            self.add_memory(range.clone());
            core::slice::from_raw_parts(to_kernel(range.start) as *const u8, length)
        }
    }
}

/// The table whose entries show the 2 MiB from `physical` on.
fn middle_table(physical: u64) -> TranslationTable {
    if HIGH_DEVICES.contains(&physical) {
        return table(position::HIGH_DEVICES);
    }
    assert!(physical < LINEAR_BYTES, "the linear map ends before {physical:#x}");
    table(position::MIDDLE + (physical / GIB) as usize)
}

fn map_finely(layout: &ImageLayout, block: u64) {
    let fine = position::FINE + block as usize;
    for page in (block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES).step_by(PAGE_BYTES) {
        let usage = if (layout.start..layout.text_end).contains(&page) {
            KernelUse::Execute
        } else if (layout.text_end..layout.rodata_end).contains(&page) {
            KernelUse::Read
        } else {
            KernelUse::ReadWrite
        };
        if !layout.stack_guards.contains(&page) {
            table(fine).entry(page, 2).set(Descriptor::kernel_page(page, usage));
        }
    }
    table(position::MIDDLE).entry(block * BLOCK_BYTES, 1).set(Descriptor::table(physical_table(fine)));
}
