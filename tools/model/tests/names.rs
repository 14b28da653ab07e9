//! Names cached elsewhere: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::names::NamesMutant;
use renga_model::names::properties::{CUT_OFF, NAMES_ONLY};
use renga_model::names::world::{NamesLimits, NamesWorld};
use renga_model::search::{SearchFound, search};

const THREADS: usize = 2;
const PLAIN: NamesLimits = NamesLimits {
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
const MAKING: NamesLimits = NamesLimits { walks: 1, changes: 1, makes: 2, ..PLAIN };
const FOLDER: NamesLimits = NamesLimits { folder: true, ..MAKING };

/// What is searched: within which limits, and which ways of being wrong are noticed there.
type Bounds = (&'static str, NamesLimits, &'static [NamesMutant]);

const BOUNDS: [Bounds; 16] = [
    (
        "nothing goes wrong",
        PLAIN,
        &[
            NamesMutant::GenerationIgnored,
            NamesMutant::GenerationOutlivesRevoke,
            NamesMutant::NameNotNoted,
            NamesMutant::StatusNotNoted,
            NamesMutant::ChangeBeforeAnswers,
            NamesMutant::NamesReportedMeanwhile,
            NamesMutant::StatusReportedMeanwhile,
        ],
    ),
    (
        "slots are needed for other names",
        NamesLimits { changes: 2, evictions: 2, ..PLAIN },
        &[NamesMutant::NotesLostWithSlot, NamesMutant::OneNameOfMany],
    ),
    ("a board dies", NamesLimits { changes: 2, deaths: 1, ..PLAIN }, &[NamesMutant::FormerIncarnation]),
    ("the disk's board dies", NamesLimits { changes: 2, disk_deaths: 1, ..PLAIN }, &[NamesMutant::CacheOutlivesDisk]),
    (
        "a session ends while both boards live",
        NamesLimits { changes: 2, session_ends: 1, ..PLAIN },
        &[NamesMutant::DeadWhenAsked, NamesMutant::WalkOutlivesSession],
    ),
    (
        "the inode is read",
        NamesLimits { changes: 1, reads: 2, ..PLAIN },
        &[NamesMutant::SeveralUpdated, NamesMutant::GenerationOutlivesUpdate, NamesMutant::UpdatedNotNoted],
    ),
    ("the inode is read, and a board dies", NamesLimits { changes: 1, reads: 1, deaths: 1, ..PLAIN }, &[]),
    ("the inode is read, and a session ends", NamesLimits { changes: 1, reads: 1, session_ends: 1, ..PLAIN }, &[]),
    (
        "boards make something",
        MAKING,
        &[
            NamesMutant::MakerKeepsWhatChanges,
            NamesMutant::GenerationOutlivesMake,
            NamesMutant::WalksKeptWhileMaking,
            NamesMutant::MakeKeptBesideAnother,
            NamesMutant::GenerationIgnoredByMake,
            NamesMutant::MakeNotNoted,
        ],
    ),
    (
        "slots are needed for other names beside makes",
        NamesLimits { makes: 1, evictions: 1, ..MAKING },
        &[NamesMutant::MakerNotAskedForOthers],
    ),
    ("a board that makes something dies", NamesLimits { changes: 0, deaths: 1, ..MAKING }, &[]),
    ("the session of a board that makes something ends", NamesLimits { walks: 0, session_ends: 1, ..MAKING }, &[]),
    (
        "a board knows all names of a folder",
        FOLDER,
        &[
            NamesMutant::OthersOutliveMake,
            NamesMutant::OthersOutliveRename,
            NamesMutant::OthersOutliveLostMake,
            NamesMutant::OthersCachedBesideMakes,
            NamesMutant::MakerReportsMeanwhile,
            NamesMutant::MakersNoteTaken,
        ],
    ),
    (
        "a board makes room that knows all names of a folder",
        NamesLimits { walks: 0, drops: 1, ..FOLDER },
        &[NamesMutant::OthersOutliveName],
    ),
    (
        "slots are needed for other names than those of a folder",
        NamesLimits { walks: 0, evictions: 1, ..FOLDER },
        &[NamesMutant::OthersLostWithSlot],
    ),
    (
        "the session of a board that knows all names of a folder ends",
        NamesLimits { changes: 0, session_ends: 1, ..FOLDER },
        &[NamesMutant::OthersOutliveSession],
    ),
];

fn run(what: &str, mutant: Option<NamesMutant>, limits: NamesLimits) -> SearchFound<NamesWorld> {
    let found = search(NamesWorld::new(mutant, limits), THREADS);
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
    let mut alive = Vec::from(NamesMutant::ALL);
    for (what, limits, mutants) in BOUNDS {
        let found = |mutant: &NamesMutant| run(what, Some(*mutant), limits).broken.is_some();
        let found: Vec<NamesMutant> = mutants.iter().copied().filter(found).collect();
        alive.retain(|mutant| !found.contains(mutant));
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
