//! Scripts (`#!`) that are run as programs.

use crate::support::System;
use crate::support::calls::{EXECVE, NONE, error, exit, with_console};
use crate::support::script::Script;

/// As many as on Linux: five scripts, each the interpreter of the one before.
/// Holds: timers-locks.
#[test]
fn exec_script_chain_runs_interpreter() {
    let mut other = Script::new();
    exit(&mut other, 4);
    let mut init = with_console();
    let (fifth, sixth) = (init.string("/script5"), init.string("/script6"));
    let (endless, arguments) = (init.string("/script0"), init.vector(&[fifth]));
    for (path, otherwise) in [(sixth, 1), (endless, 2)] {
        init.call(EXECVE, &[path, arguments, NONE]).expect(error(40), otherwise);
    }
    init.call(EXECVE, &[fifth, arguments, NONE]);
    exit(&mut init, 5);
    let system = System::new(1, &[("/sbin/init", &init), ("/other", &other)]);
    for script in 0..=6 {
        let interpreter = match script {
            0 => "/script0".into(),
            1 => "/other".into(),
            _ => format!("/script{}", script - 1),
        };
        let content = format!("#!{interpreter} argument{script}\n").into_bytes();
        system.disk.add(&format!("/script{script}"), 0o100_755, 0, content);
    }
    assert_eq!(system.status(), 4);
}
