//! The wiring plan of a cluster of real boards: which place of each board's header is joined to which of the others, as
//! data, as a page and as a drawing.
//!
//! Invariant: which pin is which line comes from the constants that the boards' drivers use (`renga-phy`); a plan joins
//! only pins of one line, and each pin of a board is on at most one wire. **Nobody has built one yet.**
//!
//! Not here: what the lines mean (`docs/reference/link-pins.md`, `docs/reference/link-spi.md`), cards (`renga-images`).
#![forbid(unsafe_code)]

mod drawing;
mod header;
mod page;
mod plan;
mod spi_pins;

pub use drawing::drawing;
pub use header::{HeaderUse, grounds, place_of, use_of};
pub use page::page;
pub use plan::{PlanPin, PlanWire, PlannedBoard, WireKind, WiringPlan};
