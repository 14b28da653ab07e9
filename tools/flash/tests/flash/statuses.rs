//! Each failure ends the command with a status that the help and the guide explain.

use crate::loop_device::flash;
use renga_flash::FlashError;
use std::io;
use std::path::{Path, PathBuf};

/// Holds: flash-status.
#[test]
fn flash_error_every_status_is_in_help() {
    let cause = || io::Error::from(io::ErrorKind::Other);
    let failures = [
        FlashError::Differs { at: 0, place: String::new() },
        FlashError::Refused { target: String::new(), reasons: Vec::new() },
        FlashError::NoTarget { target: String::new(), reason: String::new() },
        FlashError::NotConfirmed(String::new()),
        FlashError::Pulled,
        FlashError::Full { at: 0 },
        FlashError::Write { at: 0, cause: cause() },
        FlashError::Read { at: 0, cause: cause() },
        FlashError::Taken { board: String::new() },
        FlashError::Unsound { image: PathBuf::new(), faults: Vec::new() },
        FlashError::Open { target: String::new(), cause: cause() },
        FlashError::Other(io::Error::from(io::ErrorKind::Other).into()),
    ];
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/flash-cards.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let help = flash(&["--help"]).1;
    // Of the argument parser: wrong arguments.
    assert_eq!(flash(&["--no-such-option"]).0, 2);
    for status in failures.iter().map(FlashError::status).chain([0, 2]) {
        let explained = |text: &str, begin: &str| text.lines().find_map(|line| line.strip_prefix(begin)).map(clean);
        let in_guide = explained(&guide, &format!("| {status} |"));
        assert_eq!(explained(&help, &format!("  {status}  ")), in_guide, "{status}");
        assert!(in_guide.is_some_and(|text| text.len() > 4), "{status}");
    }
}

fn clean(text: &str) -> String {
    text.trim_matches(['|', ' ']).to_string()
}
