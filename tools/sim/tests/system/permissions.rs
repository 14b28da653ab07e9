//! What another user than root may do to files: the same on both boards, whatever a board has cached, and as on Linux.

use crate::machine::{elsewhere, possible, run_cluster};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{AT_FDCWD, Attributes, Open, SimProgram, numbers};

const USER: u64 = 1000;
/// The user's group, another one that it is in, and one that it is not in.
const GROUP: u64 = 51;
const OTHER: u64 = 50;
const FOREIGN: u64 = 60;

async fn become_user(program: &SimProgram) {
    let groups = program.data();
    program.store(groups, &(OTHER as u32).to_le_bytes()).await;
    program.call(159, &[1, groups]).await.unwrap();
    program.call(149, &[GROUP; 3]).await.unwrap();
    program.call(147, &[USER; 3]).await.unwrap();
}

async fn make_directory(init: &SimProgram, path: &str, mode: u16, owner: (u32, u32)) {
    init.make_directory(path).await.unwrap();
    init.change_owner(path, owner).await.unwrap();
    init.change_mode(path, mode).await.unwrap();
}

async fn make_file(init: &SimProgram, path: &str, mode: u16, owner: (u32, u32)) {
    init.make_file(path, 0).await.unwrap();
    init.change_owner(path, owner).await.unwrap();
    init.change_mode(path, mode).await.unwrap();
}

/// What root makes before; each board has its own, as its programs change it.
async fn make_tree(init: &SimProgram, top: &str) {
    let (user, group, other) = (USER as u32, GROUP as u32, OTHER as u32);
    for (path, mode, owner) in [
        ("", 0o755, (0, 0)),
        ("/closed", 0o700, (0, 0)),
        ("/free", 0o777, (0, 0)),
        ("/sticky", 0o1777, (0, 0)),
        ("/mine", 0o700, (user, group)),
        ("/given", 0o2777, (0, FOREIGN as u32)),
        ("/closed/in", 0o777, (0, 0)),
        ("/free/dir", 0o755, (0, 0)),
    ] {
        make_directory(init, &format!("{top}{path}"), mode, owner).await;
    }
    for (path, mode, owner) in [
        ("/closed/f", 0o666, (0, 0)),
        ("/read", 0o644, (0, 0)),
        ("/secret", 0o600, (0, 0)),
        ("/other", 0o040, (0, other)),
        ("/group", 0o060, (0, group)),
        ("/sticky/root", 0o666, (0, 0)),
        ("/sticky/user", 0o600, (user, group)),
        ("/free/root", 0o600, (0, 0)),
        ("/free/written", 0o6777, (0, 0)),
        ("/free/cut", 0o6777, (0, 0)),
        ("/mine/f", 0o600, (user, group)),
        ("/mine/run", 0o711, (0, 0)),
        ("/mine/later", 0o600, (user, 0)),
    ] {
        make_file(init, &format!("{top}{path}"), mode, owner).await;
    }
    init.make_link("../closed/f", &format!("{top}/free/link")).await.unwrap();
    init.make_link(&format!("{top}/mine"), &format!("{top}/free/home")).await.unwrap();
}

