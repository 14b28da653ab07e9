//! Leases of pages: every order of events within bounds, and protocols that are wrong on purpose.

use renga_model::leases::LeasesMutant;
use renga_model::leases::properties::{
    GONE, LATE_LEASE, MAPPED as IS_MAPPED, MAPPED_AT_HOME, ORPHANED, UNREACHABLE as IS_UNREACHABLE,
};
use renga_model::leases::world::{LeasesLimits, LeasesWorld};
use renga_model::search::{SearchFound, search};

const THREADS: usize = 2;
const PLAIN: LeasesLimits = LeasesLimits {
    fills: 3,
    changes: 3,
    deaths: 0,
    inode_deaths: 0,
    evictions: 0,
    leases: 0,
    shows: 0,
    session_ends: 0,
    sets: 0,
    gets: 0,
    pushes: 0,
};
const SET: LeasesLimits = LeasesLimits { fills: 0, changes: 1, leases: 2, sets: 2, gets: 1, ..PLAIN };
const LEASED: LeasesLimits = LeasesLimits { fills: 1, changes: 2, leases: 2, ..PLAIN };
const MAPPED: LeasesLimits = LeasesLimits { fills: 0, changes: 2, leases: 1, shows: 2, ..PLAIN };
const UNREACHABLE: LeasesLimits = LeasesLimits { fills: 0, changes: 2, leases: 2, session_ends: 1, ..PLAIN };
const PUSHED: LeasesLimits = LeasesLimits { pushes: 2, ..LEASED };

/// What is searched: within which limits, and which ways of being wrong are noticed there.
type Bounds = (&'static str, LeasesLimits, &'static [LeasesMutant]);

