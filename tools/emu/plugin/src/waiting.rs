//! Virtual time of a board's only core when it begins to wait; and which code is watched.
//!
//! When all cores wait, QEMU's main thread moves virtual time to the next timer. A core counts as waiting as soon as it
//! has executed its `wfi`, but QEMU adds the executed instructions to the clock only a moment later, in the core's own
//! thread; if the main thread reads in between, the clock passes the timer by those instructions. So this module has
//! them added before each `wfi`.
//!
//! Invariant: these callbacks run in the thread of the core that they are about. They do not take the big lock, and use
//! nothing of the plugin's. Not here: boards with several cores (`cores`).

use crate::ffi::{self, Opaque};
use crate::{cores, probes};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

/// The instruction `wfi`.
const WAIT: u32 = 0xd503_207f;

/// Watches all code of the machine; `id` is the plugin's.
pub fn watch(id: u64) {
    // SAFETY: called by QEMU's loading of the plugin, with the id that it gave.
    unsafe { ffi::qemu_plugin_register_vcpu_tb_trans_cb(id, translated) };
}

/// A block of instructions was translated; `wfi` ends its block.
extern "C" fn translated(_id: u64, block: *mut Opaque) {
    probes::translated(block);
    if cores::planned().is_some() {
        cores::translated(block);
        return;
    }
    let mut word = [0; 4];
    // SAFETY: QEMU gives a block of at least one instruction, valid during this call; `word` has the bytes named.
    let last = unsafe {
        let last = ffi::qemu_plugin_tb_get_insn(block, ffi::qemu_plugin_tb_n_insns(block) - 1);
        ffi::qemu_plugin_insn_data(last, word.as_mut_ptr().cast(), word.len());
        last
    };
    if u32::from_le_bytes(word) == WAIT {
        // SAFETY: as above; the callback needs no registers and no argument.
        unsafe { ffi::qemu_plugin_register_vcpu_insn_exec_cb(last, waits, ffi::NO_REGISTERS, null_mut()) };
    }
}

/// The core is about to execute `wfi`: the whole block counts as executed from its start on.
extern "C" fn waits(core: c_uint, _: *mut c_void) {
    // SAFETY: a core that executes exists, and this is its thread, as `icount_update` wants; it has its own lock.
    unsafe { ffi::icount_update(ffi::qemu_get_cpu(core.cast_signed())) };
}
