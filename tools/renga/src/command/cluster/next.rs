//! What a person does next with a new cluster.

use super::folder::MadeCluster;
use super::wanted::WantedCluster;
use renga_boot_card::LinkMode;
use renga_images::card::models;
use std::fmt::Write;

/// What there is, and the next commands.
pub(super) fn text(wanted: &WantedCluster, made: &MadeCluster) -> String {
    let count = wanted.models.len();
    let (system, file, cards) = (made.system_file.display(), made.cluster_file.display(), made.cards.display());
    let mut commands = vec![(format!("./renga check {system}"), "processes and memory")];
    if !wanted.with_cards {
        commands.push((format!("./renga image --cluster {file} --out {cards}"), "the card images"));
    }
    if can_be_emulated(wanted, made) {
        let run = format!("./renga run --system {system} --cards {cards} -c 'uname -n'");
        commands.push((run, "the cards, in the emulator"));
    }
    commands.push((format!("./renga flash --cluster {file} --cards {cards} /dev/sdX"), "a card for each board"));
    let names = (0..count).map(|number| made.cluster.board_name(number));
    let ports: Vec<String> = names.enumerate().map(|(at, name)| format!("/dev/ttyUSB{at}={name}")).collect();
    let log = wanted.out.join("log");
    commands.push((format!("./renga console --out {} {}", log.display(), ports.join(" ")), "the boards' consoles"));
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let mut text = format!("{system}\n{file}\n{}, with its drawing beside\n\nNext:\n", made.plan.display());
    for (command, what) in commands {
        let _ = writeln!(text, "  {command:width$}  # {what}"); // a String takes everything
    }
    text
}

/// Whether `renga run` has a machine for each board, and the link.
fn can_be_emulated(wanted: &WantedCluster, made: &MadeCluster) -> bool {
    let mut boards = wanted.models.iter().enumerate();
    let has_link = wanted.link != LinkMode::Spi || wanted.models.len() == 1;
    has_link
        && boards
            .all(|(at, model)| models::machine(made.cluster.board_name(at), *model, made.cluster.owns_disk(at)).is_ok())
}
