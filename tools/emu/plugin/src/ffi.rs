//! The functions of QEMU 10.0.2 that the plugin calls, and the few structures whose layout it has to know.
//!
//! Declared from QEMU's sources: `include/qemu/{qemu-plugin,timer,notify}.h`, `include/exec/memory.h`,
//! `include/hw/{irq,sysbus,qdev-core}.h`, `include/hw/core/cpu.h`, `include/chardev/char.h`,
//! `include/system/{cpus,cpu-timers}.h`, `qapi/qapi-types-control.h`. Not here: anything safe (`machine`).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `QEMU_PLUGIN_VERSION` of QEMU 10.0.
pub const PLUGIN_INTERFACE: c_int = 4;
/// `QEMU_CLOCK_VIRTUAL`.
pub const CLOCK_VIRTUAL: c_int = 1;
/// `QEMU_PLUGIN_CB_NO_REGS`.
pub const NO_REGISTERS: c_int = 0;
/// `QEMU_PLUGIN_CB_R_REGS`.
pub const READ_REGISTERS: c_int = 1;
/// `SCALE_NS`.
pub const SCALE_NS: c_int = 1;
/// `DEVICE_LITTLE_ENDIAN`.
pub const DEVICE_LITTLE_ENDIAN: c_int = 2;

/// Something of QEMU's that is only pointed at.
#[repr(C)]
pub struct Opaque {
    _private: [u8; 0],
}

/// `QEMUTimer` (48 bytes); QEMU fills it in.
#[repr(C, align(16))]
pub struct QemuTimer(pub [u8; 128]);

/// `MemoryRegion` (272 bytes); QEMU fills it in.
#[repr(C, align(64))]
pub struct MemoryRegion(pub [u8; 4096]);

/// `Notifier`.
#[repr(C)]
pub struct QemuNotifier {
    pub notify: extern "C" fn(*mut QemuNotifier, *mut c_void),
    pub node: [*mut c_void; 2],
}

/// `MemoryRegionOps`.
#[repr(C)]
pub struct MemoryRegionOps {
    pub read: extern "C" fn(*mut c_void, u64, c_uint) -> u64,
    pub write: extern "C" fn(*mut c_void, u64, u64, c_uint),
    pub read_with_attributes: *const c_void,
    pub write_with_attributes: *const c_void,
    pub endianness: c_int,
    pub valid: Valid,
    pub implemented: Implemented,
}

/// `MemoryRegionOps::valid`.
#[repr(C)]
pub struct Valid {
    pub bytes_min: c_uint,
    pub bytes_max: c_uint,
    pub unaligned: bool,
    pub accepts: *const c_void,
}

/// `MemoryRegionOps::impl`.
#[repr(C)]
pub struct Implemented {
    pub bytes_min: c_uint,
    pub bytes_max: c_uint,
    pub unaligned: bool,
}

/// `GByteArray`.
#[repr(C)]
pub struct ByteArray {
    pub data: *mut u8,
    pub bytes: c_uint,
}

/// `GArray` of `qemu_plugin_reg_descriptor`.
#[repr(C)]
pub struct RegisterDescriptors {
    pub data: *const RegisterDescriptor,
    pub count: c_uint,
}

/// `qemu_plugin_reg_descriptor`.
#[repr(C)]
pub struct RegisterDescriptor {
    pub handle: *mut Opaque,
    pub name: *const c_char,
    pub feature: *const c_char,
}

/// The start of `TimersState`: the parts of the clock of virtual time.
#[repr(C)]
pub struct TimersState {
    pub ticks: [i64; 2],
    pub sequence: c_uint,
    pub lock: c_int,
    pub ticks_enabled: i16,
    pub shift: i16,
    pub last_delta: i64,
    pub bias: i64,
    pub warp_start: i64,
    pub clock_offset: i64,
    pub count: i64,
}

/// `VersionInfo`.
#[repr(C)]
pub struct VersionInfo {
    pub qemu: *const VersionTriple,
    pub package: *const c_char,
}

/// `VersionTriple`.
#[repr(C)]
pub struct VersionTriple {
    pub major: i64,
    pub minor: i64,
    pub micro: i64,
}

