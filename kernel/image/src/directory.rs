//! This board's processes, for whoever reports.
//!
//! Not here: headers (`sysprocs/systems`).

use crate::once::Once;
use renga_core::Process;
use renga_rt::ProcId;
use renga_rt::given::Servers;
use renga_systems::{Directory, Kind};

static OWN: Once<&'static Directory> = Once::new();

/// Says which board this is.
pub fn keep(directory: &'static Directory) {
    OWN.set(directory);
}

/// The kind of a process of any board, by name.
pub fn kind_name(id: ProcId) -> &'static str {
    OWN.get().map_or("?", |own| own.kind_name(id))
}

/// This board's name.
pub fn own_board_name() -> &'static str {
    OWN.get().map_or("?", |own| own.table().name)
}

/// This board's processes; none before they are made.
pub fn own_processes() -> &'static [&'static Process] {
    OWN.get().map_or(&[], |own| own.own())
}

/// Who serves the device of `kind`, if this board has it.
pub fn owner(kind: Kind) -> Option<&'static Process> {
    OWN.get().and_then(|own| own.of_kind(kind).first().copied())
}
