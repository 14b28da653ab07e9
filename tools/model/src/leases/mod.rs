//! Leases of pages: boards that fill their caches, read and write one file, and die, with messages in any order.
//!
//! What the inode's process notes and decides is the real code (`renga_fs::Holders`); the cache's rule of tickets is
//! the one of `renga_pages::PageIndex`, told again in a few lines. Not here: frames, processes, the link.

pub mod check;
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
}

impl Mutant {
    /// All of them.
    pub const ALL: [Mutant; 9] = [
        Mutant::TicketIgnored,
        Mutant::TicketOutlivesRecall,
        Mutant::TicketUsedTwice,
        Mutant::GrantNotNoted,
        Mutant::ChangeBeforeAnswers,
        Mutant::BoundTooLow,
        Mutant::SizeForgotten,
        Mutant::PagesOutliveInode,
        Mutant::FormerLife,
    ];
}
