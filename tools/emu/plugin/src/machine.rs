//! Safe faces of what the plugin uses of the emulated machine: its clock, timers, memory map, interrupts, console.
//!
//! Invariant, which each `unsafe` here rests on: this code runs only where QEMU calls the plugin
//! (`qemu_plugin_install`, the end of machine set-up, timers, accesses to memory regions), and there the calling thread
//! holds QEMU's big lock, which is all that the called functions ask for. Objects handed to QEMU are leaked, so they
//! live as long as it does.

use crate::ffi::{self, Implemented, MemoryRegion, MemoryRegionOps, Opaque, QemuNotifier, QemuTimer, Valid};
use crate::timers::TimerList;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;

/// Above QEMU's own devices at the same address.
const PRIORITY: c_int = 10;

/// The virtual time, ns.
pub fn now_ns() -> u64 {
    // SAFETY: the module's invariant; the clock exists from the start of QEMU.
    let now_ns = unsafe { ffi::qemu_clock_get_ns(ffi::CLOCK_VIRTUAL) };
    u64::try_from(now_ns).expect("virtual time begins at 0")
}

/// Instructions that the cores have executed.
pub fn instructions() -> u64 {
    // SAFETY: the module's invariant; a core that is executing is in an access to a device, where the call is allowed.
    unsafe { ffi::icount_get_raw() }.cast_unsigned()
}

/// Whether every core waits for an interrupt, and none has come.
pub fn idle() -> bool {
    // SAFETY: the module's invariant.
    unsafe { ffi::all_cpu_threads_idle() }
}

/// Ends this process at once, without QEMU's own ending, which would wait for the big lock.
pub fn exit_now(status: c_int) -> ! {
    // SAFETY: ends the process; what the board has written to its card is in the file already.
    unsafe { ffi::_exit(status) }
}

/// Calls `work` once the machine has all its devices.
pub fn when_complete(work: fn()) {
    static WORK: OnceLock<fn()> = OnceLock::new();
    extern "C" fn notify(_: *mut QemuNotifier, _: *mut c_void) {
        if let Some(work) = WORK.get() {
            work();
        }
    }
    if WORK.set(work).is_ok() {
        let notifier = Box::leak(Box::new(QemuNotifier { notify, node: [null_mut(); 2] }));
        // SAFETY: the module's invariant; the notifier is leaked and not touched again.
        unsafe { ffi::qemu_add_machine_init_done_notifier(notifier) };
    }
}

/// A timer of virtual time.
pub struct VirtualTimer {
    timer: NonNull<QemuTimer>,
    /// When it will run out. Setting a timer stops the core for a moment, so it is not done in vain.
    set_ns: Option<u64>,
}

// SAFETY: the pointer is only used under the big lock.
unsafe impl Send for VirtualTimer {}

impl VirtualTimer {
    /// A timer that is not running; `callback` gets a null pointer.
    pub fn new(callback: extern "C" fn(*mut c_void)) -> Self {
        let timer = NonNull::from(Box::leak(Box::new(QemuTimer([0; 128]))));
        // SAFETY: the module's invariant; the memory is leaked, larger than a `QEMUTimer`, and from here on QEMU's.
        unsafe {
            ffi::timer_init_full(
                timer.as_ptr(),
                null_mut(),
                ffi::CLOCK_VIRTUAL,
                ffi::SCALE_NS,
                0,
                callback,
                null_mut(),
            );
        }
        Self { timer, set_ns: None }
    }

    /// Lets it run out at `time_ns`, or never.
    pub fn set(&mut self, time_ns: Option<u64>) {
        if time_ns == self.set_ns {
            return;
        }
        self.set_ns = time_ns;
        match time_ns.and_then(|time_ns| i64::try_from(time_ns).ok()) {
            // SAFETY: the module's invariant; the timer was initialised by `new`.
            Some(time_ns) => unsafe { ffi::timer_mod_ns(self.timer.as_ptr(), time_ns) },
            // SAFETY: as above.
            None => unsafe { ffi::timer_del(self.timer.as_ptr()) },
        }
    }

    /// The list of timers, found by this one; it is not running afterwards. Nothing if QEMU is not as expected.
    pub fn find_list(&mut self, callback: extern "C" fn(*mut c_void)) -> Option<TimerList> {
        self.set(Some(0));
        let list = TimerList::find(self.timer, 0, callback);
        self.set(None);
        list
    }

    /// To be called by its callback: it is not running any more.
    pub fn ran_out(&mut self) {
        self.set_ns = None;
    }
}

/// A device of the machine.
#[derive(Clone, Copy)]
pub struct MachineDevice(NonNull<Opaque>);

impl MachineDevice {
    /// The device with this path, or, if it has none, the only one of this type.
    pub fn find(path: &CStr, type_name: &CStr) -> Option<Self> {
        // SAFETY: the module's invariant; both strings live through the calls.
        let device = unsafe {
            let by_path = ffi::object_resolve_path(path.as_ptr(), null_mut());
            if by_path.is_null() {
                ffi::object_resolve_path_type(c"".as_ptr(), type_name.as_ptr(), null_mut())
            } else {
                by_path
            }
        };
        NonNull::new(device).map(Self)
    }

