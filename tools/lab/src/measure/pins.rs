//! What the driver of the pins costs, in instructions, as the booted image has it; and whether the model of
//! the pins takes it for that.
//!
//! Not here: the counting itself (`kernel/image/src/bench/pins.rs`), what follows for the bus (`bus`).

use super::measured::{Fixture, figures};
use anyhow::{Context, Result};
use renga_cli::ClusterArgs;
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_phy::pins::model::INSTRUCTIONS;
use renga_workspace::environment::Environment;

/// What is counted.
const ROWS: [(&str, &str); 4] = [
    ("talker-three-wire", "three-wire, talker"),
    ("listener-three-wire", "three-wire, listener"),
    ("talker-two-edge", "two-edge, talker"),
    ("listener-two-edge", "two-edge, listener"),
];
/// The model may take the driver for so much slower than it is, instructions; never for faster.
const MARGIN: f64 = 3.0;

/// Prints the table; 1 if the model needs another number.
///
/// # Errors
/// If the run fails or does not say what it measured.
pub fn measure(environment: &Environment) -> Result<u8> {
    let machine = ClusterArgs::usual("pair");
    let system = SystemFile::find(environment, &machine.system)?;
    let fixture = Fixture::make(environment, &machine)?;
    let text = fixture.run(&system, &fixture.kernel(KernelFlavour::Bench)?, "", false)?.text;
    fixture.progress.finish();
    println!("The driver of the pins in the booted image: a frame of 1024 bytes, against a script of the other");
    println!("side that is always ready; checksums included, pauses to settle left out.\n");
    println!("{:<22} {:>9} {:>13} {:>11}", "", "accesses", "instructions", "an access");
    let mut counted = [0.0_f64; 2];
    for (name, what) in ROWS {
        let [accesses, instructions, each] = figures(&text, name)?;
        println!("{what:<22} {accesses:>9} {instructions:>13} {each:>11}");
        let most = &mut counted[usize::from(name.starts_with("listener"))];
        *most = most.max(each.parse().with_context(|| format!("not a number: {each}"))?);
    }
    let taken = [INSTRUCTIONS.talker, INSTRUCTIONS.listener];
    println!(
        "\nThe model of the pins takes {} before each access of a talker and {} of a listener.",
        taken[0], taken[1]
    );
    let holds = counted.iter().zip(taken).all(|(most, taken)| (*most..=*most + MARGIN).contains(&(taken as f64)));
    if !holds {
        println!("These are not between the most counted, {} and {}, and {MARGIN} more.", counted[0], counted[1]);
    }
    Ok(u8::from(!holds))
}
