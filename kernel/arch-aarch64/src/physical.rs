//! The linear map: where physical memory and devices are visible to the kernel.

/// Kernel address of physical address 0. The kernel lies in the top 2 GiB so that `adrp` also reaches
/// the symbols near 0 that `defmt` numbers its messages with.
pub const LINEAR_BASE: u64 = 0xffff_ffff_8000_0000;

/// Physical memory that the linear map can show, in bytes.
pub const LINEAR_BYTES: u64 = 1 << 31;

/// Kernel address of a physical address.
pub const fn to_kernel(physical: u64) -> usize {
    assert!(physical < LINEAR_BYTES);
    (LINEAR_BASE + physical) as usize
}

/// Physical address of something in the linear map.
pub const fn to_physical(kernel: usize) -> u64 {
    assert!(kernel as u64 >= LINEAR_BASE);
    kernel as u64 - LINEAR_BASE
}

/// Where a BCM2711 has its devices: the GiB below 4 GiB, which the linear map does not reach.
pub const HIGH_DEVICES: core::ops::Range<u64> = 3 << 30..4 << 30;

/// Kernel address of the first of [`HIGH_DEVICES`]: the GiB below the linear map.
pub const HIGH_DEVICES_BASE: u64 = LINEAR_BASE - (1 << 30);

/// Kernel address of a device register.
pub const fn device_to_kernel(physical: u64) -> usize {
    if physical < HIGH_DEVICES.start {
        return to_kernel(physical);
    }
    assert!(physical < HIGH_DEVICES.end);
    (HIGH_DEVICES_BASE + (physical - HIGH_DEVICES.start)) as usize
}
