//! A cluster in a page: booted from a system file, run piece by piece, acted upon.
//!
//! Invariant: how a run is divided into pieces changes nothing in it; an action takes place when all else at its time
//! has happened. Not here: the page's view of it (`scene.rs`, `state.rs`).

use crate::action::Action;
use crate::programs::programs;
use crate::scene::Scene;
use crate::state::{PageState, console_tail};
use renga_placement::{Checked, SystemForm, code_kinds, generate};
use renga_sim::system::{Pages, SMALL, SimSystem, SystemSetup, medium, placement};
use renga_sim::{ClusterSetup, CrossedFrame, Faults};
use serde::Deserialize;
use std::rc::Rc;

/// Boot memory of a board: what the largest placement of `small` takes, several times.
const BOARD_MEMORY_BYTES: usize = 24 << 20;
/// Boots of boards in one run: each leaves the memory of the one before behind, of which a page has 4 GiB.
const BOOTS_MAX: u32 = 64;

/// What a run begins with.
#[derive(Clone, Debug, Deserialize)]
pub struct SessionSetup {
    /// The system file's text.
    pub system: String,
    /// The seed of the faults.
    pub seed: u64,
    /// The medium's model.
    pub medium: String,
}

/// The text of a system file of so many boards, with the processes of `small`.
///
/// # Errors
/// If there cannot be so many.
pub fn system_text(boards: usize) -> Result<String, String> {
    let form = SystemForm { name: "page", boards, from: ("small", SMALL), disk_board: None };
    generate(form, &code_kinds()).map_err(|error| error.to_string())
}

/// A running cluster.
pub struct PageSession {
    system: SimSystem,
    checked: Rc<Checked>,
    hung: Vec<bool>,
    cut: Vec<bool>,
    faults: Faults,
    boots: u32,
}

impl PageSession {
    /// Boots one, from `disk`.
    ///
    /// # Errors
    /// The first rule that the system file breaks.
    pub fn boot(setup: &SessionSetup, disk: &Pages) -> Result<PageSession, String> {
        let checked = placement(&setup.system).map_err(|error| error.to_string())?;
        let boards = checked.boards.len();
        let cluster =
            ClusterSetup { seed: setup.seed, memory_bytes: BOARD_MEMORY_BYTES, ..ClusterSetup::new(boards as u8) };
        let parts = SystemSetup {
            cluster,
            placement: checked.clone(),
            disk: disk.clone(),
            medium: medium(&setup.medium),
            hostile: None,
            mute: None,
        };
        let system = SimSystem::boot(&parts, &programs());
        let (hung, cut) = (vec![false; boards], vec![false; boards]);
        Ok(PageSession { system, checked, hung, cut, faults: Faults::NONE, boots: boards as u32 })
    }

    /// The cluster as the page draws it.
    pub fn scene(&self) -> Scene {
        Scene::of(&self.checked)
    }

    /// Runs until `until_ns`, or until `events` more have happened; whether it got there.
    pub fn run(&mut self, until_ns: u64, events: u64) -> bool {
        let cluster = &mut self.system.cluster;
        let limit = cluster.trace().events().saturating_add(events);
        while cluster.step(until_ns) {
            if cluster.trace().events() >= limit {
                return false;
            }
        }
        cluster.run_until(until_ns);
        true
    }

    /// Runs until something happens, but not beyond `until_ns`.
    pub fn step(&mut self, until_ns: u64) {
        let before = self.system.cluster.trace().events();
        while self.system.cluster.trace().events() == before && self.system.cluster.step(until_ns) {}
    }

    /// Completes the present moment, then does something to the cluster.
    ///
    /// # Errors
    /// If there is no such board, or a board would boot too often.
    pub fn act(&mut self, action: &Action) -> Result<(), String> {
        self.system.cluster.run_until(self.system.cluster.now_ns());
        let boards = self.hung.len();
        if let Action::Kill(board) | Action::Boot(board) | Action::Hang(board) | Action::Resume(board) = action
            && usize::from(*board) >= boards
        {
            return Err(format!("there is no board {board}"));
        }
        match action {
            Action::Kill(board) => self.kill(*board),
            Action::Boot(board) => return self.reboot(*board),
            Action::Hang(board) if self.system.cluster.alive(*board) => {
                self.system.cluster.hang(*board);
                self.hung[usize::from(*board)] = true;
            }
            Action::Hang(_) => {}
            Action::Resume(board) => {
                self.system.cluster.resume(*board);
                self.hung[usize::from(*board)] = false;
            }
            Action::Cut(board) => return self.cut(*board, true),
            Action::Join(board) => return self.cut(*board, false),
            Action::LoseToken => self.system.cluster.bus().lose_next_token(),
            Action::Faults(faults) => {
                self.faults = *faults;
                self.system.cluster.bus().set_faults(*faults);
            }
            Action::Type(text) => self.system.press(format!("{text}\r").as_bytes()),
        }
        Ok(())
    }

    fn kill(&mut self, board: u8) {
        self.system.cluster.kill(board);
        self.hung[usize::from(board)] = false;
    }

    fn reboot(&mut self, board: u8) -> Result<(), String> {
        if self.boots >= BOOTS_MAX {
            return Err(format!("boards have booted {BOOTS_MAX} times: begin a new run"));
        }
        self.boots += 1;
        self.hung[usize::from(board)] = false;
        self.system.reboot(board);
        Ok(())
    }

    fn cut(&mut self, board: u8, cut: bool) -> Result<(), String> {
        *self.cut.get_mut(usize::from(board)).ok_or(format!("there is no board {board}"))? = cut;
        self.system.cluster.bus().cut_off(board, cut);
        Ok(())
    }

    /// Keeps so many of the events and frames from now on.
    pub fn watch(&self, max: usize) {
        self.system.cluster.trace().watch(max);
        self.system.cluster.bus().watch_frames(max);
    }

    /// The frames that were kept, in the order of their ends.
    pub fn frames(&self) -> Vec<CrossedFrame> {
        self.system.cluster.bus().take_frames()
    }

    /// What there is to see now.
    pub fn state(&self) -> PageState {
        let mut state = PageState::of(&self.system, self.frames());
        for (board, state) in state.boards.iter_mut().enumerate() {
            (state.hung, state.cut) = (self.hung[board], self.cut[board]);
        }
        let Faults { lost_per_mille, doubled_per_mille, changed_per_mille, .. } = self.faults;
        state.faults = [lost_per_mille, doubled_per_mille, changed_per_mille];
        state
    }

    /// What the console shows, its latest part.
    pub fn console(&self) -> String {
        console_tail(&self.system)
    }

    /// Who waits for whom, a line for each.
    pub fn waits(&self) -> Vec<String> {
        self.system.wait_graph()
    }
}
