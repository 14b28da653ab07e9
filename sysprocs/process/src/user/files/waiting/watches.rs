//! Sets of watches (epoll): descriptors that a program wants to hear of again and again.
//!
//! Invariant: the board of its maker keeps a set, which all its holders share. A waiter polls each watched object, as
//! `poll` does, and claims one-shot and edge reports at the set. The object's server detects at a wait that an object
//! was closed. Not here: the sets (`renga_clock`), polling and waiting (`poll_round.rs`).

use crate::user::files::waiting::poll_round::PollRound;
use crate::user::servers::object_calls::is_loss;
use crate::user::slot::User;
use crate::user::state::fields::word_at;
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::open_flags::O_CLOEXEC;
use crate::user::state::{EventSort, Handle, Object, SyscallResult, get_object, put_object};
use renga_hal::memory::UserMemory;
use renga_proto::events::{
    ChangeWatch, ClaimWatch, EventKind, MakeEvents, NextWatch, WATCH_EDGES, WATCH_EXCLUSIVE, WATCH_ONCE, WatchChange,
    WatchEntry, WatchWish,
};
use renga_proto::pipe::{ERROR, HANG_UP, Polled, READABLE, WRITABLE};
use renga_rt::{Errno, Retry};

/// Bytes of `struct epoll_event`: events, and data behind a gap.
const EVENT_BYTES: u64 = 16;
const DATA_AT: u64 = 8;
/// Most events that a call can ask for (`EP_MAX_EVENTS`).
const EVENTS_MAX: u32 = i32::MAX as u32 / EVENT_BYTES as u32;
const EPOLL_CTL_ADD: u32 = 1;
const EPOLL_CTL_DEL: u32 = 2;
const EPOLL_CTL_MOD: u32 = 3;
/// It would keep a machine awake that sleeps, which ours never does.
const EPOLLWAKEUP: u32 = 1 << 29;
/// Flags allowed together with `EPOLLEXCLUSIVE`.
const EXCLUSIVE_TOO: u32 = READABLE | WRITABLE | ERROR | HANG_UP | EPOLLWAKEUP | WATCH_EDGES | WATCH_EXCLUSIVE;
const NS_PER_MS: u64 = 1_000_000;
/// Times in one round that another program claims an event first.
const CLAIMS_LOST_MAX: u32 = 64;

/// The watched object in the set's form: the signals of a descriptor can change, so they are looked up.
fn to_words(object: Object) -> Result<[u64; 2], Errno> {
    let object = if let Object::Signals { id, .. } = object { Object::Signals { mask: 0, id } } else { object };
    let mut bytes = [0; 16];
    put_object(&mut ImageWriter::new(&mut bytes), object)?;
    Ok([word_at(&bytes, 0), word_at(&bytes, 8)])
}

