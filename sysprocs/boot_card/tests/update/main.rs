//! New kernels on a card whose power is cut at every write; counts of starts; which partition the board starts from.

mod card;
mod cuts;
mod kernels;
mod starts;
