//! Boots one image on some boards and prints what their consoles say: the emulator without the rest of Renga.
//!
//! `%` in APPEND is the board's number; SD is the first board's card, or `-`.
//!
//! `boards QEMU PLUGIN IMAGE BOARDS APPEND [SD [SHIFT [QUANTUM_NS [VIRTUAL_S]]]]`
use renga_emu::{BoardConfig, ClusterConfig, ClusterEvent, EmulatedCluster};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [qemu, plugin, image, boards, append, rest @ ..] = arguments.as_slice() else {
        return Err("boards QEMU PLUGIN IMAGE BOARDS APPEND [SD [SHIFT [QUANTUM_NS [VIRTUAL_S]]]]".into());
    };
    let number = |index: usize| rest.get(index).map(|text| text.parse::<u64>()).transpose();
    let card = rest.first().filter(|path| *path != "-").map(PathBuf::from);
    let boards = (0..boards.parse::<u8>()?)
        .map(|board| BoardConfig {
            image: PathBuf::from(image),
            append: append.replace('%', &board.to_string()),
            sd_image: card.clone().filter(|_| board == 0),
            ..BoardConfig::default()
        })
        .collect();
    let mut config = ClusterConfig::new(PathBuf::from(qemu), PathBuf::from(plugin), boards);
    config.shift = number(1)?.unwrap_or(0) as u8;
    config.quantum_ns = number(2)?.filter(|quantum_ns| *quantum_ns > 0);
    config.limits.virtual_ns = number(3)?.map(|virtual_s| virtual_s * 1_000_000_000);
    let mut cluster = EmulatedCluster::start(config)?;
    let mut out = std::io::stdout();
    loop {
        match cluster.next_event()? {
            ClusterEvent::Console { board, time_ns, bytes } => {
                write!(out, "[{board} {time_ns}] {}", String::from_utf8_lossy(&bytes))?;
            }
            ClusterEvent::Finished(stats) => {
                writeln!(out, "{stats:#x?}")?;
                return Ok(());
            }
            other => writeln!(out, "{other:?}")?,
        }
    }
}