fn from_words(words: [u64; 2]) -> Result<Object, Errno> {
    let bytes = words.map(u64::to_le_bytes);
    get_object(&mut ImageReader::new(bytes.as_flattened()))?.ok_or(Errno::EINVAL)
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn make_watches(&mut self) -> Result<u64, Errno> {
        let flags = self.int(0);
        if flags & !O_CLOEXEC != 0 {
            return Err(Errno::EINVAL);
        }
        self.add_events(MakeEvents { kind: EventKind::Watches, count: 0 }, EventSort::Watches, flags).await
    }

    pub(crate) async fn control_watch(&mut self) -> Result<(), Errno> {
        let (operation, number, place) = (self.int(1), self.argument(2), self.argument(3));
        let (mut events, mut data) = (0, 0);
        if operation != EPOLL_CTL_DEL {
            (events, data) = (self.get_word(place).await? as u32, self.get_word(place.wrapping_add(DATA_AT)).await?);
        }
        let set = *self.program.files.get(self.argument(0))?;
        let watched = *self.program.files.get(number)?;
        if !watched.reads() && !watched.writes() {
            return Err(Errno::EBADF);
        }
        if !watched.object.facts().can_be_polled {
            return Err(Errno::EPERM);
        }
        let at = set.object.events(EventSort::Watches)?;
        let Handle { board, number: set_number, generation } = at;
        if watched.object == set.object {
            return Err(Errno::EINVAL);
        }
        let change = match operation {
            EPOLL_CTL_ADD => WatchChange::Add,
            EPOLL_CTL_DEL => WatchChange::Remove,
            EPOLL_CTL_MOD => WatchChange::Modify,
            _ => return Err(Errno::EINVAL),
        };
        let in_set = watched.object.is_watch_set();
        if events & WATCH_EXCLUSIVE != 0 && (change == WatchChange::Modify || in_set || events & !EXCLUSIVE_TOO != 0) {
            return Err(Errno::EINVAL);
        }
        if in_set && change == WatchChange::Add {
            return Err(Errno::ELOOP); // Linux allows for some sets in sets
        }
        let [object, more] = to_words(watched.object)?;
        let wish = WatchWish { change, descriptor: number as u16, events: events | ERROR | HANG_UP };
        let mut call = ChangeWatch { number: set_number, generation, wish, data, object, more };
        // The set knows the lost object; it drops one-shot watches of it that were reported.
        let is_lost = matches!(watched.object, Object::Lost { .. }) && change != WatchChange::Add;
        // Only descriptors know of closed objects that had this number.
        if is_lost || matches!((watched.object, change), (Object::Signals { .. }, WatchChange::Add)) {
            let ended = self.end_lost_watches(at, number as u16).await;
            ended.map_err(|errno| self.note_loss(set.object, errno, false))?;
        }
        match change {
            WatchChange::Remove if is_lost => return Ok(()),
            WatchChange::Modify if is_lost => call.wish.change = WatchChange::Add,
            _ => {}
        }
        let mut changed = self.services.events(board)?.call_retrying(call, ()).await;
        if changed == Err(Errno::EEXIST) && watched.object == Object::Console {
            // Indistinguishable from a watch that was closed since.
            call.wish.change = WatchChange::Modify;
            changed = self.services.events(board)?.call(call, ()).await;
        }
        changed.map_err(|errno| self.note_loss(set.object, errno, false))
    }

    /// Removes the set's watches of lost objects at `descriptor`.
    async fn end_lost_watches(&mut self, set: Handle, descriptor: u16) -> Result<(), Errno> {
        let mut from = 0;
        let mut round = self.begin_poll_round(true);
        // Bounded by the watches.
        while let Some(watch) = self.next_watch(set, &mut from, &mut round).await? {
            if watch.key.descriptor != descriptor {
                continue;
            }
            let object = from_words([watch.object, watch.more])?;
            let is_lost = match object {
                Object::Signals { id, .. } => self.signals_of(id).is_none(),
                Object::Lost { .. } => true,
                object => self.poll_descriptor(object, 0, 0, &mut round).await.is_err_and(is_loss),
            };
            if is_lost {
                self.claim(set, &watch, 0).await?;
            }
        }
        Ok(())
    }

    pub(crate) async fn await_watches(&mut self) -> SyscallResult {
        let ms = self.int(3) as i32;
        let until_ns = u64::try_from(ms).ok().map(|ms| self.limit_in(ms * NS_PER_MS));
        self.await_events_of(until_ns).await
    }

    pub(crate) async fn await_watches_until(&mut self) -> SyscallResult {
        let until_ns = self.time_limit(self.argument(3)).await?;
        self.await_events_of(until_ns).await
    }

    async fn await_events_of(&mut self, until_ns: Option<u64>) -> SyscallResult {
        let most = self.int(2);
        if most == 0 || most > EVENTS_MAX {
            return Err(Errno::EINVAL.into());
        }
        let object = self.program.files.get(self.argument(0))?.object;
        let set = object.events(EventSort::Watches)?;
        self.set_call_mask(self.argument(4)).await?;
        let outcome = self.await_set(object, set, most, until_ns).await;
        self.restore_mask_after(&outcome).await;
        outcome
    }

    async fn await_set(&mut self, object: Object, set: Handle, most: u32, until_ns: Option<u64>) -> SyscallResult {
        // Each pass waits for a wake or the time.
        loop {
            let over = until_ns.is_some_and(|until_ns| until_ns <= self.me.now_ns());
            let mut round = self.begin_poll_round(over);
            let reported = self.report_events(set, most, &mut round).await;
            let reported = reported.map_err(|errno| self.note_loss(object, errno, false))?;
            if reported > 0 || over {
                return Ok(reported.into());
            }
            self.await_poll_round(&round, until_ns).await?;
        }
    }

    /// Reports up to `most` events of a set to the program; returns how many.
    async fn report_events(&mut self, set: Handle, most: u32, round: &mut PollRound) -> Result<u32, Errno> {
        let place = self.argument(1);
        // Behind those that were reported last, if not all had room.
        let start = core::mem::take(&mut self.thread.watch_from);
        let (mut from, mut around, mut reported, mut lost_claims) = (start, start == 0, 0, 0);
        // Bounded by the watches: once around, and by claims that another program won.
        loop {
            let watch = match self.next_watch(set, &mut from, round).await {
                Ok(Some(watch)) => watch,
                Ok(None) if !around => {
                    (from, around) = (0, true);
                    continue;
                }
                Err(errno) if reported == 0 => return Err(errno),
                _ => break,
            };
            if around && start > 0 && watch.key.place >= start {
                break;
            }
            let Polled { events, edges } = self.poll_watch(set, &watch, round).await?;
            if events == 0 {
                continue;
            }
            let at = place.wrapping_add(u64::from(reported) * EVENT_BYTES);
            match self.put_words(at, [events.into(), watch.data]).await {
                Err(errno) if reported == 0 => return Err(errno),
                Err(_) => break,
                Ok(()) => {}
            }
            // After the copy: an event that cannot be reported stays pending. Bytes behind the count mean nothing.
            match self.claim(set, &watch, edges).await {
                Ok(true) => reported += 1,
                // Another waiter claimed it; the next poll passes the seen edges, so that a new edge wakes this one.
                Ok(false) if lost_claims < CLAIMS_LOST_MAX => {
                    (from, lost_claims) = (watch.key.place, lost_claims + 1);
                    continue;
                }
                Ok(false) => continue,
                Err(_) if reported > 0 => break,
                Err(errno) => return Err(errno),
            }
            round.stop_if(true);
            if reported == most {
                self.thread.watch_from = from;
                break;
            }
        }
        Ok(reported)
    }

    /// The next watch of a set, from place `next` on, which is then behind it; `None`: there is no more.
    async fn next_watch(
        &mut self,
        set: Handle,
        next: &mut u16,
        round: &mut PollRound,
    ) -> Result<Option<WatchEntry>, Errno> {
        let (Handle { board, number, generation }, from) = (set, *next);
        let mut events = self.services.events(board)?;
        round.add_board(board);
        match events.call_retrying(NextWatch { number, generation, from, slot: round.slot }, ()).await {
            Err(Errno::ENOENT) => Ok(None),
            Err(errno) => Err(errno),
            // A bound on the walk, whatever the server replies.
            Ok(watch) if watch.key.place < from => Err(Errno::EIO),
            Ok(watch) => {
                *next = watch.key.place.saturating_add(1);
                Ok(Some(watch))
            }
        }
    }

    /// Whether this program wins the events of a watch.
    async fn claim(&mut self, set: Handle, watch: &WatchEntry, edges: u32) -> Result<bool, Errno> {
        let once_only = watch.key.events & (WATCH_EDGES | WATCH_ONCE) != 0;
        if !once_only && edges != 0 {
            return Ok(true);
        }
        let Handle { board, number, generation } = set;
        let claim = ClaimWatch { number, generation, place: watch.key.place, stamp: watch.stamp, edges };
        match self.services.events(board)?.call_retrying(claim, ()).await {
            Err(Errno::EAGAIN) => Ok(false),
            claimed => claimed.map(|()| true),
        }
    }

    /// Whether a set has events to report.
    pub(crate) async fn has_events(&mut self, object: Object, round: &mut PollRound) -> Result<bool, Errno> {
        let (set, mut from) = (object.events(EventSort::Watches)?, 0);
        // Bounded by the watches.
        loop {
            let watch = match self.next_watch(set, &mut from, round).await {
                Ok(Some(watch)) => watch,
                Ok(None) => return Ok(false),
                Err(errno) if is_loss(errno) => return Ok(true), // who waits for it learns that
                Err(errno) => return Err(errno),
            };
            if self.poll_watch(set, &watch, round).await?.events != 0 {
                return Ok(true);
            }
        }
    }

    /// Whether a descriptor of the program stands for `object`.
    fn names(&self, object: Object) -> bool {
        self.program.files.iter().any(|(_, descriptor)| descriptor.object == object)
    }

    /// What any descriptor of the program knows of signal descriptor `id`: a copy is as good as the one that is
    /// watched.
    fn signals_of(&self, id: u32) -> Option<Object> {
        let mut objects = self.program.files.iter().map(|(_, descriptor)| descriptor.object);
        objects.find(|object| matches!(object, Object::Signals { id: other, .. } if *other == id))
    }

    /// The events of a watch to report; a watch of a closed object goes.
    async fn poll_watch(&mut self, set: Handle, watch: &WatchEntry, round: &mut PollRound) -> Result<Polled, Errno> {
        let nothing = Polled { events: 0, edges: 1 };
        let (events, seen) = (watch.key.events & !(WATCH_EDGES | WATCH_ONCE), watch.stamp.edges);
        let mut object = from_words([watch.object, watch.more])?;
        let own = self.program.files.get(watch.key.descriptor.into()).map(|descriptor| descriptor.object);
        match object {
            // Only a descriptor knows of these, and of their present set.
            Object::Signals { id, .. } => match self.signals_of(id) {
                Some(signals) => object = signals,
                // Another program that has the set may know of it still.
                None => return Ok(nothing),
            },
            Object::Console if !self.names(object) => return Ok(nothing),
            _ => {}
        }
        match self.poll_descriptor(object, events, seen, round).await {
            Err(errno) if is_loss(errno) && !self.names(object) && !matches!(own, Ok(Object::Lost { .. })) => {
                if errno == Errno::ESTALE {
                    self.claim(set, watch, 0).await?;
                }
                Ok(nothing) // its board may be there for others that have the set
            }
            // Only programs of other boards have it, which get its events.
            Err(Errno::EPERM) if !self.names(object) => Ok(nothing),
            Err(errno) if is_loss(errno) || errno == Errno::EPERM => {
                self.poll_descriptor(Object::Lost { pipe: true }, events, seen, round).await
            }
            polled => polled,
        }
    }
}
