//! System files for another number of boards, made of those of the tree.

use renga_placement::{Checked, GenerateError, SystemForm, check, code_kinds, generate, parse};
use std::fs;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn accepted(text: &str) -> Checked {
    check(&parse(text).unwrap(), &code_kinds()).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn generated(from: &str, name: &str, boards: usize) -> Result<String, GenerateError> {
    let text = fs::read_to_string(here("../../sysprocs/systems").join(format!("{from}.toml"))).unwrap();
    generate(SystemForm { name, boards, from: (from, &text), disk_board: None }, &code_kinds())
}

#[test]
fn system_generated_for_1_to_8_boards_is_accepted() {
    let systems =
        [("pair", [1, 2, 8]), ("quad", [3, 4, 5]), ("octet", [6, 7, 8]), ("pair4", [1, 2, 3]), ("quad4", [4, 6, 8])];
    for (from, boards) in systems.into_iter().flat_map(|(from, numbers)| numbers.map(|boards| (from, boards))) {
        let text = generated(from, "mine", boards).unwrap_or_else(|error| panic!("{from}, {boards}: {error}"));
        let checked = accepted(&text);
        assert_eq!((checked.boards.len(), checked.name.as_str()), (boards, "mine"));
        let asynchronous = text.replace("mode = \"sync\"", "mode = \"async\"");
        assert_ne!(asynchronous, text);
        let checked = accepted(&asynchronous);
        for (board, memory) in checked.boards.iter().zip(&checked.message_memory).filter(|_| boards > 1) {
            assert_eq!(u64::from(board.message_kib), memory.total_bytes().div_ceil(1024), "{from}, {boards}");
        }
    }
    assert!(generated("pair4", "mine", 3).unwrap().matches("cores = 4").count() == 3, "boards are as those of pair4");
}

#[test]
fn system_generated_without_link_or_boards_is_refused() {
    assert_eq!(generated("solo", "mine", 2), Err(GenerateError::NoLink("solo".to_string())));
    assert!(generated("solo", "mine", 1).is_ok());
    assert_eq!(generated("pair", "mine", 9), Err(GenerateError::Boards(9)));
}

#[test]
fn system_generated_for_another_disk_board_has_the_file_system_there() {
    for (from, boards) in [("pair", 2), ("quad", 3), ("octet", 8), ("pair4", 2)] {
        let base = fs::read_to_string(here("../../sysprocs/systems").join(format!("{from}.toml"))).unwrap();
        let form = |disk_board| SystemForm { name: "mine", boards, from: (from, &base), disk_board: Some(disk_board) };
        let [usual, moved] = ["a", "b"].map(|board| accepted(&generate(form(board), &code_kinds()).unwrap()));
        assert_eq!((usual.boards[0].owns_disk, usual.file_board()), (true, 0));
        assert_eq!((moved.boards[1].owns_disk, moved.file_board(), moved.console_board()), (true, 1, 1));
        assert_eq!(moved.message_memory[1].total_bytes(), usual.message_memory[0].total_bytes());
        let error = generate(form("z"), &code_kinds()).expect_err("there is none").to_string();
        assert!(error.starts_with("there is no board `z` for the disk: the boards are a, b"), "{error}");
    }
}

#[test]
fn system_trio_is_generated() {
    let trio = fs::read_to_string(here("../../sysprocs/systems/trio.toml")).unwrap();
    assert_eq!(generated("quad", "trio", 3).unwrap(), trio, "./renga system new --boards 3 --out trio.toml");
}
