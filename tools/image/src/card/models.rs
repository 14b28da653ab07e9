//! Boards' models, as people say them, and as the emulator has them.

use anyhow::{Context, Result, bail};
use renga_boot_card::Model;
use renga_emu::EmulatedMachine;

/// The model of each board, in the order of `boards`: `said` is `MODEL` for all of them, or `BOARD=MODEL` for one;
/// `unsaid` is that of the others.
///
/// # Errors
/// If there is no such board or model, or a board has none.
pub fn of_boards(boards: &[&str], said: &[String], unsaid: Option<Model>) -> Result<Vec<Model>> {
    let mut models = vec![unsaid; boards.len()];
    for part in said.iter().flat_map(|part| part.split(',')) {
        let (board, name) = part.split_once('=').map_or((None, part), |(board, name)| (Some(board), name));
        let model = Model::named(name).with_context(|| {
            format!("there is no board `{name}`: known ones are {}", Model::ALL.map(Model::name).join(", "))
        })?;
        match board {
            None => models.fill(Some(model)),
            Some(board) => {
                let number = boards.iter().position(|known| *known == board);
                let number = number.with_context(|| {
                    format!("the system has no board `{board}`: its boards are {}", boards.join(", "))
                })?;
                models[number] = Some(model);
            }
        }
    }
    let of_board = |(model, board): (Option<Model>, &&str)| {
        model.with_context(|| format!("which model is board {board}? Say --board {board}=pi3, or --board pi3 for all"))
    };
    models.into_iter().zip(boards).map(of_board).collect()
}

/// The machine that the emulator has for board `name`, a `model` that owns the disk or does not.
///
/// # Errors
/// If it has none that can do so.
pub fn machine(name: &str, model: Model, owns_disk: bool) -> Result<EmulatedMachine> {
    let machine = match model {
        Model::Pi3 => EmulatedMachine::Pi3B,
        Model::Zero2W => EmulatedMachine::Pi3APlus,
        Model::Pi4 => EmulatedMachine::Pi4B,
    };
    if owns_disk && !machine.facts().has_slot {
        bail!(
            "board {name} owns the disk, and the emulator has no card in a {model}'s slot: emulate it as another model, \
             as in --board {name}=pi3"
        );
    }
    Ok(machine)
}
