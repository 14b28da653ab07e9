//! Probes of the kernel: that each was reached, by which core, its exact time and its operands, for the next report.
//!
//! The kernel's ELF file names them. A callback before a probe's instruction reads registers and memory and writes
//! nothing of the machine's, so that a run with it is the run without.
//!
//! Invariant: as in `waiting`, these callbacks run in the thread of the core, without the big lock; what they collect
//! is taken while the core stands.

use crate::count::Counter;
use crate::ffi::{self, ByteArray, Opaque};
use crate::{cores, fail};
use renga_emu_probes::{Hit, Hits, OPERAND_BYTES_MAX, Operand, ProbeNote, Probes, push};
use std::collections::HashMap;
use std::ffi::{CStr, c_uint, c_void};
use std::ptr::{copy_nonoverlapping, null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// General registers, x0 to x30.
const REGISTERS: usize = 31;

/// What to watch; fixed once the plugin is installed.
struct Watched {
    probes: Vec<ProbeNote>,
    /// Places in `probes`, by their instructions' addresses.
    places: HashMap<u64, usize>,
    linear_base: u64,
}

/// A probe as part of a block of instructions.
#[derive(Clone, Copy)]
struct ProbeSite {
    /// Its place in [`Watched::probes`].
    place: usize,
    /// Instructions of the block from the probe's on, which count as executed when the block begins.
    left: usize,
}

impl ProbeSite {
    const PLACE_BITS: u32 = 16;

    /// As what a callback is given; it points to nothing.
    fn to_argument(self) -> *mut c_void {
        without_provenance_mut(self.left << ProbeSite::PLACE_BITS | self.place)
    }

    fn from_argument(argument: *mut c_void) -> ProbeSite {
        let bits = argument.addr();
        ProbeSite { place: bits & ((1 << ProbeSite::PLACE_BITS) - 1), left: bits >> ProbeSite::PLACE_BITS }
    }
}

struct ProbeListener {
    registers: [*mut Opaque; REGISTERS],
    bytes: *mut ByteArray,
    /// The machine's memory.
    memory: *const u8,
    memory_bytes: u64,
    counter: Counter,
    /// What was heard since the last report.
    hits: Vec<u8>,
}

// SAFETY: the pointers are QEMU's, valid as long as it runs; only the core's thread follows them.
unsafe impl Send for ProbeListener {}

static WATCHED: OnceLock<Watched> = OnceLock::new();
static LISTENER: Mutex<Option<ProbeListener>> = Mutex::new(None);
/// The first blocks are over.
static COUNTER_FOUND: AtomicBool = AtomicBool::new(false);

/// Watches the probes that the ELF file `kernel` names; `id` is the plugin's.
pub fn watch(id: u64, kernel: &str) -> Result<(), String> {
    let file = std::fs::read(kernel).map_err(|error| format!("{kernel}: {error}"))?;
    let Probes { linear_base, probes } = Probes::read(&file).map_err(|error| format!("{kernel}: {error}"))?;
    if probes.len() > 1 << ProbeSite::PLACE_BITS {
        return Err(format!("{kernel}: {} probes are more than can be watched", probes.len()));
    }
    let mut places = HashMap::new();
    for (place, probe) in probes.iter().enumerate() {
        // Two at one instruction would be two labels with nothing between.
        if places.insert(probe.address, place).is_some() {
            return Err(format!("{kernel}: two probes at {:#x}, one of them {}", probe.address, probe.name));
        }
    }
    let watched = Watched { probes, places, linear_base };
    let _ = WATCHED.set(watched);
    // SAFETY: called by QEMU's loading of the plugin, with the id that it gave.
    unsafe { ffi::qemu_plugin_register_vcpu_init_cb(id, core_made) };
    Ok(())
}

/// What was heard since the last time, as [`push`] writes it.
pub fn take_hits() -> Vec<u8> {
    let mut listener = LISTENER.lock().expect("no callback panics");
    listener.as_mut().map_or(Vec::new(), |listener| std::mem::take(&mut listener.hits))
}

/// As [`take_hits`], but those before `end_ns` only, sorted: several cores reach them out of order.
pub fn take_hits_before(end_ns: u64) -> Vec<u8> {
    let mut listener = LISTENER.lock().expect("no callback panics");
    let Some(listener) = listener.as_mut() else { return Vec::new() };
    let mut hits: Vec<Hit> = Hits(&listener.hits).collect();
    hits.sort_by_key(|hit| hit.time_ns);
    let (mut due, mut kept) = (Vec::new(), Vec::new());
    hits.iter().for_each(|hit| push(if hit.time_ns < end_ns { &mut due } else { &mut kept }, hit));
    listener.hits = kept;
    due
}

/// In the cores' thread: finds registers and memory, at the first core; the others' registers have the same handles.
extern "C" fn core_made(_: u64, _: c_uint) {
    if LISTENER.lock().expect("no callback panics").is_some() {
        return;
    }
    let mut registers = [null_mut(); REGISTERS];
    let mut memory_bytes = u64::MAX >> 1;
    // SAFETY: called in the core's thread, as the functions require; the result is an array of descriptors, which is
    // never freed, and a part of memory that stays where it is, of at most the requested bytes.
    let (bytes, memory) = unsafe {
        let array = &*ffi::qemu_plugin_get_registers();
        for descriptor in std::slice::from_raw_parts(array.data, array.count as usize) {
            let name = CStr::from_ptr(descriptor.name).to_str().unwrap_or("");
            let number = name.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok());
            if let Some(place) = number.and_then(|number| registers.get_mut(number)) {
                *place = descriptor.handle;
            }
        }
        (ffi::g_byte_array_new(), ffi::cpu_physical_memory_map(0, &mut memory_bytes, false))
    };
    if registers.iter().any(|register| register.is_null()) || memory.is_null() {
        fail("this QEMU does not show registers or memory");
    }
    let listener =
        ProbeListener { registers, bytes, memory, memory_bytes, counter: Counter::default(), hits: Vec::new() };
    *LISTENER.lock().expect("no callback panics") = Some(listener);
}

