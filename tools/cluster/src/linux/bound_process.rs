//! A program that ends with this process, however that ends: by a signal, or killed.
//!
//! Invariant: between the start of the program and the kernel's promise to kill it there is no moment at which this
//! process could end and leave it. Not here: boards of the emulator, which end when their coordinator's socket closes.

use std::path::Path;
use std::process::Command;

/// The shell that is asked to become the program has the kernel's promise already (`prctl(2)`, PR_SET_PDEATHSIG, which
/// `exec` keeps). If its parent is another one, this process had ended before the promise.
const BECOME: &str = "[ \"$PPID\" = \"$0\" ] && exec \"$@\"";

/// `program`, to be started by a thread that outlives it or is meant to end it.
pub(super) fn bound_process(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "sh", "-c", BECOME]).arg(std::process::id().to_string()).arg(program);
    command
}

#[cfg(test)]
mod tests {
    use super::bound_process;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn bound_process_becomes_program_with_its_arguments() {
        let output = bound_process(Path::new("/bin/echo")).args(["a b", "$0", "c"]).output().expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a b $0 c\n");
    }

    /// The parent has ended when the shell asks for it.
    #[test]
    fn bound_process_of_ended_parent_does_not_start() {
        let mut ours = bound_process(Path::new("/bin/echo"));
        ours.arg("started");
        let arguments: Vec<_> = ours.get_args().map(|word| word.to_os_string()).collect();
        // As from a process of another number.
        let of_other = arguments
            .iter()
            .map(|word| if *word == *std::process::id().to_string() { "1".into() } else { word.clone() });
        let output = Command::new(ours.get_program()).args(of_other).output().expect("it starts");
        assert!(output.stdout.is_empty() && !output.status.success(), "{output:?}");
    }
}
