//! The process that calls pages, names and inodes back from the boards' caches, for all inodes and lookup workers of its board:
//! a caller on another board costs that board a proxy with its pages, and inodes are many.
//!
//! A dirty page that comes back is kept here until its inode's process says which block it is for; nobody else is served
//! meanwhile. A board that is there and does not answer is given up by the router (`Watch`). That process waits for the allocator, for buffers and for the disk only, none of whom calls this one.
//! Not here: what is revoked from whom (`page_leases.rs`, `name_holders.rs`), what is taken back and why (`write_lease.rs`).

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

/// Serves revokes from `caches`, of pages, and `held`, of names; what is dirty comes into `own` cache, by way of `room`.
pub async fn revocations(
    me: Me,
    mut port: Port<Revocations>,
    mut caches: Family<Pages, CACHES>,
    mut held: Family<Names, NAMES>,
    mut own: Client<Pages, { WritePage::BIT }>,
    room: &'static mut [u8; PAGE_BYTES],
    watch: &'static Watch,
) -> Never {
    let (mut kept, answers) = (false, PlacePage::BIT | DiscardPage::BIT);
    loop {
        match port.accept_only(if kept { answers } else { Revocations::ENTRIES & !answers }).await {
            RevocationsCall::RevokePagesFrom(call) => {
                let RevokePagesFrom { board, file, from, to } = call.entry();
                let revoke = RevokePages { file, from, to };
                let ask = async |mut cache: Client<Pages, CACHES>| cache.call(revoke, ()).await;
                reply!(call, answer(&mut caches, board, (watch, me.now_ns()), ask).await);
            }
            RevocationsCall::RevokeNameFrom(mut call) => {
                let RevokeNameFrom { board, directory } = call.entry();
                let ask =
                    async |mut names: Client<Names, NAMES>| names.call(RevokeName { directory }, call.lent()).await;
                reply!(call, answer(&mut held, board, (watch, me.now_ns()), ask).await);
            }
            RevocationsCall::RevokeInodeFrom(call) => {
                let RevokeInodeFrom { board, ino } = call.entry();
                let ask = async |mut names: Client<Names, NAMES>| names.call(RevokeInode { ino }, ()).await;
                reply!(call, answer(&mut held, board, (watch, me.now_ns()), ask).await);
            }
            RevocationsCall::RevokeReferenceFrom(call) => {
                let RevokeReferenceFrom { board, ino } = call.entry();
                let ask = async |mut names: Client<Names, NAMES>| names.call(RevokeReference { ino }, ()).await;
                reply!(call, answer(&mut held, board, (watch, me.now_ns()), ask).await);
            }
            RevocationsCall::NotifyAccessTo(call) => {
                let NotifyAccessTo { board, ino, access_ns } = call.entry();
                let ask = async |mut names: Client<Names, NAMES>| names.call(NotifyAccess { ino, access_ns }, ()).await;
                reply!(call, answer(&mut held, board, (watch, me.now_ns()), ask).await);
            }
            RevocationsCall::FlushFrom(mut call) => {
                let FlushFrom { board, file, taken, back, lease, grants } = call.entry();
                let take = FlushLease { file, taken, back, lease, grants };
                let ask = async |mut cache: Client<Pages, CACHES>| cache.call(take, &mut room[..]).await;
                let given = answer(&mut caches, board, (watch, me.now_ns()), ask).await;
                kept = back == FlushExtent::Dirty && given.is_ok_and(|given| given.page != NO_PAGE);
                if given.is_ok_and(|given| given.changed) {
                    let bytes = call.lent().len().min(PAGE_BYTES);
                    call.lent()[..bytes].copy_from_slice(&room[..bytes]);
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

/// What the cache of `board` answers; the router gives that board up if it does not.
async fn answer<P: Protocol, const ENTRIES: u32, T>(
    caches: &mut Family<P, ENTRIES>,
    board: u8,
    (watch, now_ns): (&Watch, u64),
    mut ask: impl AsyncFnMut(Client<P, ENTRIES>) -> Result<T, Errno>,
) -> Result<T, Errno> {
    let mut answered = Err(Errno::EHOSTDOWN);
    watch.begin_question(board, now_ns);
    for _ in 0..LIVES_MAX {
        answered = match caches.at(board, 0) {
            Some(cache) => ask(cache).await,
            None => Err(Errno::EINVAL),
        };
        // It was started again, and may have been granted something since.
        if !matches!(answered, Err(Errno::ESTALE)) {
            break;
        }
    }
    watch.end_question(board);
    answered
}
