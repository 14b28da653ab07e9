//! Names and status cached elsewhere: boards look up names and inodes, cache the results, and give them up before a
//! change, with messages in any order and boards that fail.
//!
//! The rules are those of `renga_fs`, repeated in a few lines: notes beside the entry of a name (`name_holders.rs`),
//! generations (`lease_cache/name_cache.rs`), one step of an answer after the other (`names/remote_lookup.rs`). Not
//! here: paths, links, the link.

mod folder;
mod loss;
mod making;
pub mod properties;
mod reading;
pub mod step;
pub mod world;

/// A way in which the protocol is wrong on purpose, to see that the search notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NamesMutant {
    /// Results are cached whatever their generation.
    GenerationIgnored,
    /// A revoke ends the generation only if it finds something.
    GenerationOutlivesRevoke,
    /// A board's lookup of a name is not noted.
    NameNotNoted,
    /// A board's lookup of an inode is not noted.
    StatusNotNoted,
    /// What changes does so when the revokes are sent, not when they are answered.
    ChangeBeforeAnswers,
    /// When a name's slot is needed for another, its notes are gone.
    NotesLostWithSlot,
    /// A board without noted names is queried for the changed one only.
    OneNameOfMany,
    /// Walks go on while a name changes.
    NamesReportedMeanwhile,
    /// The inode's process reports its inode while it changes it.
    StatusReportedMeanwhile,
    /// A board keeps its cache though the disk's board restarted.
    CacheOutlivesDisk,
    /// A message of a board's former incarnation counts.
    FormerIncarnation,
    /// A board is removed from the notes at the query, not at its answer.
    DeadWhenAsked,
    /// Results of a walk of an ended session are cached.
    WalkOutlivesSession,
    /// A board that makes something does not give up what that changes.
    MakerKeepsWhatChanges,
    /// Results requested before a creation are kept.
    GenerationOutlivesMake,
    /// Results requested during a creation are kept.
    WalksKeptWhileMaking,
    /// The result of a creation is kept beside another of the same board.
    MakeKeptBesideAnother,
    /// The result of a creation is cached despite revocations.
    GenerationIgnoredByMake,
    /// The result of a board's creation is not noted.
    MakeNotNoted,
    /// A creating board is not queried for unnoted names.
    MakerNotAskedForOthers,
    /// A name is created without a query to the boards that cache the absence of all others.
    OthersOutliveMake,
    /// A name changes in another way without a query to the boards that cache the absence of all others.
    OthersOutliveRename,
    /// A board caches the absence of all others though the session has ended.
    OthersOutliveSession,
    /// A board caches the absence of all others though it has forgotten a name.
    OthersOutliveName,
    /// A board caches the absence of all others though it has not kept its own creation.
    OthersOutliveLostMake,
    /// A board caches the absence of all others though it makes two things at a time.
    OthersCachedBesideMakes,
    /// When the slot of the others is needed for a name, their notes are gone.
    OthersLostWithSlot,
    /// A creating board reports its cached others.
    MakerReportsMeanwhile,
    /// A creating board is no longer noted as one that caches the others.
    MakersNoteTaken,
    /// Several boards that cache the inode get its future status.
    SeveralUpdated,
    /// Results requested before a board got the future status are kept.
    GenerationOutlivesUpdate,
    /// A board with the future status is not noted any more.
    UpdatedNotNoted,
}

impl NamesMutant {
    /// All of them.
    pub const ALL: [NamesMutant; 32] = [
        NamesMutant::GenerationIgnored,
        NamesMutant::GenerationOutlivesRevoke,
        NamesMutant::NameNotNoted,
        NamesMutant::StatusNotNoted,
        NamesMutant::ChangeBeforeAnswers,
        NamesMutant::NotesLostWithSlot,
        NamesMutant::OneNameOfMany,
        NamesMutant::NamesReportedMeanwhile,
        NamesMutant::StatusReportedMeanwhile,
        NamesMutant::CacheOutlivesDisk,
        NamesMutant::FormerIncarnation,
        NamesMutant::DeadWhenAsked,
        NamesMutant::WalkOutlivesSession,
        NamesMutant::MakerKeepsWhatChanges,
        NamesMutant::GenerationOutlivesMake,
        NamesMutant::WalksKeptWhileMaking,
        NamesMutant::MakeKeptBesideAnother,
        NamesMutant::GenerationIgnoredByMake,
        NamesMutant::MakeNotNoted,
        NamesMutant::MakerNotAskedForOthers,
        NamesMutant::OthersOutliveMake,
        NamesMutant::OthersOutliveRename,
        NamesMutant::OthersOutliveSession,
        NamesMutant::OthersOutliveName,
        NamesMutant::OthersOutliveLostMake,
        NamesMutant::OthersCachedBesideMakes,
        NamesMutant::OthersLostWithSlot,
        NamesMutant::MakerReportsMeanwhile,
        NamesMutant::MakersNoteTaken,
        NamesMutant::SeveralUpdated,
        NamesMutant::GenerationOutlivesUpdate,
        NamesMutant::UpdatedNotNoted,
    ];
}
