//! Texts that were cut or changed: system files, profiles, recordings, images' descriptions.

use crate::support::{Folder, REFUSED, renga};
use renga_damage::torn_files;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const SEED: u64 = 1;
/// Damaged forms of each text.
const FORMS: usize = 40;
/// The status of a command line that is refused.
const USAGE: i32 = 2;
/// What a person typed, who then left.
const RECORDING: &str = concat!(
    r#"{"renga_recording":1,"boards":1,"shift":0,"seed":1,"epoch_s":1600000000,"rate_bps":18000000,"#,
    r#""frame_overhead_ns":1000,"interlocked_overhead_ns":1000,"token_pass_ns":1000,"faults":{},"interactive":true}"#,
    "\n",
    r#"{"board":0,"time_ns":1000000000,"bytes":"6563686f2068690a"}"#,
    "\n",
    r#"{"board":0,"time_ns":2000000000,"bytes":"657869740a"}"#,
    "\n",
    r#"{"end_ns":3000000000,"left":true}"#,
    "\n",
);

/// Runs `before` and the file with every damaged form of `whole`; `taken` says which are not refused.
fn try_torn(name: &str, whole: &[u8], before: &[&str], taken: impl Fn(&Output) -> bool) {
    let folder = Folder::new("torn");
    let file: PathBuf = folder.join(name);
    let arguments: Vec<OsString> = before.iter().map(OsString::from).chain([file.clone().into_os_string()]).collect();
    let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
    let mut refused = 0;
    for torn in torn_files(whole, FORMS, SEED) {
        fs::write(&file, &torn.bytes).expect("target/ can be written");
        let output = renga(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("{name}, {}: status {:?}\n{said}", torn.damage, output.status.code());
        assert!(!said.contains("panicked"), "{what}");
        if taken(&output) {
            continue;
        }
        refused += 1;
        assert!(matches!(output.status.code(), Some(REFUSED | USAGE)), "{what}");
        let is_named = |line: &str| line.contains(&file.display().to_string()) || line.contains(name);
        assert!(said.lines().any(is_named), "no line names the file: {what}");
    }
    assert!(refused > 0, "{name}: some damage is seen");
}

/// Whether all texts were taken, and the run went on to what is missing in these tests.
fn is_carried_out(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("does not build")
}

fn root(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    fs::read(path).expect("it is one of ours")
}

/// Holds: files-damaged.
#[test]
fn torn_system_file_is_checked_or_refused() {
    let whole = root("sysprocs/systems/solo.toml");
    try_torn("mine.toml", &whole, &["check"], |output| output.status.success());
}

/// Holds: files-damaged.
#[test]
fn torn_profile_is_taken_or_refused() {
    let whole = root("tools/profile/profiles/pi3.toml");
    try_torn("mine.toml", &whole, &["run", "-c", "true", "--system", "solo", "--profile"], is_carried_out);
}

/// Holds: files-damaged.
#[test]
fn torn_recording_is_taken_or_refused() {
    try_torn("typed", RECORDING.as_bytes(), &["run", "--system", "solo", "--replay"], is_carried_out);
}

/// Holds: files-damaged.
#[test]
fn torn_image_description_is_listed_or_refused() {
    let whole = root("userland/images/small.toml");
    try_torn("mine.toml", &whole, &["image", "--list", "--image"], |output| output.status.success());
}
