//! `renga doctor`: what this machine has, and a way out for what it lacks.

use crate::doctor::{Diagnosis, Health, card_readers, host_programs, qemu, serial_ports, toolchain};
use anyhow::Result;
use renga_cli::DoctorArgs;
use renga_flash::Host;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use serde::Serialize;
use std::path::Path;

/// Status when something is missing without which Renga does not work.
const MISSING_STATUS: u8 = 1;

/// The findings of `renga doctor` on a machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct DoctorReport {
    /// The form of this object: `renga-doctor-1`.
    schema: &'static str,
    /// How many findings are `missing`; the command's status is 1 if any is.
    missing: usize,
    /// One for each thing that was examined.
    findings: Vec<Diagnosis>,
}

/// Prints every finding.
///
/// # Errors
/// If the JSON cannot be written.
pub fn doctor(environment: &Environment, options: &DoctorArgs) -> Result<u8> {
    let path = std::env::var("PATH").unwrap_or_default();
    let emulator = environment.qemu_if_there();
    let builds = environment.expect_sources("a build").is_ok();
    let mut findings = host_programs(&path, builds);
    findings.extend(builds.then(|| toolchain(&environment.root, "rustc")));
    findings.push(qemu(&emulator));
    findings.extend(serial_ports(Path::new("/")));
    findings.extend(card_readers(&Host::this()));
    let missing = findings.iter().filter(|finding| finding.verdict == Health::Missing).count();
    let report = DoctorReport { schema: "renga-doctor-1", missing, findings };
    if output::leaves_text(options.json.as_deref()) {
        report.findings.iter().for_each(print);
        println!("{missing} missing");
    }
    output::write_json(options.json.as_deref(), &report)?;
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

#[cfg(test)]
mod tests {
    #[test]
    fn doctor_schema_file_is_that_of_its_type() {
        renga_schema::expect_file::<super::DoctorReport>("doctor");
    }
}
