//! Shared by the tests: running `renga` under a limit, disks built and checked, busybox on the host, trees of files.

mod busybox;
mod disk;
mod facts;
mod load;
mod processes;
mod renga;
mod scratch;
pub mod suite;
pub mod system;
mod terminal;
mod tree;

pub use busybox::{Busybox, folder_of_package};
pub use disk::Disk;
pub use facts::Facts;
pub use load::under_load;
pub use processes::{children, command_line, send_signal, stop};
pub use renga::{Ended, Renga, clusters_can_run};
pub use scratch::Scratch;
pub use terminal::TerminalSession;
pub use tree::{compare, snapshot};

use std::path::{Path, PathBuf};

/// The project's folder.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project's folder is there")
}

/// Where what is built and fetched stays.
pub fn work() -> PathBuf {
    root().join("target/renga")
}

/// A difference of two texts, for a person.
pub fn difference(name: &str, expected: &str, found: &str) -> String {
    let scratch = Scratch::new("difference");
    let (left, right) = (scratch.write("expected", expected.as_bytes()), scratch.write("found", found.as_bytes()));
    let output = std::process::Command::new("diff").arg("-u").arg("-a").arg(&left).arg(&right).output();
    let said = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).lines().skip(2).collect::<Vec<_>>().join("\n"),
        Err(_) => format!("expected:\n{expected}\nfound:\n{found}"),
    };
    format!("== {name} (- expected, + found)\n{said}\n")
}
