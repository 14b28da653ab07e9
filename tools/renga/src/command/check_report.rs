//! A checked system as JSON, for programs.
//!
//! Invariant: the same facts as `renga check` prints, by the same names. Called by: `check.rs`. Not here: the text
//! (`renga_placement::Checked::to_text`).

use renga_placement::{Checked, CheckedCall, Group};
use serde::Serialize;

/// The facts about a system that `renga check` accepts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct CheckReport {
    /// The form of this object: `renga-check-1`.
    schema: &'static str,
    /// The system's name.
    system: String,
    /// `sync` or `async`.
    mode: &'static str,
    /// `two-way` or `paired`.
    messages: &'static str,
    /// Processes of all boards.
    processes: usize,
    /// Edges of the waits-for graph of processes, which has no cycle.
    waits: u64,
    /// Groups, each of which may wait for the next.
    longest_chain: Vec<String>,
    /// What the placement gives up against one with the file system beside its disk; null: nothing.
    gives_up: Option<String>,
    /// In the order of the token.
    boards: Vec<CheckedBoard>,
    /// Processes by kind and board.
    groups: Vec<CheckedGroup>,
    /// Permitted calls.
    calls: Vec<PermittedCall>,
}

/// A board.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CheckedBoard {
    /// Its name.
    name: String,
    /// Whether it owns the disk.
    owns_disk: bool,
    /// Cores that run its processes.
    cores: u8,
    /// Memory for programs and cached files at most, MiB.
    memory_mib: u16,
    /// Its processes.
    processes: usize,
    /// Memory that messages between boards can need, bytes.
    message_bytes: u64,
    /// Memory that the system file allows for that, bytes.
    message_bytes_max: u64,
    /// The sum that `message_bytes` is.
    message_formula: String,
    /// Memory of its processes' futures, bytes.
    future_bytes: u64,
}

/// Processes of one kind on one board, or proxies for one group of callers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CheckedGroup {
    /// Their kind.
    kind: &'static str,
    /// Their board.
    board: String,
    /// How many they are.
    count: u16,
    /// Their cores.
    cores: Vec<CheckedPart>,
    /// The protocol that they serve; null if none.
    serves: Option<&'static str>,
}

/// Processes of a group on one core.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CheckedPart {
    /// The core.
    core: u8,
    /// How many.
    count: u16,
}

/// That each process of one group may call each of another.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct PermittedCall {
    /// The calling group.
    caller: String,
    /// The serving group.
    server: String,
    /// Whether the call goes to another board.
    is_remote: bool,
    /// Permitted entries.
    entries: Vec<&'static str>,
    /// Of these, those whose callers continue before the reply.
    asynchronous: Vec<&'static str>,
    /// Those that could be asynchronous.
    could_be_asynchronous: Vec<&'static str>,
    /// Of these, those that may wait for another client.
    may_wait: Vec<&'static str>,
}

impl CheckReport {
    pub(super) fn of(checked: &Checked) -> CheckReport {
        CheckReport {
            schema: "renga-check-1",
            system: checked.name.clone(),
            mode: checked.mode.name(),
            messages: checked.messages.name(),
            processes: (0..checked.boards.len()).map(|board| checked.process_count(board)).sum(),
            waits: checked.wait_count(),
            longest_chain: checked.longest_chain.iter().map(|group| checked.label(*group)).collect(),
            gives_up: checked.gives_up(),
            boards: (0..checked.boards.len()).map(|number| CheckedBoard::of(checked, number)).collect(),
            groups: checked.groups.iter().map(|group| CheckedGroup::of(checked, group)).collect(),
            calls: checked.calls.iter().map(|call| PermittedCall::of(checked, call)).collect(),
        }
    }
}

impl CheckedBoard {
    fn of(checked: &Checked, number: usize) -> CheckedBoard {
        let (board, memory) = (&checked.boards[number], &checked.message_memory[number]);
        let future_bytes = |group: &Group| u64::from(group.count()) * u64::from(checked.kinds[group.kind].future_bytes);
        CheckedBoard {
            name: board.name.clone(),
            owns_disk: board.owns_disk,
            cores: board.cores,
            memory_mib: board.memory_mib,
            processes: checked.process_count(number),
            message_bytes: memory.total_bytes(),
            message_bytes_max: u64::from(board.message_kib) << 10,
            message_formula: memory.formula(),
            future_bytes: checked.groups_on(number).map(|(_, group)| future_bytes(group)).sum(),
        }
    }
}

impl CheckedGroup {
    fn of(checked: &Checked, group: &Group) -> CheckedGroup {
        CheckedGroup {
            kind: checked.kinds[group.kind].name,
            board: checked.boards[group.board].name.clone(),
            count: group.count(),
            cores: group.parts.iter().map(|part| CheckedPart { core: part.core, count: part.count }).collect(),
            serves: checked.kinds[group.kind].serves.map(|protocol| protocol.name),
        }
    }
}

impl PermittedCall {
    fn of(checked: &Checked, call: &CheckedCall) -> PermittedCall {
        let protocol = checked.kinds[checked.groups[call.server].kind].serves;
        let names = |set: u32| {
            let entries = protocol.map_or(&[][..], |protocol| protocol.entries).iter();
            entries.filter(|(op, _)| set >> op & 1 != 0).map(|(_, name)| *name).collect()
        };
        PermittedCall {
            caller: checked.label(call.caller),
            server: checked.label(call.server),
            is_remote: checked.is_remote(call),
            entries: names(call.entries),
            asynchronous: names(call.async_entries),
            could_be_asynchronous: names(checked.could_be_async(call)),
            may_wait: names(call.may_wait),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn check_schema_file_is_that_of_its_type() {
        renga_schema::expect_file::<super::CheckReport>("check");
    }
}
