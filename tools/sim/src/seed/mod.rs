//! One random run from a seed: a workload for all boards, a medium, faults of the link, and the verdict.
//!
//! [`run`] is all: the same seed, boards and cut give the same run. Invariant: a run that it calls good
//! ended by itself, left nothing behind on any board, agreed with a model of the file system at every
//! step and on the medium, which e2fsck finds clean.

mod actions;
mod checker;
mod known;
mod medium;
mod rover;
mod start;
mod verdict;
mod worker;

use crate::cluster::ClusterSetup;
use crate::cut::Cut;
use crate::incident::{Trouble, draw_link, schedule};
use crate::logged;
use crate::ongoing::{DISK_BOARD, Ongoing};
use crate::outcome::{Failure, SimCounts, SimReport, SimScope};
use crate::program::SimPrograms;
use crate::system::{Pages, SMALL, SimSystem, SystemSetup, medium, placement, spread};
use actions::SeedPlan;
use known::KnownFiles;
use renga_phy::loopback::Faults;
use renga_placement::{Checked, PlacementError};
use renga_random::Random;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

pub use checker::MediumChecker;
pub use medium::EVENTS;

/// What each of more boards than the pair's needs for messages.
const MESSAGE_KIB: u32 = 4096;
/// What a run may take, simulated; far more than any does.
const LIMIT_NS: u64 = 600_000_000_000;
/// On a link where more frames of a thousand are lost, dropped or damaged a board may be thought dead that is not.
const FAIR_PER_MILLE: u16 = 50;
/// Numbers of boards, each as likely as it is often here.
const BOARDS: [u8; 8] = [2, 2, 2, 3, 4, 5, 6, 8];
/// Numbers of cores of each board, likewise.
const CORES: [u8; 8] = [1, 1, 1, 1, 1, 2, 3, 4];

/// What the workload does not depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedSettings {
    /// How many boards: the first as `a` of the pair, the others as `b`.
    pub boards: u8,
    /// How many cores each of them has, over which its processes are spread.
    pub cores: u8,
    /// Which of these is the programs' home, or the first of their homes.
    pub home: u8,
    /// How many homes they have.
    pub homes: u8,
    /// What goes wrong on the link.
    pub faults: Faults,
    /// Whether calls between boards that return nothing release their callers early.
    pub asynchronous: bool,
    /// Whether calls between boards that return data travel in paired form.
    pub paired: bool,
    /// Whether the last board has the disk, and the first only the file system.
    pub remote_disk: bool,
}

impl SeedSettings {
    /// The pair on a good link.
    pub const PAIR: SeedSettings = SeedSettings {
        boards: 2,
        cores: 1,
        home: 0,
        homes: 1,
        faults: Faults::NONE,
        asynchronous: false,
        paired: false,
        remote_disk: false,
    };
    /// The pair on a link that loses, doubles and damages frames.
    pub const BAD_LINK: SeedSettings = SeedSettings {
        faults: Faults { lost_per_mille: 20, doubled_per_mille: 20, changed_per_mille: 10, ..Faults::NONE },
        ..SeedSettings::PAIR
    };

    fn draw(seed: u64, boards: Option<u8>, cut: &Cut) -> SeedSettings {
        let mut random = Random::new(seed ^ 0x7379_7374_656d);
        let seeded = BOARDS[random.below(BOARDS.len() as u64) as usize];
        let boards = boards.unwrap_or(seeded);
        let faults = draw_link(&mut random);
        let asynchronous = random.occurs(50);
        let faults = if cut.is_quiet() { Faults::NONE } else { faults };
        // From a generator of its own, so that seeds give all else as before cores existed.
        let cores = CORES[Random::new(seed ^ 0x0063_6f72_6573).below(CORES.len() as u64) as usize];
        let home = Random::new(seed ^ 0x0000_686f_6d65).below(cores.into()) as u8;
        let homes = 1 + Random::new(seed ^ 0x686f_6d65_7300).below(cores.into()) as u8;
        let paired = Random::new(seed ^ 0x7061_6972_6564).occurs(25);
        let boards = cut.boards(boards).unwrap_or(boards);
        SeedSettings { boards, cores, home, homes, faults, asynchronous, paired, remote_disk: false }
    }
}

/// How many boards the run of `seed` has.
pub fn boards(seed: u64, boards: Option<u8>, cut: &Cut) -> u8 {
    SeedSettings::draw(seed, boards, cut).boards
}

/// How many incidents the run of `seed` has.
pub fn incidents(seed: u64, boards: Option<u8>) -> usize {
    let settings = SeedSettings::draw(seed, boards, &Cut::default());
    draw(seed, settings).incidents.len()
}