    /// Its interrupt input `index` of the group `name`, or of those without a name.
    pub fn interrupt_input(self, name: Option<&CStr>, index: u32) -> Interrupt {
        let name = name.map_or(null(), CStr::as_ptr);
        // SAFETY: the module's invariant; `find` returns devices only, and this one has such inputs; a null pointer
        // selects those without a name.
        let line = unsafe { ffi::qdev_get_gpio_in_named(self.0.as_ptr(), name, index as c_int) };
        Interrupt { line: NonNull::new(line).expect("QEMU aborts if there is no such input"), level: false }
    }

    /// Its first region of registers.
    pub fn registers(self) -> Option<Region> {
        // SAFETY: the module's invariant; both UARTs are devices on the system bus.
        NonNull::new(unsafe { ffi::sysbus_mmio_get_region(self.0.as_ptr(), 0) }).map(Region)
    }
}

/// An interrupt line into the machine.
pub struct Interrupt {
    line: NonNull<Opaque>,
    level: bool,
}

// SAFETY: the pointer is only used under the big lock.
unsafe impl Send for Interrupt {}

impl Interrupt {
    /// Drives the line.
    pub fn set(&mut self, level: bool) {
        if level != self.level {
            self.level = level;
            // SAFETY: the module's invariant; the line is the interrupt controller's and lives as long as it does.
            unsafe { ffi::qemu_set_irq(self.line.as_ptr(), c_int::from(level)) };
        }
    }
}

/// A region of registers of one of QEMU's devices.
#[derive(Clone, Copy)]
pub struct Region(NonNull<MemoryRegion>);

// SAFETY: the pointer is only used under the big lock.
unsafe impl Send for Region {}

impl Region {
    /// Reads `bytes` (1, 2 or 4) at `offset`, as the board would.
    pub fn read(self, offset: u64, bytes: u32) -> u64 {
        let mut value = 0;
        // SAFETY: the module's invariant; the region belongs to a device that lives as long as QEMU.
        unsafe {
            ffi::memory_region_dispatch_read(self.0.as_ptr(), offset, &mut value, operation(bytes), 0);
        }
        value
    }

    /// Writes `bytes` (1, 2 or 4) of `value` at `offset`, as the board would.
    pub fn write(self, offset: u64, value: u64, bytes: u32) {
        // SAFETY: as in `read`.
        unsafe { ffi::memory_region_dispatch_write(self.0.as_ptr(), offset, value, operation(bytes), 0) };
    }
}

/// `MemOp` of a little-endian access; the value is in the host's order on either side.
fn operation(bytes: u32) -> c_int {
    bytes.trailing_zeros() as c_int
}

/// Registers that the plugin adds to the machine.
pub struct RegisterPage {
    /// Called for reads, with the argument, the offset and the bytes.
    pub read: extern "C" fn(*mut c_void, u64, u32) -> u64,
    /// Called for writes, with the argument, the offset, the value and the bytes.
    pub write: extern "C" fn(*mut c_void, u64, u64, u32),
    /// Passed to both.
    pub argument: *mut c_void,
    /// Least bytes of an access; at most 4.
    pub bytes_min: u32,
}

impl RegisterPage {
    /// Puts the registers at physical `address`, over what is there.
    pub fn map(self, name: &'static CStr, address: u64, bytes: u64) {
        let operations = Box::leak(Box::new(MemoryRegionOps {
            read: self.read,
            write: self.write,
            read_with_attributes: null(),
            write_with_attributes: null(),
            endianness: ffi::DEVICE_LITTLE_ENDIAN,
            valid: Valid { bytes_min: self.bytes_min, bytes_max: 4, unaligned: false, accepts: null() },
            implemented: Implemented { bytes_min: self.bytes_min, bytes_max: 4, unaligned: false },
        }));
        let region = Box::leak(Box::new(MemoryRegion([0; 4096])));
        // SAFETY: the module's invariant; region and operations are leaked, and the region's memory is larger than a
        // `MemoryRegion` and from here on QEMU's.
        unsafe {
            ffi::memory_region_init_io(region, null_mut(), operations, self.argument, name.as_ptr(), bytes);
            ffi::memory_region_add_subregion_overlap(ffi::get_system_memory(), address, region, PRIORITY);
        }
    }
}

/// A character device of QEMU's.
pub struct CharacterDevice(NonNull<Opaque>);

// SAFETY: the pointer is only used under the big lock.
unsafe impl Send for CharacterDevice {}

impl CharacterDevice {
    /// The one with this id.
    pub fn find(id: &CStr) -> Option<Self> {
        // SAFETY: the module's invariant.
        NonNull::new(unsafe { ffi::qemu_chr_find(id.as_ptr()) }).map(Self)
    }

    /// Bytes that the board's UART has room for.
    pub fn room(&self) -> usize {
        // SAFETY: the module's invariant; character devices of the command line live as long as QEMU.
        usize::try_from(unsafe { ffi::qemu_chr_be_can_write(self.0.as_ptr()) }).unwrap_or(0)
    }

    /// Lets the board's UART receive `bytes`, not more than it has room for.
    pub fn receive(&self, bytes: &[u8]) {
        // SAFETY: as in `room`; the bytes are copied before the call returns.
        unsafe { ffi::qemu_chr_be_write(self.0.as_ptr(), bytes.as_ptr(), bytes.len() as c_int) };
    }
}
