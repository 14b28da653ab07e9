//! Which system the tests boot where they name none: the pair, or what `RENGA_TEST_SYSTEM` names.
//!
//! What holds on two boards holds on more: tests speak of the boards a and b, which each system has, and ask here for
//! what differs.

use super::root;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use std::collections::BTreeSet;

/// The setting that names another system.
pub const SYSTEM: &str = "RENGA_TEST_SYSTEM";

/// The system under test.
pub fn system() -> SystemFile {
    let mut environment = Environment::read().expect("the environment can be read");
    environment.root = root();
    SystemFile::find(&environment, &name()).expect("the system under test is there")
}

/// Its name.
pub fn name() -> String {
    std::env::var(SYSTEM).unwrap_or_else(|_| "pair".into())
}

/// The names of its boards.
pub fn boards() -> Vec<String> {
    system().checked.boards.iter().map(|board| board.name.clone()).collect()
}

/// How many processors `board` is to its programs.
pub fn processors(board: usize) -> u32 {
    system().checked.program_cores(board).count_ones()
}

/// On which cores of `board` processes of `kind` are.
pub fn cores_of(kind: &str, board: usize) -> BTreeSet<u8> {
    let instances = system().checked.instances(board);
    instances.iter().filter(|instance| instance.kind == kind).map(|instance| instance.core).collect()
}

/// How many processes of `kind` its board b has.
pub fn count_on_b(kind: &str) -> usize {
    system().checked.instances(1).iter().filter(|instance| instance.kind == kind).count()
}