/// Workers and rovers of the run of `seed` that a cut can omit.
pub fn actors(seed: u64, boards: Option<u8>) -> usize {
    let settings = SeedSettings::draw(seed, boards, &Cut::default());
    draw(seed, settings).actors()
}

/// Runs the plan of `seed`, on `boards` boards if given, without the parts that `cut` omits.
///
/// # Errors
/// What went wrong.
pub fn run(seed: u64, boards: Option<u8>, cut: &Cut) -> Result<SimReport, Box<Failure>> {
    run_checked(seed, boards, cut, &MediumChecker::E2fsprogs)
}

/// As [`run`], with a medium that `checker` makes and checks.
///
/// # Errors
/// What went wrong.
pub fn run_checked(
    seed: u64,
    boards: Option<u8>,
    cut: &Cut,
    checker: &MediumChecker,
) -> Result<SimReport, Box<Failure>> {
    let settings = SeedSettings::draw(seed, boards, cut);
    play(settings, draw(seed, settings), (seed, cut, checker))
}

fn draw(seed: u64, settings: SeedSettings) -> SeedPlan {
    let mut plan = SeedPlan::draw(&mut Random::new(seed), u64::from(settings.boards));
    plan.add_of_system(seed, u64::from(settings.boards));
    plan
}

/// Runs the workload that `seed` draws; nothing happens to boards.
///
/// # Errors
/// What went wrong.
pub fn run_with(seed: u64, settings: SeedSettings, cut: &Cut) -> Result<SimReport, Box<Failure>> {
    let mut plan = SeedPlan::draw(&mut Random::new(seed), u64::from(settings.boards));
    plan.incidents.clear();
    play(settings, plan, (seed, cut, &MediumChecker::E2fsprogs))
}

/// The medium with the programs of every seed, for [`MediumChecker::Absent`].
///
/// # Errors
/// What mke2fs says.
pub fn fresh_disk() -> Result<Pages, String> {
    let (programs, files) = (SimPrograms::default(), KnownFiles::new(false, false));
    let settings = SeedSettings::PAIR;
    start::add_programs(&programs, settings.boards, &draw(0, settings), &files);
    MediumChecker::E2fsprogs.fresh_disk(&programs)
}

fn play(
    settings: SeedSettings,
    mut plan: SeedPlan,
    (seed, cut, checker): (u64, &Cut, &MediumChecker),
) -> Result<SimReport, Box<Failure>> {
    let early = |what: String| Box::new(Failure::bare(seed, SimScope::System, what));
    plan.cut(cut);
    // So few frames arrive that a board which lives may be silent for as long as a dead one.
    let heavy = is_heavy(settings.faults);
    let faulty = !plan.incidents.is_empty() || heavy;
    let parted = plan.incidents.iter().any(|incident| incident.trouble.parts()) || heavy;
    let (programs, files) = (SimPrograms::default(), KnownFiles::new(faulty, parted));
    start::add_programs(&programs, settings.boards, &plan, &files);
    let disk = checker.fresh_disk(&programs).map_err(early)?;
    let placement = placed(settings).map_err(|error| early(error.to_string()))?;
    let cluster = ClusterSetup { faults: settings.faults, seed, ..ClusterSetup::new(2) };
    let mut system = SimSystem::boot(
        &SystemSetup { cluster, placement, disk, medium: medium(plan.medium), hostile: None, mute: None },
        &programs,
    );
    let mut counts = SimCounts::default();
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let mut ongoing = Ongoing::new(settings.boards, settings.faults);
        system.disk.seed(Random::new(seed));
        befall(&mut system, &mut ongoing, &plan, (&files, checker), &mut counts)?;
        let stopped = system.run(LIMIT_NS);
        let simulated_ns = system.cluster.now_ns();
        counts.add("programs that gave up", files.gave_up());
        if files.is_uncertain() {
            counts.add("synced files that had to be there", files.promised().len() as u64);
        }
        verdict::verdict(&mut system, stopped, &files, checker).map(|()| simulated_ns)
    }));
    let judged = judged.unwrap_or_else(|panic| Err(crate::calls::text_of(panic.as_ref())));
    judged.map(|simulated_ns| verdict::report(seed, &system, simulated_ns, counts)).map_err(|what| {
        let what = format!("{what} (at {} ns)", system.cluster.now_ns());
        let plan = format!("{settings:?}, {plan:?}");
        let (log, events, waits) = (SimSystem::log(), system.events(), system.wait_graph());
        Box::new(Failure { seed, level: SimScope::System, what, plan, log, events, waits })
    })
}

/// Whether so few frames arrive whole that a board which lives may be thought dead.
fn is_heavy(faults: Faults) -> bool {
    let Faults { lost_per_mille, dropped_per_mille, changed_per_mille, .. } = faults;
    lost_per_mille.max(dropped_per_mille).max(changed_per_mille) > FAIR_PER_MILLE
}

