//! Tests of the services that govern programs.

mod background;
mod iospeed;
mod reclaim;
mod rules;
