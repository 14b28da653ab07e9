//! The process that calls pages, names and inodes back from the boards' caches, for all inodes and lookup workers of
//! its board:
//! a caller on another board costs that board a proxy with its pages, and inodes are many.
//!
//! This process keeps a returning dirty page until its inode's process says which block it is for, and serves no
//! other call meanwhile. The router gives up a board that is there and does not reply (`Watch`). That inode process
//! waits for the allocator, for buffers and for the disk only, none of which calls this one. Not here: the reasons
//! for revocations (`page_leases.rs`, `name_holders.rs`) and for flushes (`write_lease.rs`).

use renga_abi::PAGE_BYTES;
use renga_proto::names::{Names, NotifyAccess, RevokeInode, RevokeName, RevokeReference};
use renga_proto::pages::{
    DiscardPage, FlushExtent, FlushFrom, FlushLease, NO_PAGE, NotifyAccessTo, PagePlace, Pages, PlacePage, Revocations,
    RevocationsCall, RevokeInodeFrom, RevokeNameFrom, RevokePages, RevokePagesFrom, RevokeReferenceFrom, WritePage,
};
use renga_rt::{Client, Errno, Family, Me, Never, Port, Protocol, Watch, reply};

/// Most incarnations of a board that one revoke is notified of.
const LIVES_MAX: u32 = 4;
const CACHES: u32 = RevokePages::BIT | FlushLease::BIT;
const NAMES: u32 = RevokeName::BIT | RevokeInode::BIT | RevokeReference::BIT | NotifyAccess::BIT;

/// Calls the cache of `$board`, which is to answer at once, up to its next incarnations.
macro_rules! on_board {
    ($family:ident, $board:expr, ($me:expr, $watch:expr), $entry:expr, $lends:expr) => {{
        let mut answered = Err(Errno::EHOSTDOWN);
        $watch.begin_question($board, $me.now_ns());
        for _ in 0..LIVES_MAX {
            answered = match $family.at($board, 0) {
                Some(mut cache) => cache.call($entry, $lends).await,
                None => Err(Errno::EINVAL),
            };
            // It was started again, and may have been granted something since.
            if !matches!(answered, Err(Errno::ESTALE)) {
                break;
            }
        }
        $watch.end_question($board);
        answered
    }};
}

/// Revokes pages from `caches`, and names from `names`; dirty pages come into `own` cache, by way of `room`.
pub async fn revocations(
    me: Me,
    mut port: Port<Revocations>,
    mut caches: Family<Pages, CACHES>,
    mut names: Family<Names, NAMES>,
    mut own: Client<Pages, { WritePage::BIT }>,
    room: &'static mut [u8; PAGE_BYTES],
    watch: &'static Watch,
) -> Never {
    let (mut kept, answers) = (false, PlacePage::BIT | DiscardPage::BIT);
    loop {
        match port.accept_only(if kept { answers } else { Revocations::ENTRIES & !answers }).await {
            RevocationsCall::RevokePagesFrom(call) => {
                let RevokePagesFrom { board, file, from, to } = call.entry();
                reply!(call, on_board!(caches, board, (me, watch), RevokePages { file, from, to }, ()));
            }
            RevocationsCall::RevokeNameFrom(mut call) => {
                let RevokeNameFrom { board, directory } = call.entry();
                reply!(call, on_board!(names, board, (me, watch), RevokeName { directory }, call.lent()));
            }
            RevocationsCall::RevokeInodeFrom(call) => {
                let RevokeInodeFrom { board, ino } = call.entry();
                reply!(call, on_board!(names, board, (me, watch), RevokeInode { ino }, ()));
            }
            RevocationsCall::RevokeReferenceFrom(call) => {
                let RevokeReferenceFrom { board, ino } = call.entry();
                reply!(call, on_board!(names, board, (me, watch), RevokeReference { ino }, ()));
            }
            RevocationsCall::NotifyAccessTo(call) => {
                let NotifyAccessTo { board, ino, access_ns } = call.entry();
                reply!(call, on_board!(names, board, (me, watch), NotifyAccess { ino, access_ns }, ()));
            }
            RevocationsCall::FlushFrom(mut call) => {
                let FlushFrom { board, file, taken, back, lease, grants } = call.entry();
                let flush = FlushLease { file, taken, back, lease, grants };
                // Only what is not zero comes.
                room.fill(0);
                let given = on_board!(caches, board, (me, watch), flush, &mut room[..]);
                kept = back == FlushExtent::Dirty && given.is_ok_and(|given| given.page != NO_PAGE);
                if let Ok(given) = given {
                    let changes = room.get_mut(given.bytes.page.into()..given.bytes.all()).unwrap_or_default();
                    let bytes = call.lent().len().min(changes.len());
                    call.lent()[..bytes].copy_from_slice(&changes[..bytes]);
                    changes.fill(0);
                }
                call.reply(given);
            }
            RevocationsCall::PlacePage(call) => {
                let PlacePage { file, page, block, size } = call.entry();
                let end = size.saturating_sub(u64::from(page) * PAGE_BYTES as u64).min(PAGE_BYTES as u64);
                room[end as usize..].fill(0);
                let write = WritePage { file, page, place: PagePlace { block, offset: 0 }, size, fresh: true };
                let put = own.call(write, &room[..]).await;
                kept = put.is_err();
                call.reply(put);
            }
            RevocationsCall::DiscardPage(call) => {
                kept = false;
                call.reply(Ok(()));
            }
        }
    }
}
