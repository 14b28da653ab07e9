//! Notices of changed files (inotify): the watches of inodes, and a queue for each event file that has watches.
//!
//! Invariant: a queue has its notices in the order of the changes. One that is full says at its end that others were
//! lost, and takes none before that was read. Queues of others than root leave a reserve of watches and notices, and
//! half of what is free. A change of something in a watched directory may come without its name:
//! the reader finds that out before it takes the notice, unless a notice beside it has the name.
//! Called by: `server.rs`. Not here: who reports changes (`renga_fs`), waiters (`server.rs`).

use renga_proto::events::{NoteChange, UnnamedChild, UnwatchInode, WatchInode, WatchedInode};
use renga_proto::notices::{
    CHANGES, DELETED, DELETED_SELF, IGNORED, LOST, MOVED_FROM, NOTICE_BYTES, OF_NAMES, WISH_ADD, WISH_NEW, WISH_ONCE,
    padded_bytes,
};
use renga_rt::Errno;
use renga_rt::linked_list::{LinkedList, Links, RowNumber};

/// As a queue: none.
const NO_QUEUE: u16 = u16::MAX;
/// Of so many places one queue may have one.
const QUEUE_SHARE: usize = 4;
/// Of so many places one is reserved for root.
const RESERVE_SHARE: usize = 8;
const NAME_BYTES_MAX: usize = 255;

renga_rt::with_defaults! {
    /// A notice, or a free place for one. Boot provides them.
    #[derive(Clone, Copy, Debug)]
    pub struct NoticePlace {
        links: Links<u16> = Links::NONE,
        watch: u32 = 0,
        change: u32 = 0,
        cookie: u32 = 0,
        /// Of a change in a directory: that, and what has changed there.
        directory: u32 = 0,
        child: u32 = 0,
        /// Of its name; 0 of a change in a directory: not known yet.
        bytes: u8 = 0,
        name: [u8; NAME_BYTES_MAX] = [0; NAME_BYTES_MAX],
    }
    /// Free.
    pub const FREE;
}
renga_rt::with_defaults! {
    /// A watch of an inode, or a free place for one. Boot provides them.
    #[derive(Clone, Copy, Debug)]
    pub struct InodeWatch {
        queue: u16 = NO_QUEUE,
        /// The program's number for it.
        number: u32 = 0,
        ino: u32 = 0,
        wish: u32 = 0,
    }
    /// Free.
    pub const FREE;
}

/// The memory of a board's notices and watches.
#[derive(Debug)]
pub struct NoticeMemory {
    /// The notices of all queues.
    pub notices: &'static mut [NoticePlace],
    /// The watches of all queues.
    pub watches: &'static mut [InodeWatch],
}

impl NoticePlace {
    fn name(&self) -> &[u8] {
        &self.name[..usize::from(self.bytes)]
    }
    fn set_name(&mut self, name: &[u8]) {
        let bytes = name.len().min(NAME_BYTES_MAX);
        self.name[..bytes].copy_from_slice(&name[..bytes]);
        self.bytes = bytes as u8;
    }
    fn is_of(&self, directory: u32, child: u32) -> bool {
        (self.directory, self.child) == (directory, child)
    }
    fn is_unnamed(&self) -> bool {
        self.directory != 0 && self.bytes == 0
    }
    /// Whether it says nothing that `last` does not.
    fn repeats(&self, last: &NoticePlace) -> bool {
        let same = (self.watch, self.change, self.directory, self.child);
        let names_differ = self.bytes != 0 && last.bytes != 0 && self.name() != last.name();
        self.change != IGNORED && same == (last.watch, last.change, last.directory, last.child) && !names_differ
    }
    fn read_bytes(&self) -> usize {
        NOTICE_BYTES + padded_bytes(self.bytes.into())
    }
    /// As programs read it.
    fn write(&self, out: &mut [u8]) {
        let padded = padded_bytes(self.bytes.into());
        let words = [self.watch, self.change, self.cookie, padded as u32];
        out[..NOTICE_BYTES].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
        out[NOTICE_BYTES..].fill(0);
        out[NOTICE_BYTES..][..usize::from(self.bytes)].copy_from_slice(self.name());
    }
}

/// The queue of an event file.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoticeQueue {
    list: LinkedList<u16>,
    lost: bool,
    last_watch: u32,
    for_root: bool,
}

impl NoticeQueue {
    pub(super) const EMPTY: NoticeQueue =
        NoticeQueue { list: LinkedList::EMPTY, lost: false, last_watch: 0, for_root: false };

    pub(super) fn new(for_root: bool) -> NoticeQueue {
        NoticeQueue { for_root, ..NoticeQueue::EMPTY }
    }

    /// Whether it may take one more of the `free` places of `all`, of which it has `own`.
    fn may_take(&self, own: usize, free: usize, all: usize) -> bool {
        free > 0 && (self.for_root || own < free && free > all / RESERVE_SHARE)
    }

    pub(super) fn is_readable(&self) -> bool {
        self.list.count > 0 || self.lost
    }
}