unsafe extern "C" {
    pub static timers_state: TimersState;

    pub fn qmp_query_version(error: *mut *mut c_void) -> *mut VersionInfo;

    pub fn qemu_clock_get_ns(clock: c_int) -> i64;
    pub fn timer_init_full(
        timer: *mut QemuTimer,
        group: *mut c_void,
        clock: c_int,
        scale: c_int,
        attributes: c_int,
        callback: extern "C" fn(*mut c_void),
        argument: *mut c_void,
    );
    pub fn timer_mod_ns(timer: *mut QemuTimer, expire_ns: i64);
    pub fn timer_del(timer: *mut QemuTimer);
    pub fn qemu_timer_notify_cb(whom: *mut c_void, clock: c_int);
    pub fn all_cpu_threads_idle() -> bool;

    pub fn qemu_add_machine_init_done_notifier(notifier: *mut QemuNotifier);
    pub fn object_resolve_path(path: *const c_char, ambiguous: *mut bool) -> *mut Opaque;
    pub fn object_resolve_path_type(path: *const c_char, type_name: *const c_char, ambiguous: *mut bool)
    -> *mut Opaque;
    pub fn qdev_get_gpio_in_named(device: *mut Opaque, name: *const c_char, index: c_int) -> *mut Opaque;
    pub fn qemu_set_irq(line: *mut Opaque, level: c_int);

    pub fn get_system_memory() -> *mut MemoryRegion;
    pub fn memory_region_init_io(
        region: *mut MemoryRegion,
        owner: *mut Opaque,
        operations: *const MemoryRegionOps,
        argument: *mut c_void,
        name: *const c_char,
        bytes: u64,
    );
    pub fn memory_region_add_subregion_overlap(
        container: *mut MemoryRegion,
        address: u64,
        region: *mut MemoryRegion,
        priority: c_int,
    );
    pub fn sysbus_mmio_get_region(device: *mut Opaque, index: c_int) -> *mut MemoryRegion;
    // The attributes are a structure of one 64-bit word, which travels as the word does.
    pub fn memory_region_dispatch_read(
        region: *mut MemoryRegion,
        offset: u64,
        value: *mut u64,
        operation: c_int,
        attributes: u64,
    ) -> c_int;
    pub fn memory_region_dispatch_write(
        region: *mut MemoryRegion,
        offset: u64,
        value: u64,
        operation: c_int,
        attributes: u64,
    ) -> c_int;

    pub fn qemu_chr_find(name: *const c_char) -> *mut Opaque;
    pub fn qemu_chr_be_can_write(device: *mut Opaque) -> c_int;
    pub fn qemu_chr_be_write(device: *mut Opaque, bytes: *const u8, count: c_int);

    pub fn qemu_plugin_register_vcpu_tb_trans_cb(id: u64, callback: extern "C" fn(u64, *mut Opaque));
    pub fn qemu_plugin_tb_n_insns(block: *const Opaque) -> usize;
    pub fn qemu_plugin_tb_get_insn(block: *const Opaque, index: usize) -> *mut Opaque;
    pub fn qemu_plugin_insn_data(instruction: *const Opaque, to: *mut c_void, bytes: usize) -> usize;
    pub fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut Opaque,
        callback: extern "C" fn(c_uint, *mut c_void),
        registers: c_int,
        argument: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut Opaque,
        callback: extern "C" fn(c_uint, *mut c_void),
        registers: c_int,
        argument: *mut c_void,
    );
    pub fn qemu_plugin_insn_vaddr(instruction: *const Opaque) -> u64;
    pub fn qemu_plugin_register_vcpu_init_cb(id: u64, callback: extern "C" fn(u64, c_uint));
    pub fn qemu_plugin_get_registers() -> *mut RegisterDescriptors;
    pub fn qemu_plugin_read_register(handle: *mut Opaque, to: *mut ByteArray) -> c_int;
    pub fn g_byte_array_new() -> *mut ByteArray;
    pub fn g_byte_array_set_size(array: *mut ByteArray, bytes: c_uint) -> *mut ByteArray;
    pub fn cpu_physical_memory_map(address: u64, bytes: *mut u64, write: bool) -> *const u8;
    pub fn icount_get() -> i64;
    pub fn icount_get_raw() -> i64;
    pub fn icount_to_ns(count: i64) -> i64;
    pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn qemu_get_cpu(index: c_int) -> *mut Opaque;
    pub fn icount_update(core: *mut Opaque);
    pub fn cpu_exit(core: *mut Opaque);

    pub fn _exit(status: c_int) -> !;
}
