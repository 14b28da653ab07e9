//! Where a release has what a checkout builds. `renga release` puts it there; a checkout has none of these folders.
//!
//! Not here: what is in them (`renga_release`), and whether this is a release (`Environment::prebuilt`).

/// The folder of all of it.
pub const FOLDER: &str = "prebuilt";
/// Host programs: `renga` and those that it becomes.
pub const HOST_PROGRAMS: &str = "prebuilt/bin";
/// The emulator's plugin.
pub const PLUGIN: &str = "prebuilt/lib/librenga_emu_plugin.so";
/// Kernels, each in the folder of its flavour.
pub const KERNELS: &str = "prebuilt/kernels";
/// Our own programs for the boards.
pub const BOARD_PROGRAMS: &str = "prebuilt/programs";
