//! What cores do to a frame's state at once, over whichever variant of the code this file is a module of.
//!
//! Invariant: loom's cells stand for content and tables, and find two cores that reach one at once though one of them
//! writes. No core waits: a refused one has nothing to do in that interleaving.

use super::{FrameCounts, FrameRefusal, FrameState, PageFrameKind, TAKEN};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use renga_races::stand_ins::{Arena, Frame as FrameNumber};

/// A frame, and a stand-in for its content: as a borrower reaches it, and as programs do that map it. Those two do not
/// exclude each other (B2 of `kernel/sync`).
struct Frame {
    state: FrameState,
    content: UnsafeCell<()>,
    mapping: UnsafeCell<()>,
}

impl Frame {
    fn new() -> &'static Frame {
        Box::leak(Box::new(Frame {
            state: FrameState::new(true),
            content: UnsafeCell::new(()),
            mapping: UnsafeCell::new(()),
        }))
    }
    fn write(&self) {
        if self.state.begin_write().is_ok() {
            self.content.with_mut(|_| ());
            self.state.end_write();
        }
    }
    fn read(&self) {
        if self.state.begin_read().is_ok() {
            self.content.with(|_| ());
            self.state.end_read();
        }
    }
}

fn all(cores: impl IntoIterator<Item = thread::JoinHandle<()>>) {
    cores.into_iter().for_each(|core| core.join().expect("no core fails"));
}

pub fn borrow() {
    let frame = Frame::new();
    let writer = thread::spawn(|| frame.write());
    let reader = thread::spawn(|| frame.read());
    frame.write();
    frame.read();
    all([writer, reader]);
    assert_eq!(frame.state.get().number(), 0, "a borrow is left");
}

/// A mapped frame is read by its program; one that has become a table is cleared.
pub fn table() {
    let frame = Frame::new();
    let program = thread::spawn(|| {
        if frame.state.show(true).is_ok() {
            frame.mapping.with(|_| ());
            frame.state.count(-1);
        }
    });
    let writer = thread::spawn(|| frame.write());
    if frame.state.become_table(PageFrameKind::Table, 0).is_ok() {
        frame.content.with_mut(|_| ());
        frame.mapping.with_mut(|_| ());
        assert_eq!(frame.state.become_table(PageFrameKind::Root, 1), Err(FrameRefusal::WrongKind));
        frame.state.retype(PageFrameKind::Plain, 0);
    }
    all([program, writer]);
    assert!(frame.state.get().is_plain() && frame.state.get().count() == 0);
}

/// Two programs that map a frame end; the one that sees it unmapped uses it.
pub fn unmap() {
    let frame = Frame::new();
    let programs = [0, 1].map(|_| {
        frame.state.show(false).expect("it is plain");
        thread::spawn(|| {
            frame.mapping.with(|_| ());
            frame.state.count(-1);
        })
    });
    if frame.state.get().count() > 0 {
        thread::yield_now(); // the search does not let both go first otherwise
    }
    if frame.state.get().count() == 0 {
        frame.mapping.with_mut(|_| ());
    }
    all(programs);
    assert_eq!(frame.state.get().count(), 0);
}

pub fn restrict() {
    let root = Frame::new();
    root.state.become_table(PageFrameKind::Ending, 1).expect("it is unused");
    root.state.retype(PageFrameKind::Root, 1);
    let cache = thread::spawn(|| {
        if let Ok(before) = root.state.lock() {
            assert!(before.is_root());
            root.content.with_mut(|_| ());
            root.state.unlock();
        }
    });
    // The owner changes something, then takes the space apart; the frame is used for another one.
    if root.state.lock().is_ok() {
        root.content.with_mut(|_| ());
        root.state.unlock();
    }
    if root.state.begin_ending().is_ok() {
        root.content.with_mut(|_| ());
        root.state.retype(PageFrameKind::Plain, 0);
        root.write();
        root.state.become_table(PageFrameKind::Ending, 2).expect("it is unused");
        root.content.with_mut(|_| ());
        root.state.retype(PageFrameKind::Root, 2);
    }
    all([cache]);
    assert!(root.state.get().is_root());
}

/// Content is a number, of which fetches see the largest that was synchronised: 0 is that of an earlier use of the
/// frame.
pub fn fetch() {
    let frame = Frame::new();
    let words: &'static [AtomicU32; 2] = Box::leak(Box::new([AtomicU32::new(1), AtomicU32::new(0)]));
    let [content, fetched] = words;
    let writer = thread::spawn(move || {
        if frame.state.begin_write().is_ok() {
            content.store(2, Ordering::Relaxed);
            frame.state.end_write();
        }
    });
    let make = || {
        let synchronise = || {
            fetched.fetch_max(content.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        frame.state.make_fetchable(synchronise);
        assert_ne!(fetched.load(Ordering::Relaxed), 0, "fetches see what was there before");
    };
    let other = thread::spawn(make);
    make();
    all([writer, other]);
    let same = content.load(Ordering::Relaxed) == fetched.load(Ordering::Relaxed);
    assert!(same || !frame.state.get().is_fetchable(), "fetches do not see what was written");
}

/// One of two owners of a frame drops its reference; when the other one sees that, it has the frame alone.
pub fn only() {
    let (frame, counts) = (Frame::new(), FrameCounts::new(Arena::new(), 1));
    let word = move || counts.word(FrameNumber(0)).expect("it is there");
    word().set(TAKEN + 1);
    let memory = thread::spawn(move || {
        let other = thread::spawn(|| frame.mapping.with(|_| ()));
        all([other]); // which is when its call comes
        word().set(TAKEN);
    });
    if counts.is_only(FrameNumber(0)) {
        frame.mapping.with_mut(|_| ());
    }
    all([memory]);
    assert!(counts.is_only(FrameNumber(0)));
}
