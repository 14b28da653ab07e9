//! The watches of all sets, as epoll has them.
//!
//! Invariant: a set has at most one watch of a descriptor and object. An edge-triggered watch is reported to one
//! program per edge, a one-shot watch once per change. Not here: readiness, which the waiting program reads from the
//! object's server.

use renga_proto::events::{
    WATCH_EDGES, WATCH_EXCLUSIVE, WATCH_ONCE, WatchChange, WatchEntry, WatchKey, WatchStamp, WatchWish,
};
use renga_rt::Errno;

/// As a set: none.
const NO_SET: u16 = u16::MAX;

renga_rt::with_defaults! {
    /// A watch, or a free place for one. Boot provides them.
    #[derive(Clone, Copy, Debug)]
    pub struct WatchPlace {
        set: u16 = NO_SET,
        descriptor: u16 = 0,
        /// What it is for; 0: for nothing until it is modified.
        events: u32 = 0,
        data: u64 = 0,
        object: [u64; 2] = [0; 2],
        /// It goes on in the next watch of this place.
        stamp: WatchStamp = WatchStamp { version: 0, edges: 0 },
    }
    /// Free.
    pub const FREE;
}
impl WatchPlace {
    /// Is as it was never reported.
    fn renew(&mut self, events: u32, data: u64) {
        (self.events, self.data) = (events, data);
        self.stamp = WatchStamp { version: self.stamp.version.wrapping_add(1), edges: 0 };
    }
}

/// The watches of a board's sets.
pub(super) struct Watches {
    places: &'static mut [WatchPlace],
    /// From here on all are free.
    end: usize,
}

impl Watches {
    /// None, with room for as many as there are `places`.
    pub(super) fn new(places: &'static mut [WatchPlace]) -> Watches {
        assert!(places.len() <= usize::from(u16::MAX), "places have numbers");
        Watches { places, end: 0 }
    }

    /// Changes a watch of `set`.
    pub(super) fn change(&mut self, set: u16, wish: WatchWish, data: u64, object: [u64; 2]) -> Result<(), Errno> {
        let WatchWish { change, descriptor, events } = wish;
        let is_it = |place: &WatchPlace| (place.set, place.descriptor, place.object) == (set, descriptor, object);
        let known = self.places[..self.end].iter().position(is_it);
        match (change, known) {
            (WatchChange::Add, Some(_)) => return Err(Errno::EEXIST),
            (WatchChange::Add, None) => {
                self.forget_reported(set, descriptor);
                let free = self.places.iter().position(|place| place.set == NO_SET).ok_or(Errno::ENOSPC)?;
                self.end = self.end.max(free + 1);
                let place = &mut self.places[free];
                (place.set, place.descriptor, place.object) = (set, descriptor, object);
                place.renew(events, data);
            }
            (_, None) => return Err(Errno::ENOENT),
            (WatchChange::Modify, Some(known)) => {
                let place = &mut self.places[known];
                if place.events & WATCH_EXCLUSIVE != 0 {
                    return Err(Errno::EINVAL);
                }
                place.renew(events, data);
            }
            (WatchChange::Remove, Some(known)) => self.free(known),
        }
        Ok(())
    }

    /// The descriptor is of another object by now, so no program can modify its one-shot watch.
    fn forget_reported(&mut self, set: u16, descriptor: u16) {
        for number in (0..self.end).rev() {
            let place = &self.places[number];
            if (place.set, place.descriptor, place.events) == (set, descriptor, 0) {
                self.free(number);
            }
        }
    }

    fn free(&mut self, number: usize) {
        self.places[number].set = NO_SET;
        while self.end > 0 && self.places[self.end - 1].set == NO_SET {
            self.end -= 1;
        }
    }

    /// The first watch of `set` from place `from` on that is for anything.
    pub(super) fn next(&self, set: u16, from: u16) -> Result<WatchEntry, Errno> {
        let mut rest = (usize::from(from)..self.end).map(|number| (number, &self.places[number]));
        let is_next = |(_, place): &(usize, &WatchPlace)| place.set == set && place.events != 0;
        let (number, place) = rest.find(is_next).ok_or(Errno::ENOENT)?;
        let WatchPlace { descriptor, events, data, object, stamp, .. } = *place;
        let key = WatchKey { place: number as u16, descriptor, events };
        Ok(WatchEntry { key, data, object: object[0], more: object[1], stamp })
    }

    /// Events of a watch of `set` are about to be reported.
    pub(super) fn claim(&mut self, set: u16, number: u16, stamp: WatchStamp, edges: u32) -> Result<(), Errno> {
        let known = |place: &&mut WatchPlace| (place.set, place.stamp) == (set, stamp) && place.events != 0;
        let place = self.places.get_mut(usize::from(number)).filter(known).ok_or(Errno::EAGAIN)?;
        if edges == 0 {
            self.free(number.into());
            return Ok(());
        }
        if place.events & WATCH_EDGES != 0 {
            place.stamp.edges = edges;
        }
        if place.events & WATCH_ONCE != 0 {
            place.events = 0;
        }
        Ok(())
    }

    pub(super) fn end_set(&mut self, set: u16) {
        for number in (0..self.end).rev() {
            if self.places[number].set == set {
                self.free(number);
            }
        }
    }
}
