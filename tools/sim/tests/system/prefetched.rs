//! The first reading of a file on a board without the disk: how busy the wire is, what is not read ahead, and changes
//! in between.

use crate::machine::{elsewhere, finish, noise, possible, run_cluster, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, SystemSetup, image, medium};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

const PATH: &str = "/long";
const PAGE: usize = 4096;
const PAGES: usize = 128;
/// Of the time of a first sequential read the wire is busy for so many percent at least.
const BUSY_PERCENT: u64 = 95;
/// How long a reader works on a page: half of what the page takes on the wire.
const WORK_NS: u64 = 1_000_000;

fn content(page: usize, version: u8) -> [u8; PAGE] {
    let mut bytes = noise(page as u64);
    bytes[0] = version;
    bytes
}

/// Boots a pair whose card has the file, which nobody has read; its first program is `init`.
fn boot_with_file<F: Future<Output = u8> + 'static>(init: impl Fn(SimProgram) -> F + Clone + 'static) -> SimSystem {
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut files = programs.files();
    files.insert(PATH.into(), (0..PAGES).flat_map(|page| content(page, 1)).collect());
    let disk = image::make(12, &files).unwrap();
    SimSystem::boot(&SystemSetup { disk, medium: medium("sd"), ..setup }, &programs)
}

#[test]
fn wire_is_busy_during_first_sequential_read() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let reads = async move |program: SimProgram| {
                let file = program.open(PATH, Open::Read).await.unwrap();
                step.set(1);
                for page in 0..PAGES {
                    assert_eq!(program.read(file, PAGE).await.unwrap(), content(page, 1));
                    program.sleep(WORK_NS).await.unwrap();
                }
                step.set(2);
            };
            elsewhere(&init, reads).await;
            0
        }
    };
    let mut system = boot_with_file(init);
    run_to(&mut system, &progress, 1, 10_000_000_000);
    let (begin_ns, before) = (system.cluster.now_ns(), system.cluster.bus().count());
    run_to(&mut system, &progress, 2, 10_000_000_000);
    let (took_ns, after) = (system.cluster.now_ns() - begin_ns, system.cluster.bus().count());
    let busy_ns = after.busy_ns - before.busy_ns;
    assert!(busy_ns * 100 >= took_ns * BUSY_PERCENT, "busy for {busy_ns} ns of {took_ns}");
    finish(&mut system);
}

/// How long a program of the disk's board takes to load from seven pages behind a page of a file that it maps and has
/// loaded from, 20 ms later, ns.
fn behind_mapped_page(first: usize) -> u64 {
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let file = init.open(PATH, Open::Change).await.unwrap();
            let mapped = init.map_shared(file, (PAGES * PAGE) as u64).await.unwrap();
            let version = async |page: usize| init.load(mapped + (page * PAGE) as u64, 1).await;
            assert_eq!(version(20).await, [1]);
            init.sleep(20_000_000).await.unwrap();
            step.set(1);
            for page in first..first + 7 {
                assert_eq!(version(page).await, [1]);
            }
            step.set(2);
            0
        }
    };
    let mut system = boot_with_file(init);
    run_to(&mut system, &progress, 1, 10_000_000_000);
    let begin_ns = system.cluster.now_ns();
    run_to(&mut system, &progress, 2, 10_000_000_000);
    let took_ns = system.cluster.now_ns() - begin_ns;
    finish(&mut system);
    took_ns
}

#[test]
fn pages_behind_a_mapped_miss_come_with_it() {
    if !possible() {
        return;
    }
    // The card takes more than 400 us for a request.
    let (near_ns, far_ns) = (behind_mapped_page(21), behind_mapped_page(80));
    assert!(near_ns < 400_000 && far_ns > 400_000, "{near_ns} ns behind the page, {far_ns} ns elsewhere");
}

/// Calls between boards of a run in which the other board reads these pages, each by itself.
fn calls_for(pages: &'static [usize]) -> u64 {
    let init = move |init: SimProgram| async move {
        let file = init.open(PATH, Open::Create).await.unwrap();
        for page in 0..PAGES {
            init.write_all(file, &content(page, 1)).await.unwrap();
        }
        init.close(file).await.unwrap();
        let reads = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Read).await.unwrap();
            for &page in pages {
                assert_eq!(program.read_at(file, (page * PAGE) as u64, PAGE).await.unwrap(), content(page, 1));
            }
            program.close(file).await.unwrap();
        };
        elsewhere(&init, reads).await;
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    finished.system.link_stats().iter().map(|stats| stats.calls_sync.get()).sum()
}

#[test]
fn random_reads_bring_no_other_page() {
    if possible() {
        let few = calls_for(&[77]);
        assert_eq!(calls_for(&[77, 9, 101, 50, 3, 66, 120, 31, 90, 15, 71]), few + 10);
    }
}

/// What the writer has written whole of each page, and what it has begun.
type Versions = Rc<RefCell<[(u8, u8); PAGES]>>;

/// The other board reads on and on while this one changes pages that are just being read ahead there.
fn read_while_changed(phase_ns: u64) {
    let versions: Versions = Rc::new(RefCell::new([(1, 1); PAGES]));
    let reader_at = Rc::new(Cell::new(0));
    let init = move |init: SimProgram| {
        let (versions, reader_at) = (versions.clone(), reader_at.clone());
        async move {
            let file = init.open(PATH, Open::Create).await.unwrap();
            for page in 0..PAGES {
                init.write_all(file, &content(page, 1)).await.unwrap();
            }
            let (seen, at) = (versions.clone(), reader_at.clone());
            let reads = move |program: SimProgram| {
                let (seen, at) = (seen.clone(), at.clone());
                async move {
                    let file = program.open(PATH, Open::Read).await.unwrap();
                    for page in (0..PAGES).chain(0..PAGES) {
                        at.set(page);
                        let (written, _) = seen.borrow()[page];
                        let read = program.read_at(file, (page * PAGE) as u64, PAGE).await.unwrap();
                        let (_, begun) = seen.borrow()[page];
                        assert!((written..=begun).contains(&read[0]), "{page}: {} of {written}..={begun}", read[0]);
                    }
                    program.close(file).await.unwrap();
                    at.set(PAGES);
                    0
                }
            };
            let pid = init.fork_on(1, reads).await.unwrap();
            init.sleep(phase_ns).await.unwrap();
            while reader_at.get() < PAGES {
                let page = (reader_at.get() + 2) % PAGES;
                let version = versions.borrow()[page].0.saturating_add(1);
                versions.borrow_mut()[page].1 = version;
                init.write_at(file, (page * PAGE) as u64, &content(page, version)).await.unwrap();
                versions.borrow_mut()[page].0 = version;
                init.sleep(1_700_000).await.unwrap();
            }
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
            0
        }
    };
    run_cluster(ClusterSetup::new(2), init);
}

#[test]
fn page_read_ahead_and_changed_meanwhile_is_not_kept() {
    if possible() {
        (0..8).for_each(|phase| read_while_changed(phase * 230_000));
    }
}
