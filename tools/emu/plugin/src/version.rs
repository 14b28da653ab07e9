//! The version of QEMU that the plugin fits.

use crate::ffi;

/// The only version whose exported functions and structures were checked.
pub const SUPPORTED: &str = "10.0.2";

/// The version of this QEMU, if it is the one supported.
pub fn check() -> Result<String, String> {
    let found = running();
    if found == SUPPORTED {
        Ok(found)
    } else {
        Err(format!("this emulator supports QEMU {SUPPORTED}; found {found}; ./renga installs it"))
    }
}

fn running() -> String {
    // SAFETY: the function takes an optional place for an error and returns a structure of its own making, which is
    // never freed here; both pointers in it are valid as long as it is.
    let version = unsafe {
        let info = ffi::qmp_query_version(std::ptr::null_mut());
        &*(*info).qemu
    };
    format!("{}.{}.{}", version.major, version.minor, version.micro)
}
