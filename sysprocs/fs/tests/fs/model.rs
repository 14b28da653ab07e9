//! Random operations, done here and on a directory of the host: same results, same tree.

use crate::support::{
    Counts, FEW, FsResult, Medium512, Scratch, System, USUAL, User, check_image, dump, make_image, tree,
};
use renga_proto::path::{NO_FOLLOW, OPEN_CREATE, OPEN_EXCLUSIVE, OPEN_WRITE};
use renga_rt::Errno;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Marsaglia's xorshift.
struct Random(u64);
impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
    /// Mostly a path that is there, or, if `fresh`, a name in a directory that is.
    fn path(&mut self, root: &Path, fresh: bool) -> String {
        let there = names_below(root);
        let known: Vec<_> = there.iter().filter(|path| !fresh || (path.is_dir() && !path.is_symlink())).collect();
        if known.is_empty() || self.below(5) == 0 {
            return self.any_path();
        }
        let known = known[self.below(known.len() as u64) as usize].strip_prefix(root).unwrap().display().to_string();
        if fresh { format!("{known}/{}", self.any_path()) } else { known }
    }
    /// A path that cannot lead out of the root.
    fn any_path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.below(3).saturating_sub(1) {
            if !path.is_empty() {
                path += self.pick(&["/", "/", "/", "//", "/./"]);
            }
            path += self.pick(&["a", "b", "c", "dd", "a-rather-long-name-that-fills-blocks-of-directories-soon"]);
            if self.below(12) == 0 {
                path += "/..";
                path += "/";
                path += self.pick(&["a", "b"]);
            }
        }
        path + self.pick(&["", "", "", "", "", "", "/", "/."])
    }
}

