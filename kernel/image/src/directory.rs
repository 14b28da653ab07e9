//! This board's processes, for reports.
//!
//! Not here: headers (`sysprocs/systems`).

use crate::once::{OnHome, Once};
use renga_core::Process;
use renga_rt::ProcId;
use renga_rt::given::Servers;
use renga_systems::tables::System;
use renga_systems::{Directory, Kind};

static OWN: OnHome<&'static Directory> = OnHome::new();
static SYSTEM: Once<(&'static System<'static>, u8)> = Once::new();

/// Says which board this is.
pub fn keep(directory: &'static Directory) {
    OWN.set(directory);
    SYSTEM.set((directory.system(), directory.board()));
}

/// The kind of a process of any board, by name.
pub fn kind_name(id: ProcId) -> &'static str {
    SYSTEM.get().map_or("?", |(system, _)| system.kind_name(id))
}

/// This board's name.
pub fn own_board_name() -> &'static str {
    SYSTEM.get().map_or("?", |(system, board)| system.boards[usize::from(*board)].name)
}

/// This board's processes; empty during boot, and for cores other than the programs' home.
pub fn own_processes() -> &'static [&'static Process] {
    OWN.get().map_or(&[], |own| own.own())
}

/// Whether those of `kind` that this board has are on the programs' home.
pub fn is_on_home(kind: Kind) -> bool {
    OWN.get().is_some_and(|own| {
        let table = own.table();
        table.range(kind).all(|index| table.core_of(index) == table.home())
    })
}

/// The server of the device of `kind`, if this board has it.
pub fn owner(kind: Kind) -> Option<&'static Process> {
    OWN.get().and_then(|own| own.of_kind(kind).first().copied())
}