/// A block was translated: probes in it get their callback.
pub fn translated(block: *mut Opaque) {
    let Some(watched) = WATCHED.get() else { return };
    // SAFETY: QEMU gives a block, valid during this call.
    let count = unsafe { ffi::qemu_plugin_tb_n_insns(block) };
    for index in 0..count {
        // SAFETY: as above, and `index` is within it.
        let (instruction, address) = unsafe {
            let instruction = ffi::qemu_plugin_tb_get_insn(block, index);
            (instruction, ffi::qemu_plugin_insn_vaddr(instruction))
        };
        if index + 1 == count && !COUNTER_FOUND.load(Ordering::Relaxed) {
            // SAFETY: an instruction of the block; the callback needs no registers and no argument.
            unsafe {
                ffi::qemu_plugin_register_vcpu_insn_exec_cb(instruction, find_counter, ffi::NO_REGISTERS, null_mut());
            }
        }
        let Some(&place) = watched.places.get(&address) else { continue };
        let site = ProbeSite { place, left: count - index };
        // SAFETY: an instruction of the block; the callback follows no pointer that it is given.
        unsafe {
            ffi::qemu_plugin_register_vcpu_insn_exec_cb(instruction, reached, ffi::READ_REGISTERS, site.to_argument());
        }
    }
}

/// Before the last instruction of one of the first blocks.
extern "C" fn find_counter(_: c_uint, _: *mut c_void) {
    if COUNTER_FOUND.load(Ordering::Relaxed) {
        return;
    }
    if let Some(listener) = LISTENER.lock().expect("no callback panics").as_mut() {
        listener.counter.search();
        COUNTER_FOUND.store(listener.counter.is_found(), Ordering::Relaxed);
    }
}

/// A core is about to pass a probe. The core that QEMU names is the one for which the block was translated, whichever
/// core executes it.
extern "C" fn reached(_: c_uint, site: *mut c_void) {
    let core = cores::number();
    let mut listener = LISTENER.lock().expect("no callback panics");
    if let (Some(listener), Some(watched)) = (listener.as_mut(), WATCHED.get()) {
        listener.hear(core, ProbeSite::from_argument(site), watched);
    }
}

impl ProbeListener {
    fn hear(&mut self, core: u8, site: ProbeSite, watched: &Watched) {
        let probe = &watched.probes[site.place];
        let Some(time_ns) = self.counter.time_ns(site.left as i64) else { fail("a probe before the count was found") };
        let (mut operands, mut length) = ([0; OPERAND_BYTES_MAX], 0);
        for operand in &probe.operands {
            let bytes = usize::from(operand.bytes);
            operands[length..length + bytes].copy_from_slice(&self.value(operand, watched.linear_base)[..bytes]);
            length += bytes;
        }
        push(&mut self.hits, &Hit::new(time_ns, (core, probe.index), &operands[..length]));
    }

    /// The value of an operand; 0 if it is not in memory.
    fn value(&mut self, operand: &Operand, linear_base: u64) -> [u8; 8] {
        let register = self.register(operand.register);
        let Some(offset) = operand.offset else { return register.to_le_bytes() };
        let physical = register.wrapping_add(offset).wrapping_sub(linear_base);
        let mut value = [0; 8];
        if physical < self.memory_bytes - 8 {
            // SAFETY: within the machine's memory, which the host has at `memory`; the core that writes to it is in
            // this callback.
            unsafe { copy_nonoverlapping(self.memory.add(physical as usize), value.as_mut_ptr(), value.len()) };
        }
        value
    }

    fn register(&mut self, number: u8) -> u64 {
        // SAFETY: in the core's thread, in a callback that was registered as reading registers; eight bytes come.
        unsafe {
            ffi::g_byte_array_set_size(self.bytes, 0);
            ffi::qemu_plugin_read_register(self.registers[usize::from(number)], self.bytes);
            (*self.bytes).data.cast::<u64>().read_unaligned()
        }
    }
}
