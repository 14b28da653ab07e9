//! Processes that do nothing any more, on a board that is well otherwise: as by a bug.
//!
//! Not here: boards that hang (`cluster.rs`).

use renga_core::Process;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::Poll;

/// Which processes, and whether they are silent.
#[derive(Clone, Default)]
pub(super) struct Mute(Rc<MuteChoice>);

#[derive(Default)]
struct MuteChoice {
    processes: RefCell<Vec<&'static Process>>,
    silent: Cell<bool>,
}

impl Mute {
    /// It is about these.
    pub(super) fn choose(&self, processes: &[&'static Process]) {
        *self.0.processes.borrow_mut() = processes.to_vec();
    }

    pub(super) fn is_chosen(&self, process: &Process) -> bool {
        self.0.processes.borrow().iter().any(|chosen| chosen.id() == process.id())
    }

    /// `process`, but for the times when it is silent.
    pub(super) fn hear<F: Future>(&self, process: F) -> impl Future<Output = F::Output> + use<F> {
        let (choice, mut process) = (self.0.clone(), Box::pin(process));
        poll_fn(move |context| if choice.silent.get() { Poll::Pending } else { process.as_mut().poll(context) })
    }

    /// Whether they are silent from now on. A silent one continues only when its board restarts.
    pub(super) fn set(&self, silent: bool) {
        self.0.silent.set(silent);
    }
}
