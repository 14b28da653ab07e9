//! Commands of other threads to a running cluster.

use crate::power::PowerChange;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

/// A command.
#[derive(Debug)]
pub enum CoordinatorCommand {
    /// Type these bytes at a board's console.
    Input {
        /// Which board.
        board: u8,
        /// What.
        bytes: Vec<u8>,
    },
    /// Do this to a board.
    Power {
        /// Which board.
        board: u8,
        /// What.
        change: PowerChange,
    },
    /// End the run, since the person leaves.
    Leave,
    /// Report the boards' status.
    Ask,
    /// Return this line, in order with the events.
    Relay(String),
    /// End the run.
    Stop,
}

/// Types at consoles from any thread, while another waits for the cluster's events.
#[derive(Clone, Debug)]
pub struct InputSender(Sender<CoordinatorCommand>);

impl InputSender {
    /// Types `bytes` at the console of `board`, as soon as possible; false if the cluster has gone.
    pub fn send(&self, board: u8, bytes: &[u8]) -> bool {
        self.0.send(CoordinatorCommand::Input { board, bytes: bytes.to_vec() }).is_ok()
    }

    /// Cuts, hangs or starts `board`, as soon as possible; false if the cluster has gone.
    pub fn power(&self, board: u8, change: PowerChange) -> bool {
        self.0.send(CoordinatorCommand::Power { board, change }).is_ok()
    }

    /// Ends the run as [`crate::EmulatedCluster::leave`] does, as soon as possible; false if the cluster has gone.
    pub fn leave(&self) -> bool {
        self.0.send(CoordinatorCommand::Leave).is_ok()
    }

    /// Asks for a [`crate::ClusterEvent::Status`]; false if the cluster has gone.
    pub fn ask(&self) -> bool {
        self.0.send(CoordinatorCommand::Ask).is_ok()
    }

    /// Asks for a [`crate::ClusterEvent::Relayed`] with this line; false if the cluster has gone.
    pub fn relay(&self, line: &str) -> bool {
        self.0.send(CoordinatorCommand::Relay(line.to_owned())).is_ok()
    }

    /// Ends the run as soon as possible; false if the cluster has gone.
    pub fn stop(&self) -> bool {
        self.0.send(CoordinatorCommand::Stop).is_ok()
    }
}

/// The cluster's end.
#[derive(Debug)]
pub struct Commands {
    /// Kept, so that the channel never closes.
    sender: InputSender,
    receiver: Receiver<CoordinatorCommand>,
}

impl Commands {
    /// None yet.
    pub fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { sender: InputSender(sender), receiver }
    }

    /// A hand to give commands.
    pub fn sender(&self) -> InputSender {
        self.sender.clone()
    }

    /// The next command, if there is one.
    pub fn next(&self) -> Option<CoordinatorCommand> {
        self.receiver.try_recv().ok()
    }

    /// Waits for a command at most so long, or for ever.
    pub fn wait(&self, longest: Option<Duration>) -> Option<CoordinatorCommand> {
        match longest {
            None => self.receiver.recv().ok(),
            Some(longest) => self.receiver.recv_timeout(longest).ok(),
        }
    }
}
