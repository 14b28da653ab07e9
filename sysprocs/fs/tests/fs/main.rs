//! What the file system promises, each test against a whole one in this host program (`support`).
#![allow(missing_docs)]

mod appending;
mod cut;
mod errors;
mod freed;
mod held;
mod identity;
mod large;
mod limits;
mod lookup_workers;
mod made;
mod making;
mod model;
mod numbers;
mod order;
mod ordered;
mod reading;
mod references;
mod series;
mod sizes;
mod support;
mod truncate;
mod unmounting;
