//! Cuts the power at any write, or in the middle of one: what was synced before is there afterwards,
//! for `e2fsck -p` as for the next mount, and the file system goes on working.

use crate::support::{Counts, Medium512, O_WRONLY, Random, Scratch, System, User, check_image, make_image, sum};
use renga_proto::file::SyncFile;
use renga_proto::path::RENAME_EXCHANGE;
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a name must stand for: the sum of its data, or anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Must {
    Contain(u64),
    BeGone,
    Anything,
}
/// What each name must stand for after a cut.
type Promises = Rc<RefCell<BTreeMap<String, Must>>>;

/// Operations until the power goes at the latest.
const ROUNDS: u64 = 150;
/// Seeds that once failed, and how.
const KEPT: &[u64] = &[];

fn system(device: &Medium512) -> System {
    System::new(device, "none", Counts { buffers: 40, inodes: 12, paths: 2, files: 8, frames: 256 })
}

/// Random work on files of a few directories, until the power goes.
async fn work(mut user: User, mut random: Random, promises: Promises, power: Medium512) {
    for round in 0..ROUNDS {
        if power.is_cut() {
            return;
        }
        let (directory, number) = (random.below(4), random.below(12));
        let name = format!("/d{directory}/f{number}");
        let other = format!("/d{}/f{}", random.below(4), random.below(12));
        let touch = |name: &str| promises.borrow_mut().insert(name.into(), Must::Anything);
        let _ = user.mkdir(&format!("/d{directory}")).await;
        touch(&name);
        match random.below(8) {
            0 => drop(user.unlink(&name).await),
            1 => {
                touch(&other);
                let _ = user.rename_with(&name, &other, [0, RENAME_EXCHANGE][random.below(2) as usize]).await;
            }
            2 => {
                touch(&other);
                let _ = user.link(&name, &other).await;
                // Changed through the one name, it changes under the other.
                let _ = user.unlink(&name).await;
            }
            3 => drop(user.truncate(&name, random.below(60_000)).await),
            4 => {
                // Whole directories change their places.
                let (from, to) = (format!("/d{directory}/sub"), format!("/d{}/sub", random.below(4)));
                let _ = user.mkdir(&from).await;
                let _ = user.rename_with(&from, &to, [0, RENAME_EXCHANGE][random.below(2) as usize]).await;
                let _ = user.rmdir(&to).await;
            }
            5 => {
                if user.sync().await == Ok(())
                    && let gone = format!("/d{directory}/none{round}")
                    && user.write_file(&gone, b"x").await == Ok(())
                    && user.unlink(&gone).await == Ok(())
                    && user.sync().await == Ok(())
                {
                    promises.borrow_mut().insert(gone, Must::BeGone);
                }
            }
            _ => write(&mut user, &mut random, &name, round, &promises).await,
        }
    }
}

async fn write(user: &mut User, random: &mut Random, name: &str, round: u64, promises: &Promises) {
    let data = vec![round as u8; 1 + random.below(90_000) as usize];
    // A file with two names would change under the other one too.
    let _ = user.unlink(name).await;
    let Ok(file) = user.open(name, OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE, O_WRONLY).await else { return };
    let written = user.write_all(file, &data).await;
    let synced = random.below(2) == 0 && user.file(file).call(SyncFile {}, ()).await == Ok(());
    if written == Ok(()) && synced {
        promises.borrow_mut().insert(name.into(), Must::Contain(sum(&data)));
    }
    let _ = user.close(file).await;
}

fn keeps(promises: &Promises, read: impl Fn(&str) -> Option<u64>, what: &str) {
    for (name, must) in promises.borrow().iter() {
        let there = read(name);
        match must {
            Must::Contain(sum) => assert_eq!(there, Some(*sum), "{what}: {name}"),
            Must::BeGone => assert_eq!(there, None, "{what}: {name}"),
            Must::Anything => {}
        }
    }
}

/// What our own kernel reads.
fn read_all(system: System, promises: &Promises, what: &'static str) {
    let promises = promises.clone();
    system.run(move |mut user| async move {
        let names: Vec<String> = promises.borrow().keys().cloned().collect();
        let mut there = BTreeMap::new();
        for name in names {
            let read = user.read_file(&name).await;
            there.insert(name, read.ok().map(|bytes| sum(&bytes)));
        }
        keeps(&promises, |name| there[name], what);
    });
}

/// `e2fsck -p` repairs a copy, and what has to be there is.
fn check_promises(scratch: &Scratch, bytes: &[u8], promises: &Promises) {
    let image = scratch.0.join("cut.img");
    std::fs::write(&image, bytes).unwrap();
    let output = crate::support::tool("e2fsck").arg("-p").arg(&image).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code().is_some_and(|code| code <= 1), "e2fsck -p refuses:\n{text}");
    check_image(scratch, &std::fs::read(&image).unwrap(), "-fn");
    let out = scratch.dir("dumped");
    crate::support::dump(&image, &out);
    keeps(promises, |name| std::fs::read(out.join(&name[1..])).ok().map(|bytes| sum(&bytes)), "e2fsck");
    std::fs::remove_dir_all(out).unwrap();
}

/// Cuts at random moments of `seed`; returns how many names had to be there.
fn cut(seed: u64, scratch: &Scratch, made: &[u8]) -> usize {
    let mut random = Random::new(seed);
    let device = Medium512::default();
    *device.bytes.borrow_mut() = made.to_vec();
    let promises = Promises::default();
    // The second cut comes soon after boot: maybe while the journal is read.
    for writes in [random.below(1500), random.below(60)] {
        device.cut_after(writes, random.fork());
        let (power, kept, moments) = (device.clone(), promises.clone(), random.fork());
        system(&device).run(|user| work(user, moments, kept, power));
        device.restore();
        check_promises(scratch, &device.bytes.borrow(), &promises);
    }
    let after = system(&device);
    read_all(after, &promises, "the next mount");
    let (power, kept, moments) = (device.clone(), promises.clone(), random.fork());
    after.run(|user| work(user, moments, kept, power));
    read_all(after, &promises, "in the end");
    after.unmount();
    check_image(scratch, &device.bytes.borrow(), "-fn");
    let must = |must: &&Must| **must != Must::Anything;
    promises.borrow().values().filter(must).count()
}

/// Holds: commit-atomic.
#[test]
fn power_cut_every_point_is_repaired() {
    let scratch = Scratch::new("cut");
    let made = make_image(&scratch, 16, None, &[]);
    let (first, count) = std::env::var("RENGA_FS_CUTS").map_or((1, 16), |range| {
        let (first, count) = range.split_once(',').expect("RENGA_FS_CUTS=FIRST,COUNT");
        (first.parse().unwrap(), count.parse().unwrap())
    });
    let mut promised = 0;
    for seed in KEPT.iter().copied().chain(first..first + count) {
        eprintln!("seed {seed}");
        promised += cut(seed, &scratch, &made);
    }
    eprintln!("{count} seeds, each cut twice; {promised} names had to be there");
    assert!(promised as u64 > count, "too little was promised");
}
