//! Programs of the host.

use super::Diagnosis;
use renga_emu::SUPPORTED_QEMU;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs and the Debian packages that have them.
const PROGRAMS: [(&str, &str); 6] = [
    ("bash", "bash"),
    ("mke2fs", "e2fsprogs"),
    ("debugfs", "e2fsprogs"),
    ("e2fsck", "e2fsprogs"),
    ("dpkg-deb", "dpkg"),
    ("tar", "tar"),
];
/// What only builds need.
const LINKER: (&str, &str) = ("cc", "gcc");
/// An ordinary user's path may lack them.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];

/// Whether everything that images need is in `path`, and what builds need, if this `builds`.
pub fn host_programs(path: &str, builds: bool) -> Vec<Diagnosis> {
    let diagnose = |(program, package): (&str, &str)| match find(program, path) {
        Some(found) => Diagnosis::good(format!("{program}: {}", found.display())),
        None => Diagnosis::missing(format!("{program} is not there"), format!("on Debian: apt-get install {package}")),
    };
    PROGRAMS.into_iter().chain(builds.then_some(LINKER)).map(diagnose).collect()
}

/// Whether QEMU is there and of the version that the emulator's plugin fits.
pub fn qemu(program: &Path) -> Diagnosis {
    let supported = SUPPORTED_QEMU.join(" or ");
    let way_out = format!("any ./renga run installs QEMU {supported} on Debian, or says how to get it");
    let said = match Command::new(program).arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => return Diagnosis::missing(format!("QEMU: {}: {error}", program.display()), way_out),
    };
    let version = said.strip_prefix("QEMU emulator version ").and_then(|rest| rest.split_whitespace().next());
    match version {
        Some(version) if SUPPORTED_QEMU.contains(&version) => {
            Diagnosis::good(format!("QEMU {version}: {}", program.display()))
        }
        other => Diagnosis::missing(
            format!("QEMU: {} is version {}, not {supported}", program.display(), other.unwrap_or("unknown")),
            way_out,
        ),
    }
}

/// Whether the compiler is at least the one that `rust-toolchain.toml` names.
pub fn toolchain(root: &Path, rustc: &str) -> Diagnosis {
    let file = std::fs::read_to_string(root.join("rust-toolchain.toml")).unwrap_or_default();
    let wanted = file.lines().find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"')).unwrap_or("0");
    let way_out = format!("install Rust {wanted} (rustup toolchain install); ./renga builds what it lacks");
    let output = Command::new(rustc).arg("--version").current_dir(root).output();
    let said = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => return Diagnosis::missing("Rust: there is no compiler", way_out),
    };
    let version = said.split_whitespace().nth(1).unwrap_or("0");
    if numbers(version) >= numbers(wanted) {
        Diagnosis::good(format!("Rust {version} ({wanted} is wanted)"))
    } else {
        Diagnosis::missing(format!("Rust {version} is older than {wanted}"), way_out)
    }
}

/// A version's numbers, up to the first that is none.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

fn find(program: &str, path: &str) -> Option<PathBuf> {
    let folders = path.split(':').chain(SYSTEM_FOLDERS).filter(|folder| !folder.is_empty());
    folders.map(|folder| Path::new(folder).join(program)).find(|file| file.is_file())
}
