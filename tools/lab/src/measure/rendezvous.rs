//! What rendezvous, interrupts and system calls cost, in instructions, on the booted image.
//!
//! Not here: the measuring itself (`kernel/image/src/bench.rs`, `userland/src/bin/nullcall.rs`).

use super::measured::{Fixture, figures};
use super::tables;
use anyhow::Result;
use renga_cli::ClusterArgs;
use renga_images::artifacts::KernelFlavour;
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;

/// What was measured, what it is called here, what the experiment before this system reached, and how many
/// instructions the least may be.
const ROWS: [(&str, &str, Option<u64>, Option<u64>); 10] = [
    ("nothing", "call, accept, reply without words", None, Some(102)),
    ("six-words", "the same with six words", Some(168), Some(121)),
    ("word-and-page-given", "one word and 4 KiB given", Some(112), Some(108)),
    ("word-and-page-taken", "one word and 4 KiB taken", Some(112), Some(109)),
    ("chain-of-five-page-taken", "through five servers, 4 KiB taken", Some(636), None),
    ("cores-busy", "nothing, on another core that polls", None, Some(580)),
    ("cores-asleep", "nothing, both cores sleep meanwhile", None, None),
    ("interrupt-to-process", "interrupt until the process runs", Some(114), Some(113)),
    ("yield-alone", "through the ready queue", None, None),
    ("null-system-call", "null system call from user mode", None, Some(338)),
];

/// Prints the table; 1 if a figure is worse than its bound.
///
/// # Errors
/// If a run fails or does not say what it measured.
pub fn measure(environment: &Environment) -> Result<u8> {
    let machine = ClusterArgs::usual("pair");
    let system = SystemFile::find(environment, &machine.system)?;
    let fixture = Fixture::make(environment, &machine)?;
    let kernel = fixture.run(&system, &fixture.kernel(KernelFlavour::Bench)?, "", false)?;
    let program = fixture.run(&system, &fixture.kernel(KernelFlavour::Plain)?, "/usr/lib/renga/nullcall\n", false)?;
    let text = kernel.text + &program.text;
    let processes: usize = system.checked.process_count(0);
    fixture.progress.finish();
    println!("Instructions on the booted image of `pair`, board a ({processes} processes), tracing off.");
    println!("One instruction is one tick of virtual time; there is no cache or pipeline model.\n");
    println!("{:<36} {:>6} {:>6} {:>8} {:>12} {:>7}", "", "least", "most", "mean", "experiment", "bound");
    let mut worse = 0;
    for (name, what, before, bound) in ROWS {
        let [least, most, mean] = figures(&text, name)?;
        let is_worse = bound.is_some_and(|bound| least.parse().is_ok_and(|least: u64| least > bound));
        worse += u8::from(is_worse);
        let [before, bound] = [before, bound].map(|figure| figure.map_or(String::new(), |figure| figure.to_string()));
        let mark = if is_worse { " WORSE" } else { "" };
        println!("{what:<36} {least:>6} {most:>6} {mean:>8} {before:>12} {bound:>7}{mark}");
    }
    println!("\nThe most is the one call in 65 that passes the ready queue, so that equals alternate.");
    println!("The experiment's figures: a rendezvous alone on bare metal, before there was a system around it.");
    println!("\nWhere the instructions of a round trip with one word back go (least):");
    let [served, ..] = figures(&text, "until-served")?;
    let [back, ..] = figures(&text, "until-back")?;
    println!("  {served:>4}  the caller writes its message into its header, finds the server's entry open, and polls");
    println!("        it in place; the server takes the call and decodes the entry");
    println!("  {back:>4}  the server writes the reply and marks the caller, goes round its loop, opens its entries");
    println!("        again and returns; the caller finds its reply and reads the words");
    println!("\nOf a call to another core, without the IPI's registers and the time until a core wakes (least):");
    for (name, core) in [("busy-caller", "caller's"), ("busy-server", "server's")] {
        let [polls, ..] = figures(&text, &format!("cores-{name}"))?;
        let [sleeps, ..] = figures(&text, &format!("cores-{}", name.replace("busy", "asleep")))?;
        println!("  {polls:>4}  on the {core} core, {sleeps} if it sleeps in between");
    }
    Ok(u8::from(worse > 0 || !tables::agree(&text)?))
}
