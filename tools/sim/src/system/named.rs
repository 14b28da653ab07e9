//! The boards' last steps and the graph of waits, with names.

use super::SimSystem;
use crate::waits;
use renga_core::Process;
use renga_rt::ProcId;
use renga_rt::given::Servers;

impl SimSystem {
    /// A process's name in reports: board, kind and number, of a proxy also its client.
    pub fn name(&self, id: ProcId) -> String {
        let checked = &self.setup.placement;
        let board = usize::from(id.board.0);
        let groups = checked.groups.iter().enumerate().filter(|(_, group)| group.board == board);
        let mut instances = groups.flat_map(|(group, _)| checked.instances_of(group));
        let Some(instance) = instances.find(|instance| instance.id == id) else { return id.to_string() };
        let name = format!("{}.{}{}", checked.boards[board].name, instance.kind, instance.ordinal);
        match instance.caller {
            Some(caller) => format!("{name} for {}", self.name(caller)),
            None => name,
        }
    }

    /// The latest events of every board.
    pub fn events(&self) -> Vec<Vec<String>> {
        let boards = 0..self.directories.len() as u8;
        boards.map(|board| self.cluster.trace().latest(board, &|id| self.name(id))).collect()
    }

    /// The processes that wait for a reply, and their servers.
    pub fn wait_graph(&self) -> Vec<String> {
        let all: Vec<&'static Process> =
            self.directories.iter().flat_map(|directory| directory.own().iter().copied()).collect();
        waits::graph(&all, &|id| self.name(id))
    }
}
