//! The versions of QEMU that the plugin fits.

use crate::ffi;

/// The versions whose exported functions and structures were checked; `renga test --long=qemu` compares their runs.
pub const SUPPORTED: [&str; 2] = ["10.0.2", "10.0.13"];

/// The version of this QEMU, if it is supported.
pub fn check() -> Result<String, String> {
    let found = running();
    if SUPPORTED.contains(&found.as_str()) {
        Ok(found)
    } else {
        let supported = SUPPORTED.join(" and ");
        Err(format!("this emulator supports QEMU {supported}; found {found}; ./renga installs one"))
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
