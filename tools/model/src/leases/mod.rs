//! Leases of pages: boards that fill their caches, read one file, write it at its inode's process, with the write lease
//! in their own caches, or by mappings, lose their sessions and die, with messages in any order.
//!
//! The notes and decisions of the inode's process are the real code (`renga_fs::Holders`); the cache's rule of tickets is that of
//! `renga_pages::PageIndex`, repeated in a few lines. Not here: frames, processes, the link.

mod attributes;
mod away;
mod lent;
mod loss;
mod mapped;
pub mod properties;
pub mod step;
pub mod world;

/// A way in which the protocol is wrong on purpose, to see that the search notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeasesMutant {
    /// A page is kept whatever its ticket says.
    TicketIgnored,
    /// A recall makes tickets void only if it finds a page.
    TicketOutlivesRecall,
    /// A file that is forgotten and known again has the ticket that it had.
    TicketUsedTwice,
    /// What a board is granted is not noted.
    GrantNotNoted,
    /// Content changes when the revokes are sent, not when they are answered.
    ChangeBeforeAnswers,
    /// After the recall of some pages those behind them count as called back, too.
    BoundTooLow,
    /// A file grows without its size being called back.
    SizeForgotten,
    /// A board keeps its pages though the board of the inodes restarted.
    PagesOutliveInode,
    /// A message of a board's former life counts.
    FormerIncarnation,
    /// A write lease counts though it has been taken back since it was given.
    LeaseOutlivesTaking,
    /// Other boards keep their pages when one gets the write lease.
    OthersKeepPages,
    /// A second board gets the write lease while one has it.
    TwoHold,
    /// A board writes on while its pages are taken.
    WritesWhileTaken,
    /// Taking a file home ends when the board has answered once.
    TakenInOneStep,
    /// The board of the inode maps its own pages of a leased file.
    ShownWhileLent,
    /// The inode's process answers others while the file is leased.
    AnsweredWhileLent,
    /// A board forgets what is dirty to make room.
    DirtyForgotten,
    /// A page that comes replaces what the board has written meanwhile.
    FillOverwrites,
    /// The size that comes with a page counts on the board that makes the file grow.
    FillBringsSize,
    /// A cache that forgets the file forgets which lease was taken back last.
    EndForgotten,
    /// A page is kept that came with a lease which has been taken back.
    PageOfVoidLease,
    /// A page that is mapped for writing is not dirty.
    StoredClean,
    /// Programs may store to a page that has been given back.
    ShownWhileTaken,
    /// Programs of the inode's board may store to a page that another board is granted.
    SoleOutlivesGrant,
    /// Programs of the inode's board may store while another board holds the file.
    SoleOutlivesLending,
    /// Programs of the inode's board may store to pages that another board wrote, once these are flushed.
    DirtyIsSole,
    /// What is dirty is dropped when the session ends.
    DirtyEndsWithSession,
    /// What was written under an earlier lease counts as written under the present one.
    DirtyOfOtherLease,
    /// A board is not noted any more when its session has ended, though its lease stands.
    NotesEndWithSession,
    /// A board keeps pages that it receives while the board with the lease is unreachable.
    GrantedWhileAway,
    /// Taking a file home brings its pages only.
    ModeStaysThere,
    /// The inode's process reports the mode of a leased file without a query.
    LookWithoutAsking,
    /// It sets it without asking.
    SetWithoutAsking,
    /// The board that has reported its setting reports it again.
    ModeToldTwice,
}

impl LeasesMutant {
    /// All of them.
    pub const ALL: [LeasesMutant; 34] = [
        LeasesMutant::TicketIgnored,
        LeasesMutant::TicketOutlivesRecall,
        LeasesMutant::TicketUsedTwice,
        LeasesMutant::GrantNotNoted,
        LeasesMutant::ChangeBeforeAnswers,
        LeasesMutant::BoundTooLow,
        LeasesMutant::SizeForgotten,
        LeasesMutant::PagesOutliveInode,
        LeasesMutant::FormerIncarnation,
        LeasesMutant::LeaseOutlivesTaking,
        LeasesMutant::OthersKeepPages,
        LeasesMutant::TwoHold,
        LeasesMutant::WritesWhileTaken,
        LeasesMutant::TakenInOneStep,
        LeasesMutant::ShownWhileLent,
        LeasesMutant::AnsweredWhileLent,
        LeasesMutant::DirtyForgotten,
        LeasesMutant::FillOverwrites,
        LeasesMutant::FillBringsSize,
        LeasesMutant::EndForgotten,
        LeasesMutant::PageOfVoidLease,
        LeasesMutant::StoredClean,
        LeasesMutant::ShownWhileTaken,
        LeasesMutant::SoleOutlivesGrant,
        LeasesMutant::SoleOutlivesLending,
        LeasesMutant::DirtyIsSole,
        LeasesMutant::DirtyEndsWithSession,
        LeasesMutant::DirtyOfOtherLease,
        LeasesMutant::NotesEndWithSession,
        LeasesMutant::GrantedWhileAway,
        LeasesMutant::ModeStaysThere,
        LeasesMutant::LookWithoutAsking,
        LeasesMutant::SetWithoutAsking,
        LeasesMutant::ModeToldTwice,
    ];
}
