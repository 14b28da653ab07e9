//! A system's tables: whatever lies where they should be, a board refuses it or boots its headers from it.
//!
//! The first byte says how to read the rest: as a body as it is, or as edits (place, byte) of the tables of a
//! known system; the head is always right, so that the check sum stops nothing.

use renga_placement::{check, code_kinds, parse};
use renga_rt::host::HostBoard;
use renga_systems::{Directory, Kind, blob};
use std::cell::RefCell;

/// Boot memory of the board, 16-byte words: no tables need more than this for their headers.
const BOOT_WORDS: usize = 4 << 20;
const SYSTEMS: [&str; 2] =
    [include_str!("../../../sysprocs/systems/pair.toml"), include_str!("../../../sysprocs/systems/solo.toml")];

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
    static BODIES: Vec<Vec<u8>> = SYSTEMS.iter().map(|text| body(text)).collect();
}

fn body(text: &str) -> Vec<u8> {
    let checked = parse(text).and_then(|system| check(&system, &code_kinds()));
    checked.unwrap_or_else(|error| panic!("{error}")).to_blob().split_off(blob::HEAD_BYTES)
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    let Some((&form, rest)) = bytes.split_first() else { return };
    let tried = match usize::from(form).checked_sub(1) {
        None => rest.to_vec(),
        Some(system) => BODIES.with(|bodies| edited(&bodies[system % bodies.len()], rest)),
    };
    if tried.len() <= blob::BYTES_MAX {
        BOOT.with_borrow_mut(|memory| {
            let boards = HostBoard::within(0, memory, |board| boot(board, &tried, 0));
            for number in 1..boards {
                HostBoard::within(number, memory, |board| boot(board, &tried, number));
            }
        });
    }
}

fn edited(good: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut body = good.to_vec();
    for edit in edits.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % body.len();
        body[at] = edit[2];
    }
    body
}

/// Makes the headers of board `number`; how many boards there are.
fn boot(board: HostBoard, body: &[u8], number: u8) -> u8 {
    let bytes = [&blob::head(body)[..], body].concat();
    let system = match blob::read(board.arena, &bytes) {
        Ok(system) => system,
        Err(bad) => {
            assert!(!bad.to_string().is_empty());
            return 0;
        }
    };
    let directory =
        Directory::make(&[board.core], board.arena, (system, number), |_, priority, _| board.declare(priority));
    assert_eq!(directory.of_kind(Kind::Procs).len(), 1);
    for index in 0..directory.table().processes {
        assert_ne!(directory.kind_name(renga_rt::ProcId::new(number, index)), "?");
    }
    system.boards.len() as u8
}
