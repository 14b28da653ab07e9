//! Names and status held elsewhere: boards that are told what names stand for and how an inode is, hold that, and give it up before
//! it changes, with messages in any order and boards that die.
//!
//! The rules are those of `renga_fs`, told again in a few lines: notes beside what is known of a name (`name_holders.rs`), tickets
//! (`held/name_cache.rs`), one step of an answer after the other (`names/resolve.rs`). Not here: paths, links, the link.

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
    /// What was told is held whatever its ticket says.
    TicketIgnored,
    /// A recall makes tickets void only if it finds something.
    TicketOutlivesRecall,
    /// What a board is told of a name is not noted.
    NameNotNoted,
    /// What a board is told of an inode is not noted.
    StatusNotNoted,
    /// What changes does so when the revokes are sent, not when they are answered.
    ChangeBeforeAnswers,
    /// When a name's slot is needed for another, its notes are gone.
    NotesLostWithSlot,
    /// A board of whose names there are no notes is asked for the changed one only.
    OneNameOfMany,
    /// Walks go on while a name changes.
    NamesToldMeanwhile,
    /// The inode's process tells of its inode while it changes it.
    StatusToldMeanwhile,
    /// A board keeps what it holds though the disk's board began anew.
    HeldOutlivesDisk,
    /// A message of a board's former life counts.
    FormerLife,
    /// A board is forgotten when it has been asked, not when it has answered.
    DeadWhenAsked,
    /// What a walk of a session that has ended was told is held.
    WalkOutlivesSession,
    /// A board that makes something does not give up what that changes.
    MakerKeepsWhatChanges,
    /// What was asked for before a make is kept.
    TicketOutlivesMake,
    /// What is asked for while something is made is kept.
    WalksKeptWhileMaking,
    /// What is told of a make is kept beside another of the same board.
    MakeKeptBesideAnother,
    /// What is told of a make is held whatever was recalled.
    TicketIgnoredByMake,
    /// What a board is told of its make is not noted.
    MakeNotNoted,
    /// A board that makes something is not asked for names of which there are no notes.
    MakerNotAskedForOthers,
    /// A name is made without those being asked who hold all others.
    OthersOutliveMake,
    /// A name changes in another way without those being asked who hold all others.
    OthersOutliveRename,
    /// A board holds all others though the session has ended.
    OthersOutliveSession,
    /// A board holds all others though it has forgotten a name.
    OthersOutliveName,
    /// A board holds all others though it has not kept what it made.
    OthersOutliveLostMake,
    /// A board holds all others though it makes two things at a time.
    OthersHeldBesideMakes,
    /// When the slot of the others is needed for a name, their notes are gone.
    OthersLostWithSlot,
    /// A board that makes something tells what it holds of the others.
    MakerTellsMeanwhile,
    /// A board that makes something is not noted as one that holds the others any more.
    MakersNoteTaken,
    /// Boards are told how the inode will be though several hold it.
    SeveralTold,
    /// What was asked for before a board was told how the inode will be is kept.
    TicketOutlivesTold,
    /// A board that was told how the inode will be is not noted any more.
    ToldNotNoted,
}

impl NamesMutant {
    /// All of them.
    pub const ALL: [NamesMutant; 32] = [
        NamesMutant::TicketIgnored,
        NamesMutant::TicketOutlivesRecall,
        NamesMutant::NameNotNoted,
        NamesMutant::StatusNotNoted,
        NamesMutant::ChangeBeforeAnswers,
        NamesMutant::NotesLostWithSlot,
        NamesMutant::OneNameOfMany,
        NamesMutant::NamesToldMeanwhile,
        NamesMutant::StatusToldMeanwhile,
        NamesMutant::HeldOutlivesDisk,
        NamesMutant::FormerLife,
        NamesMutant::DeadWhenAsked,
        NamesMutant::WalkOutlivesSession,
        NamesMutant::MakerKeepsWhatChanges,
        NamesMutant::TicketOutlivesMake,
        NamesMutant::WalksKeptWhileMaking,
        NamesMutant::MakeKeptBesideAnother,
        NamesMutant::TicketIgnoredByMake,
        NamesMutant::MakeNotNoted,
        NamesMutant::MakerNotAskedForOthers,
        NamesMutant::OthersOutliveMake,
        NamesMutant::OthersOutliveRename,
        NamesMutant::OthersOutliveSession,
        NamesMutant::OthersOutliveName,
        NamesMutant::OthersOutliveLostMake,
        NamesMutant::OthersHeldBesideMakes,
        NamesMutant::OthersLostWithSlot,
        NamesMutant::MakerTellsMeanwhile,
        NamesMutant::MakersNoteTaken,
        NamesMutant::SeveralTold,
        NamesMutant::TicketOutlivesTold,
        NamesMutant::ToldNotNoted,
    ];
}
