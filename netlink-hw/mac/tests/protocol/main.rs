//! Two to eight boards on a bus in virtual time: the protocol's promises and how soon it keeps them.

mod chaos;
mod faults;
mod members;
mod ring;
mod sharing;
