//! Input of a session: keys for the cluster, and orders for `renga` itself.
//!
//! A person's keys arrive when they are pressed. A file's lines arrive one at a time, whenever every board waits, so
//! that the run does not depend on how fast the host reads the file.

use crate::board_monitor::BoardMonitor;
use crate::escape::{EscapeOrder, Typed, help};
use crate::listener::Listener;
use crate::observation::ObservationOrder;
use anyhow::Result;
use renga_cli::EscapeKey;
use renga_emu::{EmulatedCluster, InputSender};
use std::sync::mpsc::Receiver;

/// The keys of a terminal, or the lines of a file.
pub(crate) struct InputSource {
    lines: Option<Receiver<Typed>>,
    board: u8,
    escape: EscapeKey,
}

/// What ^D sends: the end of input ends the shell.
const END_OF_INPUT: &[u8] = &[4];

impl InputSource {
    /// Types `keys` at the console of `board`; with `pace`, a person's. Orders come after the key `escape`.
    pub fn start(
        keys: Option<Receiver<Typed>>,
        pace: bool,
        cluster: &EmulatedCluster,
        (board, escape): (u8, EscapeKey),
        monitor: &BoardMonitor,
    ) -> InputSource {
        if !pace {
            return InputSource { lines: keys, board, escape };
        }
        if let Some(keys) = keys {
            let (sender, names) = (cluster.input_sender(), monitor.names().to_vec());
            // It ends with its sender: when standard input or the cluster is gone.
            std::thread::spawn(move || {
                while let Ok(typed) = keys.recv() {
                    let sent = match typed {
                        Typed::Keys(bytes) => sender.send(board, &bytes),
                        Typed::Line(line) => obey(&line, escape, &names, &sender),
                    };
                    if !sent {
                        return;
                    }
                }
                sender.send(board, END_OF_INPUT);
            });
        }
        InputSource { lines: None, board, escape }
    }

    /// The next line, if there is one; at the end of the lines, the end of input, once. Orders among them are carried
    /// out.
    ///
    /// # Errors
    /// If the cluster does not take it.
    pub fn type_next(
        &mut self,
        cluster: &mut EmulatedCluster,
        monitor: &BoardMonitor,
        listener: &mut dyn Listener,
    ) -> Result<()> {
        let names: Vec<&str> = monitor.names().iter().map(String::as_str).collect();
        loop {
            let Some(lines) = &self.lines else { return Ok(()) };
            match lines.recv() {
                Ok(Typed::Keys(bytes)) => {
                    cluster.input(self.board, &bytes)?;
                    return Ok(());
                }
                Ok(Typed::Line(line)) => match EscapeOrder::parse(&line, &names) {
                    Ok(EscapeOrder::Power(board, change)) => {
                        cluster.power(board, change)?;
                        return Ok(());
                    }
                    Ok(EscapeOrder::Status) => eprintln!("{}", monitor.status(cluster.time_ns(), &cluster.status())),
                    Ok(EscapeOrder::Observe(order)) => observe(listener, cluster.time_ns(), &order),
                    Ok(EscapeOrder::Quit) => {
                        cluster.leave();
                        return Ok(());
                    }
                    Ok(EscapeOrder::Help) => eprintln!("{}", help(self.escape)),
                    Ok(EscapeOrder::None) => {}
                    Err(error) => eprintln!("renga: {error}"),
                },
                Err(_) => {
                    self.lines = None;
                    cluster.input(self.board, END_OF_INPUT)?;
                    return Ok(());
                }
            }
        }
    }
}

/// Carries out a line of a person's that came back with its time.
pub(crate) fn observe_relayed(line: &str, time_ns: u64, monitor: &BoardMonitor, listener: &mut dyn Listener) {
    let names: Vec<&str> = monitor.names().iter().map(String::as_str).collect();
    if let Ok(EscapeOrder::Observe(order)) = EscapeOrder::parse(line, &names) {
        observe(listener, time_ns, &order);
    }
}

fn observe(listener: &mut dyn Listener, time_ns: u64, order: &ObservationOrder) {
    let reply = listener.observe(time_ns, order).unwrap_or_else(|error| format!("renga: {error:#}"));
    reply.lines().for_each(|line| listener.news(line));
}

/// Carries out a person's line; false if the cluster has gone.
fn obey(line: &str, escape: EscapeKey, names: &[String], sender: &InputSender) -> bool {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let reply = match EscapeOrder::parse(line, &names) {
        Ok(EscapeOrder::Power(board, change)) => return sender.power(board, change),
        Ok(EscapeOrder::Status) => return sender.ask(),
        Ok(EscapeOrder::Observe(_)) => return sender.relay(line),
        Ok(EscapeOrder::None) => return true,
        Ok(EscapeOrder::Quit) => return sender.leave(),
        Ok(EscapeOrder::Help) => help(escape),
        Err(error) => format!("renga: {error}"),
    };
    // The terminal is raw.
    reply.lines().for_each(|line| eprint!("{line}\r\n"));
    true
}