/// What the user does, one after the other.
#[derive(Clone, Copy)]
enum Deed {
    Open(&'static str, u64),
    Access(&'static str, u64),
    Status(&'static str),
    Enter(&'static str),
    MakeDirectory(&'static str),
    MakeDevice(&'static str),
    MakeLink(&'static str),
    Unlink(&'static str),
    RemoveDirectory(&'static str),
    Rename(&'static str, &'static str),
    Link(&'static str, &'static str),
    Mode(&'static str, u16),
    Owner(&'static str, u32, u32),
    Now(&'static str),
    Then(&'static str),
    Cut(&'static str),
}

async fn attempt(program: &SimProgram, top: &str, deed: Deed) -> Result<(), Errno> {
    let at = |path: &str| format!("{top}{path}");
    let text = |path: &str| [at(path).as_bytes(), b"\0"].concat();
    let data = program.data();
    match deed {
        Deed::Open(path, flags) => {
            program.store(data, &text(path)).await;
            let file = program.call(numbers::OPENAT, &[AT_FDCWD, data, flags, 0o640]).await?;
            program.close(file).await
        }
        Deed::Access(path, mode) => {
            program.store(data, &text(path)).await;
            program.call(48, &[AT_FDCWD, data, mode]).await.map(drop)
        }
        Deed::Cut(path) => {
            program.store(data, &text(path)).await;
            program.call(45, &[data, 0]).await.map(drop)
        }
        Deed::Now(path) => {
            program.store(data, &text(path)).await;
            program.call(numbers::UTIMENSAT, &[AT_FDCWD, data, 0, 0]).await.map(drop)
        }
        Deed::Then(path) => program.change_times(&at(path), (1, 2)).await,
        Deed::Status(path) => program.attributes(&at(path)).await.map(drop),
        Deed::Enter(path) => program.change_directory(&at(path)).await,
        Deed::MakeDirectory(path) => program.make_directory(&at(path)).await,
        Deed::MakeDevice(path) => program.make_device(&at(path), 1, 3).await,
        Deed::MakeLink(path) => program.make_link("anywhere", &at(path)).await,
        Deed::Unlink(path) => program.unlink(&at(path)).await,
        Deed::RemoveDirectory(path) => program.remove_directory(&at(path)).await,
        Deed::Rename(from, to) => program.rename(&at(from), &at(to)).await,
        Deed::Link(from, to) => program.link(&at(from), &at(to)).await,
        Deed::Mode(path, mode) => program.change_mode(&at(path), mode).await,
        Deed::Owner(path, uid, gid) => program.change_owner(&at(path), (uid, gid)).await,
    }
}

const READ: u64 = 0;
const WRITE: u64 = 1;
const CREATE: u64 = 0o102;
const EXCLUSIVE: u64 = 0o302;
const TRUNCATE: u64 = 0o1001;
const NO_ACCESS_TIME: u64 = 0o1_000_000;
const PATH_ONLY: u64 = 0o10_000_000;
const KEEP: u32 = u32::MAX;

const fn refused(errno: Errno) -> Result<(), Errno> {
    Err(errno)
}
const OK: Result<(), Errno> = Ok(());
const ACCES: Result<(), Errno> = refused(Errno::EACCES);
const PERM: Result<(), Errno> = refused(Errno::EPERM);
const EXIST: Result<(), Errno> = refused(Errno::EEXIST);
const NOENT: Result<(), Errno> = refused(Errno::ENOENT);

#[rustfmt::skip]
const DEEDS: &[(Deed, Result<(), Errno>)] = &[
    (Deed::Open("/read", READ), OK),
    (Deed::Open("/read", WRITE), ACCES),
    (Deed::Open("/read", TRUNCATE), ACCES),
    (Deed::Open("/read", CREATE), ACCES),
    (Deed::Open("/read", EXCLUSIVE), EXIST),
    (Deed::Open("/read", NO_ACCESS_TIME), PERM),
    (Deed::Open("/secret", READ), ACCES),
    (Deed::Open("/secret", PATH_ONLY), OK),
    (Deed::Open("/other", READ), OK),
    (Deed::Open("/other", WRITE), ACCES),
    (Deed::Open("/group", 2), OK),
    (Deed::Open("/missing", READ), NOENT),
    (Deed::Open("/missing", CREATE), ACCES),
    (Deed::Open("/closed/f", READ), ACCES),
    (Deed::Open("/closed/missing", READ), ACCES),
    (Deed::Open("/closed", READ), ACCES),
    (Deed::Open("/free/link", READ), ACCES),
    (Deed::Open("/free/home/f", READ), OK),
    (Deed::Open("/free/dir/../../secret", READ), ACCES),
    (Deed::Open("/free/dir/../../read", READ), OK),
    (Deed::Open("/free/new", CREATE), OK),
    (Deed::Open("/free/new", WRITE), OK),
    (Deed::Open("/given/new", EXCLUSIVE), OK),
    (Deed::Open("/mine/f", TRUNCATE), OK),
    (Deed::Open("/mine/f", NO_ACCESS_TIME), OK),
    (Deed::Open("/free/dir", WRITE), refused(Errno::EISDIR)),
    (Deed::Open("/free/dir", CREATE), refused(Errno::EISDIR)),
    (Deed::Open("/read/x", READ), refused(Errno::ENOTDIR)),
    (Deed::Access("/secret", 0), OK),
    (Deed::Access("/secret", 4), ACCES),
    (Deed::Access("/read", 4), OK),
    (Deed::Access("/read", 2), ACCES),
    (Deed::Access("/mine/run", 1), OK),
    (Deed::Access("/closed/f", 0), ACCES),
    (Deed::Status("/secret"), OK),
    (Deed::Status("/closed/f"), ACCES),
    (Deed::Status("/closed/in/x"), ACCES),
    (Deed::Status("/free/link"), ACCES),
    (Deed::Enter("/closed"), ACCES),
    (Deed::Enter("/secret"), refused(Errno::ENOTDIR)),
    (Deed::Enter("/free/dir"), OK),
    (Deed::MakeDirectory("/free/made"), OK),
    (Deed::MakeDirectory("/given/made"), OK),
    (Deed::MakeDirectory("/free/dir"), EXIST),
    (Deed::MakeDirectory("/free/dir/in"), ACCES),
    (Deed::MakeDirectory("/closed/in/x"), ACCES),
    (Deed::MakeDevice("/free/device"), PERM),
    (Deed::MakeDevice("/device"), ACCES),
    (Deed::MakeLink("/free/made/link"), OK),
    (Deed::MakeLink("/made"), ACCES),
    (Deed::Unlink("/read"), ACCES),
    (Deed::Unlink("/missing"), NOENT),
    (Deed::Unlink("/sticky/root"), PERM),
    (Deed::Unlink("/free/root"), OK),
    (Deed::RemoveDirectory("/free/dir"), OK),
    (Deed::RemoveDirectory("/closed/in"), ACCES),
    (Deed::Rename("/sticky/root", "/free/taken"), PERM),
    (Deed::Rename("/mine/f", "/sticky/root"), PERM),
    (Deed::Rename("/mine/f", "/f"), ACCES),
    (Deed::Rename("/missing", "/f"), NOENT),
    (Deed::Rename("/mine/f", "/free/home/g"), OK),
    (Deed::Rename("/sticky/user", "/sticky/user2"), OK),
    (Deed::Unlink("/sticky/user2"), OK),
    (Deed::Link("/mine/g", "/free/g"), OK),
    (Deed::Link("/mine/g", "/g"), ACCES),
    (Deed::Link("/mine/g", "/read"), EXIST),
    (Deed::Mode("/read", 0o777), PERM),
    (Deed::Mode("/closed/f", 0o777), ACCES),
    (Deed::Mode("/mine/g", 0o6755), OK),
    (Deed::Mode("/mine/later", 0o2755), OK),
    (Deed::Owner("/mine/g", KEEP, OTHER as u32), OK),
    (Deed::Owner("/mine/g", KEEP, FOREIGN as u32), PERM),
    (Deed::Owner("/mine/g", 0, KEEP), PERM),
    (Deed::Owner("/read", KEEP, GROUP as u32), PERM),
    (Deed::Now("/group"), OK),
    (Deed::Now("/read"), ACCES),
    (Deed::Then("/group"), PERM),
    (Deed::Then("/mine/g"), OK),
    (Deed::Cut("/group"), OK),
    (Deed::Cut("/read"), ACCES),
    (Deed::Open("/free/cut", TRUNCATE), OK),
    (Deed::Cut("/free/made"), refused(Errno::EISDIR)),
];

/// Modes and owners of what the deeds leave.
const LEFT: &[(&str, u16, (u32, u32))] = &[
    ("/free/new", 0o640, (USER as u32, GROUP as u32)),
    ("/given/new", 0o640, (USER as u32, FOREIGN as u32)),
    ("/free/made", 0o755, (USER as u32, GROUP as u32)),
    ("/given/made", 0o2755, (USER as u32, FOREIGN as u32)),
    ("/mine/g", 0o755, (USER as u32, OTHER as u32)),
    ("/mine/later", 0o755, (USER as u32, 0)),
    ("/read", 0o644, (0, 0)),
    // Who writes a program does not make it run as its owner.
    ("/free/written", 0o777, (0, 0)),
    ("/free/cut", 0o777, (0, 0)),
];

async fn do_all(program: SimProgram, top: &'static str) {
    become_user(&program).await;
    for (number, &(deed, wanted)) in DEEDS.iter().enumerate() {
        assert_eq!(attempt(&program, top, deed).await, wanted, "{top}: deed {number}");
    }
    let file = program.open(&format!("{top}/free/written"), Open::Change).await.unwrap();
    program.write_all(file, b"text").await.unwrap();
    program.close(file).await.unwrap();
}

/// Holds: users.
#[test]
fn permission_bits_hold_on_both_boards() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        for top in ["/on-a", "/on-b"] {
            make_tree(&init, top).await;
        }
        init.fork(|child| async move {
            do_all(child, "/on-a").await;
            0
        })
        .await
        .unwrap();
        assert_eq!(init.wait(u64::MAX).await.unwrap().1, 0);
        elsewhere(&init, |program| async move {
            // It knows all of it before.
            assert!(
                program.attributes("/on-b/secret").await.is_ok() && program.attributes("/on-b/closed/f").await.is_ok()
            );
            do_all(program, "/on-b").await;
        })
        .await;
        for top in ["/on-a", "/on-b"] {
            for &(path, mode, owner) in LEFT {
                let Attributes { mode: found, owner: whose, .. } =
                    init.attributes(&format!("{top}{path}")).await.unwrap();
                assert_eq!((found, whose), (mode, owner), "{top}{path}");
            }
            // They lead nowhere on the host that checks the disk.
            for link in ["/free/made/link", "/free/home", "/free/link"] {
                init.unlink(&format!("{top}{link}")).await.unwrap();
            }
        }
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}

/// Root on one board closes and opens a directory and a file; what the user on the other has cached does not count.
#[test]
fn permission_changes_reach_cached_names_elsewhere() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        make_directory(&init, "/dir", 0o755, (0, 0)).await;
        make_file(&init, "/dir/file", 0o644, (0, 0)).await;
        let (to_user, from_init) = init.pipe().await.unwrap();
        let (to_init, from_user) = init.pipe().await.unwrap();
        let there = move |program: SimProgram| async move {
            become_user(&program).await;
            for wanted in [OK, ACCES, OK, ACCES, OK] {
                assert_eq!(program.read(to_user, 1).await.unwrap().len(), 1);
                for _ in 0..2 {
                    let opened = program.open("/dir/file", Open::Read).await;
                    assert_eq!(opened.map(|_| ()), wanted);
                }
                program.write(from_user, b"x").await.unwrap();
            }
            0
        };
        init.fork_on(1, there).await.unwrap();
        for (path, mode) in
            [("/dir", 0o755), ("/dir", 0o700), ("/dir", 0o711), ("/dir/file", 0o600), ("/dir/file", 0o644)]
        {
            init.change_mode(path, mode).await.unwrap();
            init.write(from_init, b"x").await.unwrap();
            assert_eq!(init.read(to_init, 1).await.unwrap().len(), 1);
        }
        assert_eq!(init.wait(u64::MAX).await.unwrap().1, 0);
        0
    };
    assert_eq!(run_cluster(ClusterSetup::new(2), init).status, 0);
}
