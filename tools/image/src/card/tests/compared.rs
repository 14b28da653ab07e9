//! The cluster or the system with which a card is compared.

use super::{Bench, KERNEL, cluster};
use crate::card::{CardCluster, kernel_files, sha256};
use renga_workspace::environment::Environment;
use std::fs;

/// Holds: cards-inspect.
#[test]
fn card_of_another_cluster_board_or_placement_is_reported() {
    let bench = Bench::new("other");
    let (lab, pair) = (cluster("lab", "pair", "pi3"), cluster("other", "pair", "pi3"));
    let card = bench.card("card", &lab, 1);
    assert_eq!(bench.faults(&card, &pair), ["a card of another cluster: `lab`, not `other`"]);
    assert_eq!(bench.faults(&card, &cluster("lab", "pair", "pi4")), ["made for a pi3, but board b is a pi4"]);
    let trio = bench.faults(&bench.card("other-trio", &cluster("lab", "trio", "pi3"), 2), &lab);
    assert_eq!(trio, ["a card of system `trio`, but cluster `lab` has system `pair`"]);
    let without = bench.write("without", &bench.files(&lab, 0), false);
    assert_eq!(bench.faults(&without, &lab), ["this board owns the disk, but the card has no partition for it"]);
}

/// Without a cluster file, a card is compared with the system that it names itself.
/// Holds: cards-inspect.
#[test]
fn card_without_cluster_is_compared_with_its_own_system() {
    let bench = Bench::new("own");
    let kernel = Some(sha256(&kernel_files(KERNEL, &[]).unwrap()[0].bytes));
    let trio = cluster("lab", "trio", "pi3");
    assert_eq!(bench.inspected(&bench.card("trio", &trio, 2), None, kernel), [""; 0]);
    let without = bench.write("without", &bench.files(&trio, 0), false);
    let faults = bench.inspected(&without, None, kernel);
    assert_eq!(faults, ["this board owns the disk, but the card has no partition for it"]);

    // Two files of one name: that of the tree is named, and the way out.
    let text = fs::read_to_string(&trio.system.path).unwrap().replace("mode = \"sync\"", "mode = \"async\"");
    let file = bench.folder.join("trio.toml");
    fs::write(&file, text).unwrap();
    let own = cluster("lab", file.to_str().unwrap(), "pi3");
    let card = bench.card("own", &own, 1);
    let faults = bench.inspected(&card, None, kernel);
    assert!(faults[0].contains("that of sysprocs/systems/trio.toml is") && faults[0].contains("--cluster FILE"));
    assert_eq!((faults.len(), bench.faults(&card, &own)), (1, vec![]));
    let foreign = bench.faults(&card, &cluster("lab", "pair", "pi3"));
    assert_eq!(foreign[0], "a card of system `trio`, but cluster `lab` has system `pair`");
}

#[test]
fn card_cluster_file_names_system_file_beside_it() {
    let bench = Bench::new("beside");
    let environment = Environment::read().unwrap();
    let text = fs::read_to_string(environment.root.join("sysprocs/systems/solo.toml")).unwrap();
    fs::write(bench.folder.join("mine.toml"), text.replace("name = \"solo\"", "name = \"mine\"")).unwrap();
    let cluster = |system: &str| {
        let file = bench.folder.join("lab.toml");
        fs::write(&file, format!("name = \"lab\"\nsystem = \"{system}\"\n[boards]\na = \"pi3\"\n")).unwrap();
        CardCluster::read(&environment, &file).map(|cluster| cluster.system.name().to_string())
    };
    let absolute = bench.folder.join("mine.toml").display().to_string();
    for system in ["mine.toml", "./mine.toml", absolute.as_str()] {
        assert_eq!(cluster(system).unwrap(), "mine", "{system}");
    }
    assert_eq!(cluster("solo").unwrap(), "solo");
    assert!(cluster("other.toml").is_err());
}
