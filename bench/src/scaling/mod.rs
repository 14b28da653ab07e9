//! The same work on one, two, four and eight boards: compiles beside each other, and a parallel make. Beyond the paper,
//! which has two.
//!
//! - [`load`]: what is done, and on which board each part of it;
//! - [`cluster`]: the systems;
//! - [`scaled`]: a load on all of them, and the cause of a smaller speed-up;
//! - [`row`]: all of that as a row.
//!
//! Not here: where jobs should best run (`placements`), and running anything.

mod cluster;
mod load;
mod row;
mod scaled;

pub use row::ROW;
