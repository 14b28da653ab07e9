//! A pair with a fresh disk, and what holds after every run.

use renga_placement::Checked;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{SimProgram, SimPrograms};
use renga_sim::system::image::{self, FileContents};
use renga_sim::system::{INIT, Leftovers, SimSystem, SystemSetup, medium, small};
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

/// Longer than any of these runs may take.
pub const LIMIT_NS: u64 = 600_000_000_000;
/// How long after the stop the boards are checked: replies and acknowledgements have come.
const AFTERWARDS_NS: u64 = 2_000_000_000;
const DISK_MEBIBYTES: u32 = 12;

/// What a finished run left.
pub struct Finished {
    pub system: SimSystem,
    pub status: u8,
    /// What is on the medium.
    pub files: FileContents,
}

/// Whether there are the tools that make disks; says so if not.
pub fn possible() -> bool {
    let present = image::tools_present();
    if !present {
        renga_skip::skipped("no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
    }
    present
}

/// A system whose init does `init`, and then stops it; `more` adds programs.
pub fn setup<F: Future<Output = u8> + 'static>(
    cluster: ClusterSetup,
    init: impl Fn(SimProgram) -> F + Clone + 'static,
    more: impl FnOnce(&SimPrograms),
) -> (SystemSetup, SimPrograms) {
    let programs = SimPrograms::default();
    programs.add(INIT, move |program: SimProgram| {
        let init = init.clone();
        async move {
            let status = init(program.clone()).await;
            program.halt(status).await.unwrap();
            status
        }
    });
    more(&programs);
    let mut files: FileContents = programs.files();
    files.insert("/etc/motd".into(), b"renga\n".to_vec());
    let disk = image::make(DISK_MEBIBYTES, &files).unwrap();
    (SystemSetup { cluster, placement: small(), disk, medium: medium("none"), hostile: None, mute: None }, programs)
}

/// Runs a pair whose init does `init`, and checks that nothing is left of it.
pub fn run<F: Future<Output = u8> + 'static>(
    init: impl Fn(SimProgram) -> F + Clone + 'static,
    more: impl FnOnce(&SimPrograms),
) -> Finished {
    run_on(small(), init, more)
}

/// As `run`, on another system.
pub fn run_on<F: Future<Output = u8> + 'static>(
    placement: Rc<Checked>,
    init: impl Fn(SimProgram) -> F + Clone + 'static,
    more: impl FnOnce(&SimPrograms),
) -> Finished {
    let (setup, programs) = setup(ClusterSetup::new(2), init, more);
    let setup = SystemSetup { placement, ..setup };
    let mut system = SimSystem::boot(&setup, &programs);
    let (status, files) = stop(&mut system);
    Finished { system, status, files }
}

/// As `run`, on another link.
pub fn run_cluster<F: Future<Output = u8> + 'static>(
    cluster: ClusterSetup,
    init: impl Fn(SimProgram) -> F + Clone + 'static,
) -> Finished {
    let (setup, programs) = setup(cluster, init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    let (status, files) = stop(&mut system);
    Finished { system, status, files }
}

/// Runs to the stop; nothing is left on any board. Its status, and what is on the medium.
fn stop(system: &mut SimSystem) -> (u8, FileContents) {
    let status = system.run(LIMIT_NS);
    let Some(status) = status else { panic!("not stopped: {:#?} {:?}", system.wait_graph(), SimSystem::log()) };
    system.cluster.run_until(system.cluster.now_ns() + AFTERWARDS_NS);
    let leftovers = system.leftovers();
    assert!(leftovers.iter().all(Leftovers::none), "{leftovers:?} {:?}", SimSystem::log());
    (status, image::check(&system.disk.content()).unwrap())
}

/// Runs `there` on board 1.
pub async fn elsewhere<F: Future<Output = ()> + 'static>(
    init: &SimProgram,
    there: impl FnOnce(SimProgram) -> F + 'static,
) {
    let child = move |program: SimProgram| async move {
        there(program).await;
        0
    };
    let pid = init.fork_on(1, child).await.unwrap();
    assert_eq!(init.wait(pid).await, Ok((pid, 0)));
}

/// As `stop`, of a run that ends well.
pub fn finish(system: &mut SimSystem) {
    assert_eq!(stop(system).0, 0, "{:?}", SimSystem::log());
}

/// A page of bytes that cannot be packed, by `seed`: it takes as long on the link as any page can.
pub fn noise(seed: u64) -> [u8; 4096] {
    let mut bytes = [0; 4096];
    Random::new(seed).fill(&mut bytes);
    bytes
}

/// Runs until `progress` has come to `step`, for `limit_ns` at most.
pub fn run_to(system: &mut SimSystem, progress: &Rc<Cell<u32>>, step: u32, limit_ns: u64) {
    let reached = system.cluster.run_while(limit_ns, || progress.get() < step);
    assert!(reached, "at {} of {step}: {:#?} {:?}", progress.get(), system.wait_graph(), SimSystem::log());
}