thread_local! {
    static SUCCEEDED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

fn host<T>(result: std::io::Result<T>) -> FsResult<T> {
    SUCCEEDED.with(|count| count.set(count.get() + u64::from(result.is_ok())));
    result.map_err(|error| Errno(error.raw_os_error().unwrap_or(0) as u16))
}

fn names_below(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut at = 0;
    while at < found.len() {
        if !found[at].is_symlink() && found[at].is_dir() {
            let mut inside: Vec<_> = fs::read_dir(&found[at]).unwrap().map(|entry| entry.unwrap().path()).collect();
            found.append(&mut inside);
        }
        at += 1;
    }
    found.sort();
    found
}

/// One operation on both; panics if they differ.
async fn step(random: &mut Random, user: &mut User, root: &Path, number: u64) {
    let choice = random.below(14);
    let makes = matches!(choice, 0 | 1 | 7 | 9) || (choice == 8 && random.below(3) > 0);
    let again = random.below(3) > 0;
    let (one, two) = (random.path(root, makes), random.path(root, again));
    let (host_one, host_two) =
        (PathBuf::from(format!("{}/{one}", root.display())), format!("{}/{two}", root.display()));
    let what = format!("operation {number}: {choice} {one} {two}");
    match choice {
        0 | 1 => assert_eq!(user.mkdir(&one).await, host(fs::create_dir(&host_one)), "{what}"),
        2 => assert_eq!(user.rmdir(&one).await, host(fs::remove_dir(&host_one)), "{what}"),
        3 => assert_eq!(user.unlink(&one).await, host(fs::remove_file(&host_one)), "{what}"),
        4 => assert_eq!(user.rename(&one, &two).await, host(fs::rename(&host_one, host_two)), "{what}"),
        5 => {
            let flags = [RenameFlags::empty(), RenameFlags::NOREPLACE, RenameFlags::EXCHANGE][random.below(3) as usize];
            let renamed = renameat_with(CWD, &host_one, CWD, host_two, flags).map_err(std::io::Error::from);
            assert_eq!(user.rename_with(&one, &two, flags.bits()).await, host(renamed), "{what} {flags:?}");
        }
        6 => assert_eq!(user.link(&one, &two).await, host(fs::hard_link(&host_one, host_two)), "{what}"),
        7 => {
            let target = random.pick(&[
                "a",
                "b/c",
                "./dd",
                "c/",
                "a-rather-long-name-that-fills-blocks-of-directories-soon/../b",
            ]);
            assert_eq!(user.symlink(target, &one).await, host(std::os::unix::fs::symlink(target, &host_one)), "{what}");
        }
        _ => content_step(random, user, choice, (&one, &host_one), number).await,
    }
}

/// An operation on data or status.
async fn content_step(random: &mut Random, user: &mut User, choice: u64, (one, host_one): (&str, &Path), number: u64) {
    let what = format!("operation {number}: {choice} {one}");
    match choice {
        8 => {
            let data = vec![number as u8; random.below(30_000) as usize];
            let mut written = user.write_file(one, &data).await;
            if written.is_ok() && random.below(2) == 0 {
                written = user.truncate(one, 7000).await;
                host(fs::write(host_one, &data)).unwrap();
                host(fs::OpenOptions::new().write(true).open(host_one).and_then(|f| f.set_len(7000))).unwrap();
            } else {
                assert_eq!(written, host(fs::write(host_one, &data)), "{what}");
            }
            assert_eq!(written.is_ok(), host_one.is_file(), "{what}");
        }
        9 => {
            let opened = user.open(one, OPEN_CREATE | OPEN_EXCLUSIVE | OPEN_WRITE, crate::support::O_WRONLY).await;
            let there = host(fs::OpenOptions::new().write(true).create_new(true).open(host_one).map(|_| ()));
            assert_eq!(opened.map(|_| ()), there, "{what}");
            if let Ok(file) = opened {
                user.close(file).await.unwrap();
            }
        }
        10 => write_in_the_middle(random, user, one, host_one, &what).await,
        11 => {
            let read = user.read_file(one).await;
            assert_eq!(
                read.map(|bytes| crate::support::sum(&bytes)),
                host(fs::read(host_one).map(|bytes| crate::support::sum(&bytes))),
                "{what}"
            );
        }
        12 => {
            let names = host(fs::read_dir(host_one)).map(|entries| {
                let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
                names.sort();
                names
            });
            let listed = user.list(one).await.map(|names| {
                let seen = names.into_iter().map(|(name, _)| name);
                seen.filter(|name| name != "." && name != ".." && name != "lost+found").collect::<Vec<_>>()
            });
            assert_eq!(listed, names, "{what}");
        }
        _ => {
            let seen = user.stat(one, NO_FOLLOW).await.map(|s| (s.mode & 0o170_000, s.size, s.links));
            let there = host(fs::symlink_metadata(host_one)).map(|m| (m.mode() & 0o170_000, m.len(), m.nlink() as u32));
            match (seen, there) {
                // How directories count sizes and links is the file system's affair.
                (Ok(seen), Ok(there)) if seen.0 == 0o040_000 => assert_eq!(seen.0, there.0, "{what}"),
                (seen, there) => assert_eq!(seen, there, "{what}"),
            }
            assert_eq!(
                user.readlink(one).await,
                host(fs::read_link(host_one)).map(|p| p.display().to_string()),
                "{what}"
            );
        }
    }
}

async fn write_in_the_middle(random: &mut Random, user: &mut User, one: &str, host_one: &Path, what: &str) {
    // Far enough for one and two levels of indirect blocks.
    let offset = random.below(3) * random.below(3_000_000);
    let data = vec![b'm'; random.below(4096) as usize + 1];
    let there = host(fs::OpenOptions::new().read(true).write(true).custom_flags(0).open(host_one));
    let opened = user.open(one, OPEN_WRITE, crate::support::O_RDWR).await;
    assert_eq!(opened.map(|_| ()), there.as_ref().map(|_| ()).map_err(|errno| *errno), "{what}");
    let (Ok(file), Ok(there)) = (opened, there) else { return };
    there.write_all_at(&data, offset).unwrap();
    let written = user.file(file).call(renga_proto::file::WriteTo { offset }, &data[..]).await;
    assert_eq!(written, Ok(data.len() as u32), "{what}");
    let cut = random.below(2) * random.below(offset + 9000);
    if cut > 0 {
        there.set_len(cut).unwrap();
        user.file(file).call(renga_proto::file::SetSize { bytes: cut }, ()).await.unwrap();
    }
    let (mut mine, mut theirs) = ([0; 4096], [0; 4096]);
    let from = offset.saturating_sub(2000);
    let count = user.file(file).call(renga_proto::file::ReadFrom { offset: from }, &mut mine[..]).await.unwrap();
    let mut filled = 0;
    while filled < 4096 {
        match there.read_at(&mut theirs[filled..], from + filled as u64).unwrap() {
            0 => break,
            more => filled += more,
        }
    }
    assert_eq!((count as usize, mine), (filled, theirs), "{what}");
    user.close(file).await.unwrap();
}

fn compare_with_host(seed: u64, operations: u64, counts: Counts, medium: &'static str) {
    let scratch = Scratch::new(&format!("model-{seed}"));
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 64, None, &[]);
    let root = scratch.dir("root");
    let system = System::new(&device, medium, counts);
    let host_root = root.clone();
    system.run(move |mut user| async move {
        let mut random = Random(seed);
        for number in 0..operations {
            step(&mut random, &mut user, &host_root, number).await;
            if number % 500 == 499 {
                user.sync().await.unwrap();
            }
        }
    });
    system.unmount();
    let image = check_image(&scratch, &device.bytes.borrow(), "-fn");
    let dumped = scratch.dir("dumped");
    dump(&image, &dumped);
    assert_eq!(tree(&dumped), tree(&root));
    // Else the test would try little.
    let succeeded = SUCCEEDED.with(|count| count.replace(0));
    eprintln!("{succeeded} of {operations} operations succeeded; {} names are left", tree(&root).len());
    assert!(succeeded * 4 > operations, "{succeeded} of {operations} succeeded");
}

#[test]
fn model_random_operations_match_host() {
    let more: u64 = std::env::var("RENGA_FS_SEEDS").map_or(3, |seeds| seeds.parse().unwrap());
    for seed in 1..=more {
        compare_with_host(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed), 2000, USUAL, "none");
    }
}

#[test]
fn model_random_operations_with_few_processes_match_host() {
    compare_with_host(77, 2000, FEW, "none");
    compare_with_host(78, 300, FEW, "sd");
}