/// The watches and notices of a board.
pub(super) struct Notices {
    places: &'static mut [NoticePlace],
    free: LinkedList<u16>,
    watches: &'static mut [InodeWatch],
}

impl Notices {
    /// None, with room for as many as `memory` has places for.
    pub(super) fn new(memory: &'static mut NoticeMemory) -> Notices {
        let NoticeMemory { notices: places, watches } = memory;
        assert!(places.len() < usize::from(u16::NONE), "places have numbers");
        let mut free = LinkedList::EMPTY;
        (0..places.len() as u16).for_each(|at| free.push(places, |place| &mut place.links, at));
        Notices { places, free, watches }
    }

    /// The inodes that are watched.
    pub(super) fn inodes(&self) -> impl Iterator<Item = u32> {
        self.watches.iter().filter(|watch| watch.queue != NO_QUEUE).map(|watch| watch.ino)
    }

    /// Watches an inode, or changes how.
    pub(super) fn watch(&mut self, queue: &mut NoticeQueue, wanted: WatchInode) -> Result<WatchedInode, Errno> {
        let WatchInode { number, ino, wish, .. } = wanted;
        let is_it = |watch: &&mut InodeWatch| (watch.queue, watch.ino) == (number, ino);
        if let Some(watch) = self.watches.iter_mut().find(is_it) {
            if wish & WISH_NEW != 0 {
                return Err(Errno::EEXIST);
            }
            watch.wish = wish | if wish & WISH_ADD != 0 { watch.wish } else { 0 };
            return Ok(WatchedInode { watch: watch.number, is_new: false });
        }
        let count = |of| self.watches.iter().filter(|watch| watch.queue == of).count();
        if !queue.may_take(count(number), count(NO_QUEUE), self.watches.len()) {
            return Err(Errno::ENOSPC);
        }
        let free = self.watches.iter_mut().find(|watch| watch.queue == NO_QUEUE).ok_or(Errno::ENOSPC)?;
        queue.last_watch = queue.last_watch % i32::MAX as u32 + 1;
        *free = InodeWatch { queue: number, number: queue.last_watch, ino, wish };
        Ok(WatchedInode { watch: queue.last_watch, is_new: true })
    }

    /// Ends a watch of the queue; a `quiet` end leaves no notice of it.
    pub(super) fn unwatch(&mut self, queue: &mut NoticeQueue, ended: UnwatchInode) -> Result<(), Errno> {
        let UnwatchInode { number, watch, quiet, .. } = ended;
        let is_it = |place: &InodeWatch| (place.queue, place.number) == (number, watch);
        let at = self.watches.iter().position(is_it).ok_or(Errno::EINVAL)?;
        match quiet {
            true => self.forget_watch(at, queue),
            false => self.end_watch(at, queue),
        }
        Ok(())
    }

    /// Ends a watch with its notices.
    fn forget_watch(&mut self, at: usize, queue: &mut NoticeQueue) {
        let watch = core::mem::replace(&mut self.watches[at], InodeWatch::FREE).number;
        let mut at = queue.list.first;
        // Bounded by the queue.
        while let Some(place) = self.places.get(at.at()) {
            let next = place.links.next;
            if place.watch == watch {
                self.drop_notice(queue, at);
            }
            at = next;
        }
    }

    fn end_watch(&mut self, at: usize, queue: &mut NoticeQueue) {
        let watch = core::mem::replace(&mut self.watches[at], InodeWatch::FREE).number;
        self.push(queue, NoticePlace { watch, change: IGNORED, ..NoticePlace::FREE });
    }

    /// The first watch from place `from` on that is to report the change, and its queue: a watch of the directory in
    /// which it was if `by_directory`, else of the inode itself.
    pub(super) fn next_match(&self, from: usize, change: NoteChange, by_directory: bool) -> Option<(usize, u16)> {
        let ino = if by_directory { change.parent } else { change.ino };
        let bits = change.change & CHANGES;
        let ends = bits & DELETED_SELF != 0;
        if ino == 0 || !by_directory && bits & OF_NAMES != 0 {
            return None;
        }
        let matches =
            |watch: &InodeWatch| watch.queue != NO_QUEUE && watch.ino == ino && (watch.wish & bits != 0 || ends);
        let at = from + self.watches.get(from..)?.iter().position(matches)?;
        Some((at, self.watches[at].queue))
    }

    /// The watch at place `at` reports the change to its queue.
    pub(super) fn report(
        &mut self,
        at: usize,
        queue: &mut NoticeQueue,
        (change, by_directory): (NoteChange, bool),
        name: &[u8],
    ) {
        let InodeWatch { number: watch, wish, .. } = self.watches[at];
        let NoteChange { ino, parent, change, cookie } = change;
        let (directory, child) = if by_directory { (parent, ino) } else { (0, 0) };
        let mut notice = NoticePlace { watch, change, cookie, directory, child, ..NoticePlace::FREE };
        if by_directory {
            notice.set_name(name);
            match change & (DELETED | MOVED_FROM) {
                0 if name.is_empty() => self.find_name(queue, &mut notice),
                0 => {}
                _ => self.name_child(queue, UnnamedChild { directory, child }, name),
            }
        }
        if wish & change & CHANGES != 0 {
            self.push(queue, notice);
        }
        if wish & WISH_ONCE != 0 || change & DELETED_SELF != 0 {
            self.end_watch(at, queue);
        }
    }

