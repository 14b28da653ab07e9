//! Recorded sessions (`--record`, `--replay`): refused with the line that is wrong, or read.

use renga_emu::Recording;

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(recording) = Recording::parse(text) {
        assert!(recording.inputs.is_sorted_by_key(|input| input.time_ns));
        assert!(recording.inputs.iter().all(|input| usize::from(input.board) < recording.header.boards));
    }
}
