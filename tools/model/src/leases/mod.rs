//! Leases of pages: boards that fill their caches, read one file, write it at its inode's process, with the write lease
//! in their own caches, or by mappings, lose their sessions and fail, with messages in any order.
//!
//! The notes and decisions of the inode's process are the real code (`renga_fs::Holders`); the cache's rule of
//! generations is that of `renga_pages::PageIndex`, repeated in a few lines. Not here: frames, processes, the link.

mod attributes;
mod loss;
mod mapped;
pub mod properties;
pub mod push;
mod session_end;
pub mod step;
pub mod world;
mod write_lease;

/// A way in which the protocol is wrong on purpose, to see that the search notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeasesMutant {
    /// A page is cached whatever its generation.
    GenerationIgnored,
    /// A revoke ends the generation only if it finds a page.
    GenerationOutlivesRevoke,
    /// A file that is forgotten and known again has the generation that it had.
    GenerationUsedTwice,
    /// What a board is granted is not noted.
    GrantNotNoted,
    /// Content changes when the revokes are sent, not when they are answered.
    ChangeBeforeAnswers,
    /// After a revoke of some pages those behind them count as revoked, too.
    BoundTooLow,
    /// A file grows without a revoke of its size.
    SizeForgotten,
    /// A board keeps its pages though the board of the inodes restarted.
    PagesOutliveInode,
    /// A message of a board's former incarnation counts.
    FormerIncarnation,
    /// A write lease counts though it has been taken back since it was given.
    LeaseOutlivesTaking,
    /// Other boards keep their pages when one gets the write lease.
    OthersKeepPages,
    /// A second board gets the write lease while one has it.
    TwoLeases,
    /// A board writes on while its pages are taken.
    WritesWhileTaken,
    /// A flush ends when the board has answered once.
    TakenInOneStep,
    /// The board of the inode maps its own pages of a leased file.
    MappedWhileLeased,
    /// The inode's process answers others while the file is leased.
    AnsweredWhileLeased,
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
    MappedWhileFlushed,
    /// Programs of the inode's board may store to a page that another board is granted.
    SoleOutlivesGrant,
    /// Programs of the inode's board may store while another board has the write lease.
    SoleOutlivesLease,
    /// Programs of the inode's board may store to pages that another board wrote, once these are flushed.
    DirtyIsSole,
    /// What is dirty is dropped when the session ends.
    DirtyEndsWithSession,
    /// What was written under an earlier lease counts as written under the present one.
    DirtyOfOtherLease,
    /// A board is not noted any more when its session has ended, though its lease stands.
    NotesEndWithSession,
    /// A board keeps pages that it receives while the board with the lease is unreachable.
    GrantedWhileUnreachable,
    /// A flush returns the pages only.
    ModeStaysThere,
    /// The inode's process reports the mode of a leased file without a query.
    GetWithoutQuery,
    /// It sets it while a board has the lease.
    SetWhileLeased,
    /// The board with the lease forgets its setting when it has answered a query.
    ModeForgottenAtQuery,
    /// A board completes a status of a lease that is over.
    CompletedAfterLease,
    /// A push counts whichever lease there is.
    PushOfOverLease,
    /// A push counts though its session has ended.
    PushOfFormerSession,
    /// A push counts while the file is flushed.
    PushWhileFlushed,
    /// A page that is written while it is pushed is clean when it has arrived.
    RewrittenIsClean,
    /// A page is clean that the inode's process has refused.
    RefusedIsClean,
    /// A board pushes a page again before the first push has been answered.
    TwoPushes,
    /// Programs may store to a page that is being pushed.
    MappedWhilePushed,
    /// A store to a page that is being pushed makes no other version of it.
    StoredWhilePushed,
    /// A board forgets the mode that it has pushed.
    ModeGoneAfterPush,
}

impl LeasesMutant {
    /// All of them.
    pub const ALL: [LeasesMutant; 44] = [
        LeasesMutant::GenerationIgnored,
        LeasesMutant::GenerationOutlivesRevoke,
        LeasesMutant::GenerationUsedTwice,
        LeasesMutant::GrantNotNoted,
        LeasesMutant::ChangeBeforeAnswers,
        LeasesMutant::BoundTooLow,
        LeasesMutant::SizeForgotten,
        LeasesMutant::PagesOutliveInode,
        LeasesMutant::FormerIncarnation,
        LeasesMutant::LeaseOutlivesTaking,
        LeasesMutant::OthersKeepPages,
        LeasesMutant::TwoLeases,
        LeasesMutant::WritesWhileTaken,
        LeasesMutant::TakenInOneStep,
        LeasesMutant::MappedWhileLeased,
        LeasesMutant::AnsweredWhileLeased,
        LeasesMutant::DirtyForgotten,
        LeasesMutant::FillOverwrites,
        LeasesMutant::FillBringsSize,
        LeasesMutant::EndForgotten,
        LeasesMutant::PageOfVoidLease,
        LeasesMutant::StoredClean,
        LeasesMutant::MappedWhileFlushed,
        LeasesMutant::SoleOutlivesGrant,
        LeasesMutant::SoleOutlivesLease,
        LeasesMutant::DirtyIsSole,
        LeasesMutant::DirtyEndsWithSession,
        LeasesMutant::DirtyOfOtherLease,
        LeasesMutant::NotesEndWithSession,
        LeasesMutant::GrantedWhileUnreachable,
        LeasesMutant::ModeStaysThere,
        LeasesMutant::GetWithoutQuery,
        LeasesMutant::SetWhileLeased,
        LeasesMutant::ModeForgottenAtQuery,
        LeasesMutant::CompletedAfterLease,
        LeasesMutant::PushOfOverLease,
        LeasesMutant::PushOfFormerSession,
        LeasesMutant::PushWhileFlushed,
        LeasesMutant::RewrittenIsClean,
        LeasesMutant::RefusedIsClean,
        LeasesMutant::TwoPushes,
        LeasesMutant::MappedWhilePushed,
        LeasesMutant::StoredWhilePushed,
        LeasesMutant::ModeGoneAfterPush,
    ];
}
