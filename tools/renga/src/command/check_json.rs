//! A checked system as JSON, for programs.
//!
//! Invariant: the same facts as `renga check` prints, by the same names. Called by: `check.rs`. Not here: the text
//! (`renga_placement::Checked::to_text`).

use renga_placement::{Checked, CheckedCall, Group};
use serde_json::{Value, json};

/// All of it.
pub(super) fn facts(checked: &Checked) -> Value {
    let processes: usize = (0..checked.boards.len()).map(|board| checked.process_count(board)).sum();
    let chain: Vec<String> = checked.longest_chain.iter().map(|group| checked.label(*group)).collect();
    json!({
        "system": checked.name,
        "mode": checked.mode.name(),
        "processes": processes,
        "waits": checked.wait_count(),
        "longest_chain": chain,
        "boards": (0..checked.boards.len()).map(|number| board(checked, number)).collect::<Vec<_>>(),
        "groups": checked.groups.iter().map(|one| group(checked, one)).collect::<Vec<_>>(),
        "calls": checked.calls.iter().map(|one| call(checked, one)).collect::<Vec<_>>(),
    })
}

fn board(checked: &Checked, number: usize) -> Value {
    let (board, memory) = (&checked.boards[number], &checked.message_memory[number]);
    let future_bytes = |group: &Group| u64::from(group.count()) * u64::from(checked.kinds[group.kind].future_bytes);
    json!({
        "name": board.name,
        "owns_disk": board.owns_disk,
        "cores": board.cores,
        "memory_mib": board.memory_mib,
        "processes": checked.process_count(number),
        "message_bytes": memory.total_bytes(),
        "message_bytes_max": u64::from(board.message_kib) << 10,
        "message_formula": memory.formula(),
        "future_bytes": checked.groups_on(number).map(|(_, group)| future_bytes(group)).sum::<u64>(),
    })
}

/// Processes of one kind on one board, or proxies for one group of callers.
fn group(checked: &Checked, group: &Group) -> Value {
    let cores: Vec<Value> = group.parts.iter().map(|part| json!({ "core": part.core, "count": part.count })).collect();
    json!({
        "kind": checked.kinds[group.kind].name,
        "board": checked.boards[group.board].name,
        "count": group.count(),
        "cores": cores,
        "serves": checked.kinds[group.kind].serves.map(|protocol| protocol.name),
    })
}

/// That each process of one group may call each of another.
fn call(checked: &Checked, call: &CheckedCall) -> Value {
    let server = &checked.groups[call.server];
    let protocol = checked.kinds[server.kind].serves;
    let names = |set: u32| {
        let entries = protocol.map_or(&[][..], |protocol| protocol.entries).iter();
        entries.filter(|(op, _)| set >> op & 1 != 0).map(|(_, name)| *name).collect::<Vec<_>>()
    };
    json!({
        "caller": checked.label(call.caller),
        "server": checked.label(call.server),
        "is_remote": checked.is_remote(call),
        "entries": names(call.entries),
        "asynchronous": names(call.async_entries),
        "may_wait": names(call.may_wait),
    })
}
