//! The wait-for graph, with names.

use renga_core::Process;
use renga_core::Wait;
use renga_rt::ProcId;

/// The processes among `processes` that wait for a reply, and their servers.
pub fn graph(processes: &[&'static Process], name: &dyn Fn(ProcId) -> String) -> Vec<String> {
    let waiting = processes.iter().filter(|process| {
        matches!(process.wait(), Wait::Reply | Wait::ReplyElsewhere | Wait::ReplyInPlace | Wait::Forwarded)
    });
    let line = |process: &&'static Process| {
        let server = process.waits_for().map_or("a server below it on the stack".into(), name);
        format!("{} -> {server}, entry {}", name(process.id()), process.op())
    };
    waiting.map(line).collect()
}
