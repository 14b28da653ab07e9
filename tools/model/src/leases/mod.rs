//! Leases of pages: boards that fill their caches, read one file, write it at its inode's process or, with the write lease,
//! in their own caches, and die, with messages in any order.
//!
//! What the inode's process notes and decides is the real code (`renga_fs::Holders`); the cache's rule of tickets is
//! the one of `renga_pages::PageIndex`, told again in a few lines. Not here: frames, processes, the link.

pub mod check;
mod lent;
pub mod world;

/// A way in which the protocol is wrong on purpose, to see that the search notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mutant {
    /// A page is kept whatever its ticket says.
    TicketIgnored,
    /// A recall makes tickets void only if it finds a page.
    TicketOutlivesRecall,
    /// A file that is forgotten and known again has the ticket that it had.
    TicketUsedTwice,
    /// What a board is granted is not noted.
    GrantNotNoted,
    /// Content changes when the recalls are sent, not when they are answered.
    ChangeBeforeAnswers,
    /// After the recall of some pages those behind them count as called back, too.
    BoundTooLow,
    /// A file grows without its size being called back.
    SizeForgotten,
    /// A board keeps its pages though the board of the inodes began anew.
    PagesOutliveInode,
    /// A message of a board's former life counts.
    FormerLife,
    /// A write lease counts though the file has been taken back since it was asked for.
    LeaseOutlivesTaking,
    /// Other boards keep their pages when one gets the write lease.
    OthersKeepPages,
    /// A second board gets the write lease while one has it.
    TwoHold,
    /// A board writes on while its pages are taken.
    WritesWhileTaken,
    /// Taking a file home ends when the board has answered once.
    TakenInOneStep,
    /// The board of the inode shows its own pages of a file that is lent.
    ShownWhileLent,
    /// The inode's process answers others while the file is lent.
    AnsweredWhileLent,
    /// A board forgets what is dirty to make room.
    DirtyForgotten,
    /// A page that comes replaces what the board has written meanwhile.
    FillOverwrites,
    /// The size that comes with a page counts on the board that makes the file grow.
    FillBringsSize,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Mutant; 19] = [
        Mutant::TicketIgnored,
        Mutant::TicketOutlivesRecall,
        Mutant::TicketUsedTwice,
        Mutant::GrantNotNoted,
        Mutant::ChangeBeforeAnswers,
        Mutant::BoundTooLow,
        Mutant::SizeForgotten,
        Mutant::PagesOutliveInode,
        Mutant::FormerLife,
        Mutant::LeaseOutlivesTaking,
        Mutant::OthersKeepPages,
        Mutant::TwoHold,
        Mutant::WritesWhileTaken,
        Mutant::TakenInOneStep,
        Mutant::ShownWhileLent,
        Mutant::AnsweredWhileLent,
        Mutant::DirtyForgotten,
        Mutant::FillOverwrites,
        Mutant::FillBringsSize,
    ];
}