    /// Names a notice as the last one of the same thing in the queue is.
    fn find_name(&self, queue: &NoticeQueue, notice: &mut NoticePlace) {
        let mut at = queue.list.last;
        // Bounded by the queue.
        while let Some(place) = self.places.get(at.at()) {
            if place.is_of(notice.directory, notice.child) && place.bytes > 0 {
                return notice.set_name(place.name());
            }
            at = place.links.before;
        }
    }

    /// Adds a notice to a queue, if it does not repeat the last one and there is room.
    fn push(&mut self, queue: &mut NoticeQueue, notice: NoticePlace) {
        let last = self.places.get(queue.list.last.at());
        if queue.lost || last.is_some_and(|last| notice.repeats(last)) {
            return;
        }
        let (own, free, all) = (queue.list.count as usize, self.free.count as usize, self.places.len());
        let has_room = own < all / QUEUE_SHARE && queue.may_take(own, free, all);
        let Some(at) = self.free.oldest().filter(|_| has_room) else {
            queue.lost = true;
            return;
        };
        self.free.remove(self.places, |place| &mut place.links, at);
        self.places[at.at()] = notice;
        queue.list.push(self.places, |place| &mut place.links, at);
    }

    fn drop_notice(&mut self, queue: &mut NoticeQueue, at: u16) {
        queue.list.remove(self.places, |place| &mut place.links, at);
        self.free.push(self.places, |place| &mut place.links, at);
    }

    /// What the queue needs a name of.
    pub(super) fn next_unnamed(&self, queue: &NoticeQueue) -> Result<UnnamedChild, Errno> {
        let mut at = queue.list.first;
        // Bounded by the queue.
        while let Some(place) = self.places.get(at.at()) {
            if place.is_unnamed() {
                return Ok(UnnamedChild { directory: place.directory, child: place.child });
            }
            at = place.links.next;
        }
        Err(Errno::ENOENT)
    }

    /// Notices of `unnamed` without a name get it, or are dropped without one.
    pub(super) fn name_child(&mut self, queue: &mut NoticeQueue, unnamed: UnnamedChild, name: &[u8]) {
        let UnnamedChild { directory, child } = unnamed;
        let mut at = queue.list.first;
        // Bounded by the queue.
        while let Some(place) = self.places.get_mut(at.at()) {
            let next = place.links.next;
            match place.is_of(directory, child) && place.is_unnamed() {
                true if name.is_empty() => self.drop_notice(queue, at),
                true => place.set_name(name),
                false => {}
            }
            at = next;
        }
    }

    /// Takes the notices that fit in `out`, up to one without its name; their bytes. `EAGAIN`: none; `EINVAL`: the
    /// first does not fit.
    pub(super) fn take(&mut self, queue: &mut NoticeQueue, out: &mut [u8]) -> Result<u32, Errno> {
        let mut done = 0;
        // Bounded by the queue.
        while let Some(at) = queue.list.oldest() {
            let place = self.places[at.at()];
            let bytes = place.read_bytes();
            match out.get_mut(done..done + bytes) {
                _ if place.is_unnamed() => break,
                None if done == 0 => return Err(Errno::EINVAL),
                None => return Ok(done as u32),
                Some(room) => place.write(room),
            }
            self.drop_notice(queue, at);
            done += bytes;
        }
        if queue.lost && queue.list.count == 0 {
            match out.get_mut(done..done + NOTICE_BYTES) {
                Some(room) => NoticePlace { watch: u32::MAX, change: LOST, ..NoticePlace::FREE }.write(room),
                None if done == 0 => return Err(Errno::EINVAL),
                None => return Ok(done as u32),
            }
            queue.lost = false;
            done += NOTICE_BYTES;
        }
        if done == 0 { Err(Errno::EAGAIN) } else { Ok(done as u32) }
    }

    /// The bytes of all notices of a queue.
    pub(super) fn count(&self, queue: &NoticeQueue) -> u32 {
        let (mut at, mut bytes) = (queue.list.first, if queue.lost { NOTICE_BYTES } else { 0 });
        // Bounded by the queue.
        while let Some(place) = self.places.get(at.at()) {
            bytes += place.read_bytes();
            at = place.links.next;
        }
        bytes as u32
    }

    /// Queue `number` ends, with its watches.
    pub(super) fn end_queue(&mut self, number: u16, queue: &mut NoticeQueue) {
        self.watches.iter_mut().filter(|watch| watch.queue == number).for_each(|watch| *watch = InodeWatch::FREE);
        while let Some(at) = queue.list.oldest() {
            self.drop_notice(queue, at);
        }
        *queue = NoticeQueue::EMPTY;
    }
}
