//! What `renga doctor` finds, and what it advises.

use renga_flash::Host;
use renga_serial::doctor::{Diagnosis, Health, card_readers, host_programs, qemu, serial_ports, toolchain};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("renga-doctor-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("there is a temporary folder");
    folder
}

/// Holds: doctor-way-out.
#[test]
fn doctor_every_fault_has_a_way_out() {
    let empty = folder("empty");
    let mut findings = host_programs(empty.to_str().expect("a plain name"), true);
    findings.push(qemu(&empty.join("no-qemu")));
    findings.push(qemu(Path::new("/bin/true")));
    findings.push(toolchain(&empty, "/no/such/rustc"));
    findings.extend(serial_ports(&empty));
    findings.extend(card_readers(&Host::at(&empty)));
    let silent: Vec<&Diagnosis> =
        findings.iter().filter(|finding| finding.verdict != Health::Good && finding.way_out.is_empty()).collect();
    assert!(silent.is_empty(), "{silent:?}");
    let missing = |what: &str| findings.iter().any(|f| f.verdict == Health::Missing && f.what.contains(what));
    assert!(missing("no-qemu") && missing("version unknown") && missing("there is no compiler"), "{findings:?}");
    let _ = fs::remove_dir_all(empty);
}

#[test]
fn doctor_old_compiler_is_reported() {
    let root = folder("old");
    let newer = "[toolchain]\nchannel = \"9.99.0\"\n";
    fs::write(root.join("rust-toolchain.toml"), newer).expect("it can be written");
    let rustc = root.join("rustc");
    fs::write(&rustc, "#!/bin/sh\necho rustc 9.100.0 '(x)'\n").expect("it can be written");
    fs::set_permissions(&rustc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let said = |text: &str| {
        fs::write(root.join("rust-toolchain.toml"), text).expect("it can be written");
        toolchain(&root, rustc.to_str().expect("a plain name"))
    };
    assert_eq!(said(newer).verdict, Health::Good);
    let old = said("channel = \"9.101.0\"\n");
    assert!(old.verdict == Health::Missing && old.what == "Rust 9.100.0 is older than 9.101.0", "{old:?}");
    let _ = fs::remove_dir_all(root);
}

/// Holds: doctor-way-out.
#[test]
fn doctor_serial_adapters_are_named() {
    let root = folder("serial");
    let device = root.join("sys/devices/usb1/1-4/1-4:1.0/ttyUSB0");
    fs::create_dir_all(device.join("tty/ttyUSB0")).expect("it can be made");
    fs::write(root.join("sys/devices/usb1/1-4/product"), "USB Serial\n").expect("it can be made");
    fs::create_dir_all(root.join("sys/class/tty/ttyUSB0")).expect("it can be made");
    std::os::unix::fs::symlink("../../../devices/usb1/1-4/1-4:1.0/ttyUSB0", root.join("sys/class/tty/ttyUSB0/device"))
        .expect("it can be made");
    fs::create_dir_all(root.join("dev")).expect("it can be made");
    let gone = &serial_ports(&root)[0];
    assert!(gone.what.contains("there is no /dev/ttyUSB0"), "{gone:?}");
    fs::write(root.join("dev/ttyUSB0"), "").expect("it can be made");
    let found = serial_ports(&root);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].verdict, found[0].what.as_str()), (Health::Good, "serial adapter /dev/ttyUSB0 USB Serial"));
    let _ = fs::remove_dir_all(root);
}

#[test]
fn doctor_json_follows_schema_and_says_what_the_text_says() {
    let said = |arguments: &[&str]| {
        let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-serial"));
        renga.env("RENGA_ROOT", Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).arg("doctor").args(arguments);
        let output = renga.output().expect("it was built");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let ((status, json), (text_status, text)) = (said(&["--json"]), said(&[]));
    renga_schema::expect_valid("doctor", &json);
    assert_eq!(status, text_status);
    let missing = text.lines().filter(|line| line.starts_with("MISSING ")).count();
    assert!(json.contains(&format!("\"missing\": {missing},")), "{missing} are missing by the text:\n{json}");
    assert_eq!(json.matches("\"verdict\"").count(), text.lines().filter(|line| !line.starts_with(' ')).count() - 1);
}
