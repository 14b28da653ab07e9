//! Runs what each board does, always the one that is furthest behind.
//!
//! A driver is straight-line code that knows of no other board, so each board's task has a stack of its
//! own and leaves it where it reads its pins.

use super::{HarnessModel, ModelPins};
use corosensei::Coroutine;
use std::vec::Vec;

/// What a board does, until it is done or dies.
type Task = Coroutine<(), (), ()>;

/// The boards' tasks.
pub struct Tasks {
    model: HarnessModel,
    tasks: Vec<Option<Task>>,
    hung: Vec<bool>,
}

impl Tasks {
    /// No board has a task yet.
    pub fn new(model: &HarnessModel) -> Tasks {
        let boards = model.0.borrow().boards.len();
        Tasks { model: model.clone(), tasks: (0..boards).map(|_| None).collect(), hung: std::vec![false; boards] }
    }

    /// Starts `task` of `board` on its pins at its own time.
    pub fn begin(&mut self, board: u8, task: impl FnOnce(ModelPins<'_>) + 'static) {
        let (board, state) = (usize::from(board), self.model.0.clone());
        self.end(board);
        self.tasks[board] = Some(Coroutine::new(move |others, ()| task(ModelPins::new(state, board, others))));
        let mut state = self.model.0.borrow_mut();
        let owner = &mut state.boards[board];
        owner.wake_ns = owner.local_ns;
    }

    /// Runs all boards that are behind `until_ns`; whether any task is left that does not hang.
    pub fn run_until(&mut self, until_ns: u64) -> bool {
        loop {
            let next = {
                let state = self.model.0.borrow();
                let ready = |board: &usize| self.tasks[*board].is_some() && !self.hung[*board];
                let behind = |board: &usize| (state.boards[*board].wake_ns, *board);
                (0..self.tasks.len()).filter(ready).map(|board| behind(&board)).min()
            };
            let Some((wake_ns, board)) = next else { return false };
            if wake_ns > until_ns {
                return true;
            }
            if let Some(task) = &mut self.tasks[board]
                && task.resume(()).as_return().is_some()
            {
                self.tasks[board] = None;
            }
        }
    }

    /// Runs until all tasks are done or hang.
    pub fn run(&mut self) {
        self.run_until(u64::MAX);
    }

    /// Whether `board` has finished its task.
    pub fn is_done(&self, board: u8) -> bool {
        self.tasks[usize::from(board)].is_none()
    }

    /// Resets `board` at `at_ns`: its task ends, its pins become inputs.
    pub fn reset(&mut self, board: u8, at_ns: u64) {
        self.end(usize::from(board));
        self.hung[usize::from(board)] = false;
        self.model.reset(board, at_ns, true);
    }

    /// Cuts `board`'s power at `at_ns`.
    pub fn unpower(&mut self, board: u8, at_ns: u64) {
        self.end(usize::from(board));
        self.model.reset(board, at_ns, false);
    }

    fn end(&mut self, board: usize) {
        if let Some(task) = self.tasks[board].take() {
            // What is on the stack of a task is dropped by a panic; where a panic ends the program, it leaks.
            if cfg!(panic = "abort") && task.started() && !task.done() {
                core::mem::forget(task);
            }
        }
    }

    /// Lets `board` hang from now on, with its pins as they are.
    pub fn hang(&mut self, board: u8) {
        self.hung[usize::from(board)] = true;
    }

    /// Lets `board` do nothing from now on until `at_ns`.
    pub fn sleep_until(&mut self, board: u8, at_ns: u64) {
        let mut state = self.model.0.borrow_mut();
        let owner = &mut state.boards[usize::from(board)];
        owner.local_ns = owner.local_ns.max(at_ns);
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        (0..self.tasks.len()).for_each(|board| self.end(board));
    }
}
