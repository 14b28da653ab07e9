//! Files are cut in pieces: only its caller waits for a large truncation, and a power cut in the middle leaves the
//! beginning of the former file.

use crate::support::{Counts, Medium512, O_APPEND, O_WRONLY, Random, Scratch, System, USUAL, check_image, make_image};
use renga_proto::file::{Write, WriteTo};
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE};
use renga_rt::Errno;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A file whose blocks go back in seven pieces.
const PIECES: usize = 7;
const LARGE_BYTES: usize = (PIECES - 1) * (4 << 20);
const MEGABYTES: u32 = 64;

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 4096) as u8 ^ (at / 4096 / 256) as u8 ^ at as u8).collect()
}

fn empty(scratch: &Scratch) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, MEGABYTES, None, &[]);
    device
}

fn with_frames(counts: Counts, frames: u32) -> Counts {
    Counts { frames, ..counts }
}

/// What went on while a file was cut by `cut`, which ends it.
fn beside(how: &str, by_open: bool) {
    let scratch = Scratch::new(how);
    let device = empty(&scratch);
    let system = System::new(&device, "none", with_frames(USUAL, 8192));
    system.run(|mut user| async move {
        user.write_file("/large", &content(LARGE_BYTES)).await.unwrap();
        user.write_file("/small", b"text").await.unwrap();
        user.sync().await.unwrap();
    });
    let (under_way, over) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let (stats, syncs) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (begins, ends) = (under_way.clone(), over.clone());
    let cuts = system.client(move |mut user| async move {
        begins.set(true);
        if by_open {
            let file = user.open("/large", OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE, O_WRONLY).await.unwrap();
            user.close(file).await.unwrap();
        } else {
            user.truncate("/large", 0).await.unwrap();
        }
        ends.set(true);
    });
    let (ends, count) = (over.clone(), stats.clone());
    let readers = system.client(move |mut user| async move {
        while !ends.get() {
            let size = user.stat("/large", 0).await.unwrap().size;
            assert!(size == 0 || size == LARGE_BYTES as u64, "a size that was never set: {size}");
            count.set(count.get() + u32::from(size == 0 && !ends.get()));
        }
    });
    let (ends, count) = (over.clone(), syncs.clone());
    let changes = system.client(move |mut user| async move {
        for round in 0.. {
            if ends.get() {
                break;
            }
            user.write_file(&format!("/new{}", round % 8), b"new").await.unwrap();
            user.sync().await.unwrap();
            count.set(count.get() + u32::from(under_way.get() && !ends.get()));
        }
    });
    system.board.run_through_alarms();
    assert!(cuts.get() && readers.get() && changes.get());
    assert!(stats.get() >= PIECES as u32 - 1, "{how}: {} times its size was reported meanwhile", stats.get());
    assert!(syncs.get() >= 2, "{how}: {} commits meanwhile", syncs.get());
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn truncate_blocks_only_its_caller() {
    beside("truncate", false);
    beside("open", true);
}

#[test]
fn truncate_frees_tail_and_keeps_head() {
    let scratch = Scratch::new("left");
    let device = empty(&scratch);
    let system = System::new(&device, "none", with_frames(USUAL, 8192));
    system.run(|mut user| async move {
        let whole = content(LARGE_BYTES);
        for bytes in [LARGE_BYTES - 1, 3 * (4 << 20) + 48 * 1024 + 5, 49_152, 49_000, 5, 0] {
            user.write_file("/file", &whole).await.unwrap();
            user.truncate("/file", bytes as u64).await.unwrap();
            assert!(user.read_file("/file").await == Ok(whole[..bytes].to_vec()), "cut to {bytes}");
            let blocks = bytes.div_ceil(4096);
            let sectors = user.stat("/file", 0).await.unwrap().sectors as usize / 8;
            assert!((blocks..=blocks + 8).contains(&sectors), "{sectors} blocks for {bytes} bytes");
            // Bytes behind the end are zero when it is extended.
            user.truncate("/file", bytes as u64 + 9000).await.unwrap();
            let longer = [&whole[..bytes], &[0; 9000]].concat();
            assert!(user.read_file("/file").await == Ok(longer), "extended from {bytes}");
        }
        // With holes as large as can be: no more pieces than there are blocks.
        user.write_file("/holes", b"begins").await.unwrap();
        for end in [5 << 20, 9 << 30, 2_000 << 30] {
            user.truncate("/holes", end).await.unwrap();
            let file = user.open("/holes", OPEN_WRITE, O_WRONLY | 0o2000).await.unwrap();
            user.write_all(file, b"ends").await.unwrap();
            user.close(file).await.unwrap();
        }
        user.truncate("/holes", 6).await.unwrap();
        assert_eq!(user.read_file("/holes").await, Ok(b"begins".to_vec()));
        assert_eq!(user.stat("/holes", 0).await.unwrap().sectors, 8);
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

/// Cuts `/large` to `to` bytes, beside one commit after the other, until that is done or the medium refuses.
fn cut_beside_commits(system: System, to: u64) {
    let over = Rc::new(Cell::new(false));
    let ends = over.clone();
    let cut = system.client(move |mut user| async move {
        let _ = user.truncate("/large", to).await;
        let _ = user.sync().await;
        ends.set(true);
    });
    let syncs = system.client(move |mut user| async move {
        while !over.get() {
            let _ = user.mkdir("/new").await;
            let _ = user.sync().await;
            let _ = user.rmdir("/new").await;
        }
    });
    system.board.run_through_alarms();
    assert!(cut.get() && syncs.get());
}

/// The power goes at any write beside a large truncation, with one commit after the other.
#[test]
fn truncate_power_cut_leaves_prefix() {
    let scratch = Scratch::new("power");
    let whole = Rc::new(content(LARGE_BYTES));
    let device = empty(&scratch);
    let counts = with_frames(USUAL, 8192);
    let before = System::new(&device, "none", counts);
    let data = whole.clone();
    before.run(move |mut user| async move { user.write_file("/large", &data).await.unwrap() });
    before.unmount();
    let made = device.bytes.borrow().clone();
    let lengths = Rc::new(RefCell::new(vec![]));
    for (number, to) in [0, 70_001].into_iter().cycle().take(24).enumerate() {
        *device.bytes.borrow_mut() = made.clone();
        device.cut_after(number as u64 * 2, Random::new(number as u64));
        cut_beside_commits(System::new(&device, "none", counts), to);
        device.restore();
        // Our own kernel takes the journal in; e2fsck finds nothing to do then.
        let after = System::new(&device, "none", counts);
        let (whole, results) = (whole.clone(), lengths.clone());
        after.run(move |mut user| async move {
            let left = user.read_file("/large").await.unwrap();
            assert!(left.len() as u64 >= to && left.len() <= whole.len(), "{} bytes", left.len());
            // But for what is behind the new end in its block, which is made zero before the commit that brings the
            // end.
            let (end, rest) = (to as usize, (to as usize).next_multiple_of(4096).min(left.len()));
            let alike = left[..end] == whole[..end] && left[rest..] == whole[rest..left.len()];
            let tail = (end..rest).all(|at| left[at] == whole[at] || left[at] == 0);
            assert!(alike && tail, "not the beginning of the former file: {} bytes", left.len());
            results.borrow_mut().push((to, left.len()));
            assert_eq!(user.stat("/nothing", 0).await.err(), Some(Errno::ENOENT));
        });
        after.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
    let lengths = lengths.borrow();
    eprintln!("{lengths:?}");
    assert!(lengths.iter().any(|(_, left)| *left == LARGE_BYTES), "{lengths:?}");
    assert!(lengths.iter().any(|(to, left)| *left as u64 > *to && *left < LARGE_BYTES), "in between: {lengths:?}");
    assert!(lengths.iter().any(|(to, left)| *left as u64 == *to), "{lengths:?}");
}

/// Files whose blocks alternate on the medium, so that each goes back by itself: a piece takes many steps, and others
/// go on between those.
/// Holds: truncate-pieces.
#[test]
fn truncate_commit_between_pieces_is_atomic() {
    const BLOCKS: u64 = 2 * 1024 + 300;
    let scratch = Scratch::new("middle");
    let device = empty(&scratch);
    let counts = with_frames(USUAL, 8192);
    let before = System::new(&device, "none", counts);
    before.run(|mut user| async move {
        let flags = OPEN_CREATE | OPEN_WRITE;
        let files = [user.open("/large", flags, O_WRONLY).await, user.open("/other", flags, O_WRONLY).await];
        for _ in 0..BLOCKS {
            for file in &files {
                user.write_all(file.unwrap(), &[1; 4096]).await.unwrap();
            }
        }
    });
    before.unmount();
    let made = device.bytes.borrow().clone();
    for number in 0..12 {
        *device.bytes.borrow_mut() = made.clone();
        device.cut_after(2 + number * 3, Random::new(number));
        cut_beside_commits(System::new(&device, "none", counts), 4096);
        device.restore();
        let after = System::new(&device, "none", counts);
        after.run(|mut user| async move {
            let left = user.stat("/large", 0).await.unwrap();
            let blocks = left.size / 4096;
            assert!((blocks..=blocks + 5).contains(&(left.sectors / 8)), "{left:?}");
            assert!(user.read_file("/large").await.unwrap().iter().all(|byte| *byte == 1));
        });
        after.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
}

/// The first blocks that are found through one, two and three indirect blocks.
const LEVELS: [u64; 3] = [12, 12 + 1024, 12 + 1024 + 1024 * 1024];

/// Blocks far apart in a file, each with an indirect block of its own.
/// Holds: truncate-pieces.
#[test]
fn truncate_pieces_are_bounded() {
    const APART: u64 = 6;
    for base in &LEVELS[1..] {
        let scratch = Scratch::new("levels");
        let device = empty(&scratch);
        let system = System::new(&device, "none", USUAL);
        let base = *base;
        system.run(move |mut user| async move {
            let file = user.open("/far", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
            for number in 0..APART {
                let offset = (base + number * 1024) * 4096;
                user.file(file).call(WriteTo { offset }, &[1; 4096][..]).await.unwrap();
            }
            user.close(file).await.unwrap();
        });
        let (over, seen) = (Rc::new(Cell::new(false)), Rc::new(RefCell::new(vec![])));
        let (ends, sizes) = (over.clone(), seen.clone());
        let cuts = system.client(move |mut user| async move {
            user.truncate("/far", 0).await.unwrap();
            ends.set(true);
        });
        let readers = system.client(move |mut user| async move {
            while !over.get() {
                let blocks = user.stat_there("/far", 0).await.unwrap().sectors / 8;
                sizes.borrow_mut().push(blocks);
            }
        });
        system.board.run_through_alarms();
        assert!(cuts.get() && readers.get());
        seen.borrow_mut().dedup();
        let seen = seen.borrow();
        // A block and the indirect block that leads to it, and with the last all above.
        assert!(seen.len() as u64 >= APART, "from {base} on: {seen:?}");
        assert!(seen.windows(2).all(|both| both[0] - both[1] <= 5), "from {base} on: {seen:?}");
        system.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
}

/// A call that would change a file under truncation waits until that is over.
#[test]
fn truncate_under_way_delays_other_changes() {
    let scratch = Scratch::new("beside-cut");
    let device = empty(&scratch);
    for change in 0..3 {
        let system = System::new(&device, "none", with_frames(USUAL, 8192));
        system.run(|mut user| async move {
            user.write_file("/large", &content(LARGE_BYTES)).await.unwrap();
        });
        let over = Rc::new(Cell::new(false));
        let (ends, meanwhile) = (over.clone(), Rc::new(Cell::new(false)));
        let began = meanwhile.clone();
        let cuts = system.client(move |mut user| async move {
            user.truncate("/large", 5).await.unwrap();
            ends.set(true);
        });
        let changes = system.client(move |mut user| async move {
            let appends = if change == 1 { O_APPEND } else { 0 };
            let file = user.open("/large", OPEN_WRITE, O_WRONLY | appends).await.unwrap();
            while user.stat("/large", 0).await.unwrap().size != 5 {}
            began.set(!over.get());
            match change {
                0 => user.file(file).call(WriteTo { offset: 100 }, &b"text"[..]).await.unwrap(),
                1 => user.file(file).call(Write {}, &b"text"[..]).await.unwrap(),
                _ => user.truncate("/large", 70_000).await.map(|()| 0).unwrap(),
            };
            assert!(over.get(), "change {change} came before the cut was over");
            user.close(file).await.unwrap();
        });
        system.board.run_through_alarms();
        assert!(cuts.get() && changes.get() && meanwhile.get(), "change {change}");
        system.run(move |mut user| async move {
            let begins = &content(5)[..];
            let expected = match change {
                0 => [begins, &[0; 95], b"text"].concat(),
                1 => [begins, b"text"].concat(),
                _ => [begins, &[0; 69_995]].concat(),
            };
            assert!(user.read_file("/large").await == Ok(expected), "change {change}");
        });
        system.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
}
