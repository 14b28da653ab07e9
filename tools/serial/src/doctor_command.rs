//! `renga doctor`: what this machine has, and a way out for what it lacks.

use crate::doctor::{Diagnosis, Health, card_readers, host_programs, qemu, serial_ports, toolchain};
use anyhow::Result;
use renga_flash::Host;
use renga_workspace::environment::Environment;
use std::path::Path;

/// Status when something is missing without which Renga does not work.
const MISSING_STATUS: u8 = 1;

/// Prints every finding.
///
/// # Errors
/// Never; the signature is that of all commands.
pub fn doctor(environment: &Environment) -> Result<u8> {
    let path = std::env::var("PATH").unwrap_or_default();
    let emulator = environment.qemu_if_there();
    let mut findings = host_programs(&path);
    findings.push(toolchain(&environment.root, "rustc"));
    findings.push(qemu(&emulator));
    findings.extend(serial_ports(Path::new("/")));
    findings.extend(card_readers(&Host::this()));
    findings.iter().for_each(print);
    let missing = findings.iter().filter(|finding| finding.verdict == Health::Missing).count();
    println!("{missing} missing");
    Ok(if missing == 0 { 0 } else { MISSING_STATUS })
}

fn print(finding: &Diagnosis) {
    let mark = match finding.verdict {
        Health::Good => "ok      ",
        Health::ForBoards => "boards  ",
        Health::Missing => "MISSING ",
    };
    println!("{mark}{}", finding.what);
    if !finding.way_out.is_empty() {
        println!("        -> {}", finding.way_out);
    }
}
