//! The processes that a trace mentions, numbered by their first mention.

use renga_abi::ProcId;
use std::collections::HashMap;

/// The processes, by number.
#[derive(Clone, Debug, Default)]
pub struct SeenProcesses {
    ids: Vec<ProcId>,
    places: HashMap<ProcId, u32>,
}

impl SeenProcesses {
    /// The number of a process, which is new or known.
    pub fn place(&mut self, id: ProcId) -> u32 {
        *self.places.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() as u32 - 1
        })
    }

    /// The process with this number.
    ///
    /// # Panics
    /// If none has it: numbers come from [`SeenProcesses::place`].
    pub fn id(&self, place: u32) -> ProcId {
        self.ids[place as usize]
    }

    /// All of them, by number.
    pub fn ids(&self) -> &[ProcId] {
        &self.ids
    }
}
