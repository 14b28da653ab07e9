//! A wired link under measurement.

use crate::token_link::TokenLink;
use renga_phy::bus_phy::{BusPhy, TokenBus};
use renga_phy::linkbench::{Errors, Measured};
use renga_phy::token::TokenPhy;

impl<B: TokenBus> Measured for TokenLink<BusPhy<B>> {
    fn now_ns(&mut self) -> u64 {
        TokenPhy::now_ns(self.phy()).unwrap_or_default()
    }

    fn errors(&mut self) -> Errors {
        let (link, bus) = (self.count(), self.phy().count());
        Errors {
            again: link.again as u32,
            given_up: link.given_up as u32,
            unsent: bus.unsent as u32,
            broken: bus.broken as u32,
            tokens: link.regenerated as u32,
        }
    }
}
