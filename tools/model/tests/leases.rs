//! Leases of pages: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::leases::Mutant;
use renga_model::leases::properties::{ADRIFT, AWAY as IS_AWAY, GONE, LATE_LEASE, MAPPED as IS_MAPPED, MAPPED_AT_HOME};
use renga_model::leases::world::{Limits, World};
use renga_model::search::{Found, search};

const THREADS: usize = 2;
const PLAIN: Limits = Limits {
    fills: 3,
    changes: 3,
    deaths: 0,
    inode_deaths: 0,
    evictions: 0,
    leases: 0,
    shows: 0,
    session_ends: 0,
    sets: 0,
    looks: 0,
};
const SET: Limits = Limits { fills: 0, changes: 1, leases: 2, sets: 2, looks: 1, ..PLAIN };
const LENT: Limits = Limits { fills: 1, changes: 2, leases: 2, ..PLAIN };
const MAPPED: Limits = Limits { fills: 0, changes: 2, leases: 1, shows: 2, ..PLAIN };
const AWAY: Limits = Limits { fills: 0, changes: 2, leases: 2, session_ends: 1, ..PLAIN };

/// What is searched: within which limits, and which ways of being wrong are noticed there.
type Bounds = (&'static str, Limits, &'static [Mutant]);

const BOUNDS: [Bounds; 16] = [
    (
        "nothing goes wrong",
        PLAIN,
        &[
            Mutant::TicketIgnored,
            Mutant::TicketOutlivesRecall,
            Mutant::GrantNotNoted,
            Mutant::ChangeBeforeAnswers,
            Mutant::BoundTooLow,
            Mutant::SizeForgotten,
        ],
    ),
    ("a cache forgets the file", Limits { changes: 2, evictions: 1, ..PLAIN }, &[Mutant::TicketUsedTwice]),
    ("a board dies", Limits { changes: 2, deaths: 1, ..PLAIN }, &[Mutant::FormerLife]),
    ("the inode's board dies", Limits { changes: 2, inode_deaths: 1, ..PLAIN }, &[Mutant::PagesOutliveInode]),
    (
        "boards write in their caches",
        LENT,
        &[
            Mutant::LeaseOutlivesTaking,
            Mutant::OthersKeepPages,
            Mutant::TwoHold,
            Mutant::WritesWhileTaken,
            Mutant::TakenInOneStep,
            Mutant::ShownWhileLent,
            Mutant::AnsweredWhileLent,
            Mutant::FillOverwrites,
            Mutant::FillBringsSize,
        ],
    ),
    (
        "a cache that writes forgets the file",
        Limits { changes: 1, evictions: 1, ..LENT },
        &[Mutant::DirtyForgotten, Mutant::EndForgotten],
    ),
    ("a board that writes dies", Limits { changes: 1, deaths: 1, ..LENT }, &[]),
    ("the inode's board dies while a file is lent", Limits { changes: 1, inode_deaths: 1, ..LENT }, &[]),
    (
        "programs write by mappings",
        MAPPED,
        &[
            Mutant::PageOfVoidLease,
            Mutant::StoredClean,
            Mutant::ShownWhileTaken,
            Mutant::SoleOutlivesLending,
            Mutant::DirtyIsSole,
        ],
    ),
    (
        "a board that reads what programs elsewhere write by mappings",
        Limits { fills: 1, changes: 1, shows: 1, ..MAPPED },
        &[Mutant::SoleOutlivesGrant],
    ),
    (
        "a session ends while both boards live",
        AWAY,
        &[Mutant::DirtyEndsWithSession, Mutant::DirtyOfOtherLease, Mutant::NotesEndWithSession],
    ),
    ("a session ends while others read", Limits { fills: 1, leases: 1, ..AWAY }, &[Mutant::GrantedWhileAway]),
    ("a session ends while programs write by mappings", Limits { leases: 1, shows: 1, ..AWAY }, &[]),
    (
        "boards set the mode of what they hold",
        SET,
        &[Mutant::ModeStaysThere, Mutant::LookWithoutAsking, Mutant::SetWithoutAsking, Mutant::ModeToldTwice],
    ),
    ("one that has set it dies, or forgets the file", Limits { leases: 1, deaths: 1, evictions: 1, ..SET }, &[]),
    ("the inode's board dies then", Limits { leases: 1, inode_deaths: 1, ..SET }, &[]),
];

fn run(what: &str, mutant: Option<Mutant>, limits: Limits) -> Found<World> {
    let found = search(World::new(mutant, limits), THREADS);
    println!("{what}, {mutant:?}: {} states, {:?}", found.states, found.broken);
    found
}

/// What a search is to come by: what its limits let happen.
fn is_to_be_seen(what: &str, limits: Limits) -> bool {
    match what {
        IS_MAPPED | MAPPED_AT_HOME => limits.shows > 0,
        LATE_LEASE => limits.leases > 0,
        ADRIFT | IS_AWAY | GONE => limits.session_ends > 0,
        _ => false,
    }
}

/// Holds: leases-coherent.
#[test]
fn leases_model_never_reads_stale() {
    for (what, limits, _) in BOUNDS {
        let found = run(what, None, limits);
        assert!(found.broken.is_none(), "{what}: {:?}", found.broken);
        let missed = found.unseen.iter().find(|unseen| is_to_be_seen(unseen, limits));
        assert_eq!(missed, None, "{what}: nothing was searched of that");
    }
    let plain = run("nothing", None, PLAIN);
    assert_eq!(
        plain.unseen,
        [IS_MAPPED, MAPPED_AT_HOME, LATE_LEASE, ADRIFT, IS_AWAY, GONE],
        "what cannot be is not seen"
    );
}

#[test]
fn leases_model_mutants_are_found() {
    let mut alive = Vec::from(Mutant::ALL);
    for (what, limits, mutants) in BOUNDS {
        let found = |mutant: &Mutant| run(what, Some(*mutant), limits).broken.is_some();
        let found: Vec<Mutant> = mutants.iter().copied().filter(found).collect();
        alive.retain(|mutant| !found.contains(mutant));
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
