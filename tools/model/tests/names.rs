//! Names held elsewhere: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::names::Mutant;
use renga_model::names::properties::{CUT_OFF, NAMES_ONLY};
use renga_model::names::world::{Limits, World};
use renga_model::search::{Found, search};

const THREADS: usize = 2;
const PLAIN: Limits = Limits {
    walks: 3,
    changes: 3,
    makes: 0,
    reads: 0,
    folder: false,
    drops: 0,
    evictions: 0,
    deaths: 0,
    disk_deaths: 0,
    session_ends: 0,
};
const MAKING: Limits = Limits { walks: 1, changes: 1, makes: 2, ..PLAIN };
const FOLDER: Limits = Limits { folder: true, ..MAKING };

/// What is searched: within which limits, and which ways of being wrong are noticed there.
type Bounds = (&'static str, Limits, &'static [Mutant]);

const BOUNDS: [Bounds; 16] = [
    (
        "nothing goes wrong",
        PLAIN,
        &[
            Mutant::TicketIgnored,
            Mutant::TicketOutlivesRecall,
            Mutant::NameNotNoted,
            Mutant::StatusNotNoted,
            Mutant::ChangeBeforeAnswers,
            Mutant::NamesToldMeanwhile,
            Mutant::StatusToldMeanwhile,
        ],
    ),
    (
        "slots are needed for other names",
        Limits { changes: 2, evictions: 2, ..PLAIN },
        &[Mutant::NotesLostWithSlot, Mutant::OneNameOfMany],
    ),
    ("a board dies", Limits { changes: 2, deaths: 1, ..PLAIN }, &[Mutant::FormerLife]),
    ("the disk's board dies", Limits { changes: 2, disk_deaths: 1, ..PLAIN }, &[Mutant::HeldOutlivesDisk]),
    (
        "a session ends while both boards live",
        Limits { changes: 2, session_ends: 1, ..PLAIN },
        &[Mutant::DeadWhenAsked, Mutant::WalkOutlivesSession],
    ),
    (
        "the inode is read",
        Limits { changes: 1, reads: 2, ..PLAIN },
        &[Mutant::SeveralTold, Mutant::TicketOutlivesTold, Mutant::ToldNotNoted],
    ),
    ("the inode is read, and a board dies", Limits { changes: 1, reads: 1, deaths: 1, ..PLAIN }, &[]),
    ("the inode is read, and a session ends", Limits { changes: 1, reads: 1, session_ends: 1, ..PLAIN }, &[]),
    (
        "boards make something",
        MAKING,
        &[
            Mutant::MakerKeepsWhatChanges,
            Mutant::TicketOutlivesMake,
            Mutant::WalksKeptWhileMaking,
            Mutant::MakeKeptBesideAnother,
            Mutant::TicketIgnoredByMake,
            Mutant::MakeNotNoted,
        ],
    ),
    (
        "slots are needed for other names beside makes",
        Limits { makes: 1, evictions: 1, ..MAKING },
        &[Mutant::MakerNotAskedForOthers],
    ),
    ("a board that makes something dies", Limits { changes: 0, deaths: 1, ..MAKING }, &[]),
    ("the session of a board that makes something ends", Limits { walks: 0, session_ends: 1, ..MAKING }, &[]),
    (
        "a board knows all names of a folder",
        FOLDER,
        &[
            Mutant::OthersOutliveMake,
            Mutant::OthersOutliveRename,
            Mutant::OthersOutliveLostMake,
            Mutant::OthersHeldBesideMakes,
            Mutant::MakerTellsMeanwhile,
            Mutant::MakersNoteTaken,
        ],
    ),
    (
        "a board makes room that knows all names of a folder",
        Limits { walks: 0, drops: 1, ..FOLDER },
        &[Mutant::OthersOutliveName],
    ),
    (
        "slots are needed for other names than those of a folder",
        Limits { walks: 0, evictions: 1, ..FOLDER },
        &[Mutant::OthersLostWithSlot],
    ),
    (
        "the session of a board that knows all names of a folder ends",
        Limits { changes: 0, session_ends: 1, ..FOLDER },
        &[Mutant::OthersOutliveSession],
    ),
];

fn run(what: &str, mutant: Option<Mutant>, limits: Limits) -> Found<World> {
    let found = search(World::new(mutant, limits), THREADS);
    println!("{what}, {mutant:?}: {} states, {:?}", found.states, found.broken);
    found
}

/// Holds: leases-coherent.
#[test]
fn names_model_never_answers_stale() {
    for (what, limits, _) in BOUNDS {
        let found = run(what, None, limits);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
        let parted = limits.session_ends > 0 || limits.disk_deaths > 0;
        assert_eq!(found.unseen.contains(&CUT_OFF), !parted, "{what}: seen where it can be, and nowhere else");
        let status_alone = limits.folder && limits.changes > 0;
        assert_eq!(found.unseen.contains(&NAMES_ONLY), !status_alone, "{what}: likewise");
    }
}

#[test]
fn names_model_mutants_are_found() {
    let mut alive = Vec::from(Mutant::ALL);
    for (what, limits, mutants) in BOUNDS {
        let found = |mutant: &Mutant| run(what, Some(*mutant), limits).broken.is_some();
        let found: Vec<Mutant> = mutants.iter().copied().filter(found).collect();
        alive.retain(|mutant| !found.contains(mutant));
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