/// Has everything happen to the boards that is to happen.
fn befall(
    system: &mut SimSystem,
    ongoing: &mut Ongoing,
    plan: &SeedPlan,
    (files, checker): (&KnownFiles, &MediumChecker),
    counts: &mut SimCounts,
) -> Result<(), String> {
    for step in schedule(&plan.incidents) {
        system.cluster.run_until(step.at_ns);
        let what = if step.begins { "begins" } else { "ends" };
        logged::note(format!("{} ns: {:?} {what}", system.cluster.now_ns(), step.trouble));
        if step.begins {
            medium::begin(system, step.trouble, (files, checker), counts)?;
            counts.add(step.trouble.name(), 1);
            if let Trouble::Death(board) | Trouble::Wedge(board) | Trouble::FrameCut(board, _) = step.trouble {
                // Its workers may have been in the middle of something.
                plan.folders_on(board).iter().for_each(|folder| files.forget(folder));
            }
            ongoing.begin(&mut system.cluster, step.trouble);
        } else if let Some(board) = ongoing.end(&mut system.cluster, step.trouble) {
            if board == DISK_BOARD {
                system.disk.restore_power();
            }
            system.reboot(board);
            ongoing.booted(board, system.cluster.now_ns());
        }
        if !step.begins {
            medium::end(system, step.trouble);
        }
    }
    files.set_over();
    Ok(())
}

/// The pair's placement with as many boards as wanted, and the mode; checked once.
///
/// # Errors
/// A rule that so many boards break.
pub fn placed(settings: SeedSettings) -> Result<Rc<Checked>, PlacementError> {
    /// Boards, cores, home, homes, whether calls are asynchronous or paired, and the disk remote.
    type Key = (u8, u8, u8, u8, bool, bool, bool);
    thread_local! {
        static CHECKED: std::cell::RefCell<HashMap<Key, Rc<Checked>>> = std::cell::RefCell::default();
    }
    let SeedSettings { boards, cores, home, homes, asynchronous, paired, remote_disk, .. } = settings;
    let key = (boards, cores, home, homes, asynchronous, paired, remote_disk);
    if let Some(checked) = CHECKED.with_borrow(|known| known.get(&key).cloned()) {
        return Ok(checked);
    }
    let checked = check(settings)?;
    CHECKED.with_borrow_mut(|known| known.insert(key, checked.clone()));
    Ok(checked)
}

fn check(settings: SeedSettings) -> Result<Rc<Checked>, PlacementError> {
    let mut text = String::from(SMALL);
    if settings.asynchronous {
        text = text.replacen("\"sync\"", "\"async\"", 1);
    }
    if settings.paired {
        text = text.replacen("boards = [", "messages = \"paired\"\nboards = [", 1);
    }
    let last = "    { name = \"b\" },\n";
    if settings.boards > 2 {
        let board = |board| format!("    {{ name = \"b{board}\", message_kib = {MESSAGE_KIB} }},\n");
        text = text.replacen(last, &(1..settings.boards).map(board).collect::<String>(), 1);
        text = text.replacen("disk = true", &format!("disk = true, message_kib = {MESSAGE_KIB}"), 1);
    }
    if settings.remote_disk {
        let disk = "disk               = { on = ";
        text = text.replacen(", disk = true", "", 1).replacen("name = \"b\"", "name = \"b\", disk = true", 1);
        text = text.replacen(&format!("{disk}\"a\""), &format!("{disk}\"b\""), 1);
    }
    placement(&spread(&text, settings.cores, settings.home, settings.homes))
}

#[cfg(test)]
mod tests {
    use super::{FAIR_PER_MILLE, is_heavy};
    use renga_phy::loopback::Faults;

    /// Seeds 45871 and 9943: many were dropped, many damaged, and the check counted only the lost ones.
    #[test]
    fn seed_lost_or_damaged_frames_do_not_arrive() {
        let many = FAIR_PER_MILLE + 1;
        let (lost, dropped) =
            (Faults { lost_per_mille: many, ..Faults::NONE }, Faults { dropped_per_mille: many, ..Faults::NONE });
        let damaged = Faults { changed_per_mille: many, ..Faults::NONE };
        assert!([lost, dropped, damaged].into_iter().all(is_heavy));
        let fair = Faults {
            lost_per_mille: FAIR_PER_MILLE,
            dropped_per_mille: FAIR_PER_MILLE,
            changed_per_mille: FAIR_PER_MILLE,
            doubled_per_mille: 1000,
            ..Faults::NONE
        };
        assert!(!is_heavy(fair) && !is_heavy(Faults::NONE));
    }
}
