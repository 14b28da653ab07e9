//! What the file system promises, each test against a whole one in this host program (`support`).
#![allow(missing_docs)]

mod appending;
mod creation;
mod cut;
mod errors;
mod flushing;
mod freed;
mod identity;
mod large;
mod limits;
mod lookup_workers;
mod model;
mod name_cache;
mod numbers;
mod offset_lock;
mod order;
mod ordered;
mod prefetcher;
mod reading;
mod recovery;
mod references;
mod reports;
mod series;
mod sizes;
mod support;
mod synthetic_files;
mod truncate;
mod unmounting;