const BOUNDS: [Bounds; 22] = [
    (
        "nothing goes wrong",
        PLAIN,
        &[
            LeasesMutant::GenerationIgnored,
            LeasesMutant::GenerationOutlivesRevoke,
            LeasesMutant::GrantNotNoted,
            LeasesMutant::ChangeBeforeAnswers,
            LeasesMutant::BoundTooLow,
            LeasesMutant::SizeForgotten,
        ],
    ),
    (
        "a cache forgets the file",
        LeasesLimits { changes: 2, evictions: 1, ..PLAIN },
        &[LeasesMutant::GenerationUsedTwice],
    ),
    ("a board fails", LeasesLimits { changes: 2, deaths: 1, ..PLAIN }, &[LeasesMutant::FormerIncarnation]),
    (
        "the inode's board dies",
        LeasesLimits { changes: 2, inode_deaths: 1, ..PLAIN },
        &[LeasesMutant::PagesOutliveInode],
    ),
    (
        "boards write in their caches",
        LEASED,
        &[
            LeasesMutant::LeaseOutlivesTaking,
            LeasesMutant::OthersKeepPages,
            LeasesMutant::TwoLeases,
            LeasesMutant::WritesWhileTaken,
            LeasesMutant::TakenInOneStep,
            LeasesMutant::MappedWhileLeased,
            LeasesMutant::AnsweredWhileLeased,
            LeasesMutant::FillOverwrites,
            LeasesMutant::FillBringsSize,
        ],
    ),
    (
        "a cache that writes forgets the file",
        LeasesLimits { changes: 1, evictions: 1, ..LEASED },
        &[LeasesMutant::DirtyForgotten, LeasesMutant::EndForgotten],
    ),
    ("a board that writes fails", LeasesLimits { changes: 1, deaths: 1, ..LEASED }, &[]),
    ("the inode's board fails while a file is leased", LeasesLimits { changes: 1, inode_deaths: 1, ..LEASED }, &[]),
    (
        "programs write by mappings",
        MAPPED,
        &[
            LeasesMutant::PageOfVoidLease,
            LeasesMutant::StoredClean,
            LeasesMutant::MappedWhileFlushed,
            LeasesMutant::SoleOutlivesLease,
            LeasesMutant::DirtyIsSole,
        ],
    ),
    (
        "a board that reads what programs elsewhere write by mappings",
        LeasesLimits { fills: 1, changes: 1, shows: 1, ..MAPPED },
        &[LeasesMutant::SoleOutlivesGrant],
    ),
    (
        "a session ends while both boards live",
        UNREACHABLE,
        &[LeasesMutant::DirtyEndsWithSession, LeasesMutant::DirtyOfOtherLease, LeasesMutant::NotesEndWithSession],
    ),
    (
        "a session ends while others read",
        LeasesLimits { fills: 1, leases: 1, ..UNREACHABLE },
        &[LeasesMutant::GrantedWhileUnreachable],
    ),
    ("a session ends while programs write by mappings", LeasesLimits { leases: 1, shows: 1, ..UNREACHABLE }, &[]),
    (
        "boards set the mode of files that they have leased",
        SET,
        &[
            LeasesMutant::ModeStaysThere,
            LeasesMutant::GetWithoutQuery,
            LeasesMutant::SetWhileLeased,
            LeasesMutant::ModeForgottenAtQuery,
            LeasesMutant::CompletedAfterLease,
        ],
    ),
    ("one that has set it dies, or forgets the file", LeasesLimits { leases: 1, deaths: 1, evictions: 1, ..SET }, &[]),
    ("the inode's board dies then", LeasesLimits { leases: 1, inode_deaths: 1, ..SET }, &[]),
    (
        "boards push what they have written",
        PUSHED,
        &[
            LeasesMutant::PushOfOverLease,
            LeasesMutant::PushWhileFlushed,
            LeasesMutant::RewrittenIsClean,
            LeasesMutant::RefusedIsClean,
            LeasesMutant::TwoPushes,
        ],
    ),
    (
        "boards push what programs write by mappings",
        LeasesLimits { pushes: 1, ..MAPPED },
        &[LeasesMutant::MappedWhilePushed, LeasesMutant::StoredWhilePushed],
    ),
    ("boards push the mode", LeasesLimits { leases: 1, pushes: 1, ..SET }, &[LeasesMutant::ModeGoneAfterPush]),
    ("a session ends during a push", LeasesLimits { pushes: 1, ..UNREACHABLE }, &[]),
    (
        "a board dies during a push",
        LeasesLimits { deaths: 1, leases: 1, pushes: 1, ..LEASED },
        &[LeasesMutant::PushOfFormerSession],
    ),
    ("the inode's board dies during a push", LeasesLimits { inode_deaths: 1, leases: 1, pushes: 1, ..LEASED }, &[]),
];

fn run(what: &str, mutant: Option<LeasesMutant>, limits: LeasesLimits) -> SearchFound<LeasesWorld> {
    let found = search(LeasesWorld::new(mutant, limits), THREADS);
    println!("{what}, {mutant:?}: {} states, {:?}", found.states, found.broken);
    found
}

/// What a search is to come by: what its limits let happen.
fn is_to_be_seen(what: &str, limits: LeasesLimits) -> bool {
    match what {
        IS_MAPPED | MAPPED_AT_HOME => limits.shows > 0,
        LATE_LEASE => limits.leases > 0,
        ORPHANED | IS_UNREACHABLE | GONE => limits.session_ends > 0,
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
        [IS_MAPPED, MAPPED_AT_HOME, LATE_LEASE, ORPHANED, IS_UNREACHABLE, GONE],
        "what cannot be is not seen"
    );
}

#[test]
fn leases_model_mutants_are_found() {
    let mut alive = Vec::from(LeasesMutant::ALL);
    for (what, limits, mutants) in BOUNDS {
        let found = |mutant: &LeasesMutant| run(what, Some(*mutant), limits).broken.is_some();
        let found: Vec<LeasesMutant> = mutants.iter().copied().filter(found).collect();
        alive.retain(|mutant| !found.contains(mutant));
    }
    assert!(alive.is_empty(), "{alive:?} not found");
}
