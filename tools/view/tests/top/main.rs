//! What `renga top` shows of a trace that was written by hand.

mod composed;
mod player;
mod printed;
mod screen;
mod torn;
