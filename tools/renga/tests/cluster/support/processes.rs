//! Processes of the host: a run's children, and their end.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;

/// The children of a process, with their command lines.
pub fn children(parent: u32) -> Vec<(u32, String)> {
    let entries = fs::read_dir("/proc").expect("this host has /proc").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| parent_of(*id) == Some(parent)).map(|id| (id, command_line(id))).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name before it may contain anything, but the last parenthesis is its own.
    let (_, after_name) = status.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}

/// The command line of a process; empty if it has ended.
pub fn command_line(id: u32) -> String {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// Sends a signal to a process that this test started.
pub fn send_signal(id: u32, signal: Signal) {
    if let Some(id) = Pid::from_raw(id.cast_signed()) {
        // It fails only if the process is gone.
        let _ = kill_process(id, signal);
    }
}

/// Ends a process and its children.
pub fn stop(id: u32) {
    let children = children(id);
    for id in std::iter::once(id).chain(children.into_iter().map(|(id, _)| id)) {
        send_signal(id, Signal::KILL);
    }
}
