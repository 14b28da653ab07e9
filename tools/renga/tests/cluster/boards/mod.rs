//! What boards start from and are joined by: card images, pins, firmware's garbage, tables.

mod apart;
mod bare;
mod cards;
mod cores;
mod homes;
mod linkbench;
mod machines;
mod pins;
mod pintest;
mod silicon;
mod slow_card;
mod tables;
mod update;
