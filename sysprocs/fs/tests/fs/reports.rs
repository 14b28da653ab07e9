//! Changes are reported to those who watch files, and only then.
use crate::support::events::{Report, take_reports};
use crate::support::{Medium512, O_RDWR, O_WRONLY, Scratch, System, USUAL, User, make_image};
use renga_proto::file;
use renga_proto::inode::{SetAccess, SetTimes, TIME_KEEP, TIME_NOW};
use renga_proto::notices::{
    ACCESSED, ATTRIBUTES, CLOSED_READ, CLOSED_WRITTEN, CREATED, DELETED, DELETED_SELF, MODIFIED, MOVED_FROM,
    MOVED_SELF, MOVED_TO, OF_DIRECTORY, OPENED,
};
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE};

impl User {
    async fn ino(&mut self, path: &str) -> u32 {
        let facts = self.open_facts(path, 0, 0).await.unwrap();
        self.directory.call(renga_proto::inode::Release { slot: facts.slot, ino: facts.ino }, ()).await.unwrap();
        facts.ino
    }
}

fn system() -> System {
    let scratch = Scratch::new("reports");
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    System::new(&device, "none", USUAL)
}

fn report(ino: u32, parent: u32, change: u32, name: &str) -> Report {
    (ino, parent, change, 0, name.into())
}

#[test]
fn changes_in_watched_directory_are_reported_in_order() {
    let system = system();
    let watched = system.servers.watched;
    system.run(move |mut user| async move {
        user.mkdir("d").await.unwrap();
        user.write_file("d/before", b"1").await.unwrap();
        let (d, before) = (user.ino("d").await, user.ino("d/before").await);
        assert_eq!(take_reports(), [], "nobody watches");
        watched.inodes.set([d].into_iter());
        let file = user.open("d/f", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        user.write_all(file, b"two").await.unwrap();
        user.close(file).await.unwrap();
        let f = user.ino("d/f").await;
        let of = |change| report(f, d, change, "");
        assert_eq!(take_reports(), [report(f, d, CREATED, "f"), of(OPENED), of(MODIFIED), of(CLOSED_WRITTEN)]);
        user.read_file("d/f").await.unwrap();
        assert_eq!(take_reports(), [of(OPENED), of(ACCESSED), of(CLOSED_READ)]);
        // What was found before it was watched is of the directory, too.
        user.write_file("d/before", b"more").await.unwrap();
        let of_before: Vec<u32> = take_reports().iter().map(|report| report.2).collect();
        assert_eq!(of_before, [MODIFIED, OPENED, MODIFIED, CLOSED_WRITTEN]);
        user.rename("d/f", "d/g").await.unwrap();
        let moved = take_reports();
        let cookie = moved[0].3;
        assert_ne!(cookie, 0);
        assert_eq!(moved, [(f, d, MOVED_FROM, cookie, "f".into()), (f, d, MOVED_TO, cookie, "g".into())]);
        user.link("d/g", "d/h").await.unwrap();
        user.mkdir("d/sub").await.unwrap();
        user.symlink("g", "d/s").await.unwrap();
        let sub = user.ino("d/sub").await;
        let made: Vec<_> = take_reports().into_iter().map(|(_, _, change, _, name)| (change, name)).collect();
        let named = |change, name: &str| (change, name.to_string());
        assert_eq!(made, [named(CREATED, "h"), named(CREATED | OF_DIRECTORY, "sub"), named(CREATED, "s")]);
        user.rmdir("d/sub").await.unwrap();
        user.unlink("d/h").await.unwrap();
        assert_eq!(take_reports(), [report(sub, d, DELETED | OF_DIRECTORY, "sub"), report(f, d, DELETED, "h")]);
        assert_eq!(user.unlink("d/none").await, Err(renga_rt::Errno::ENOENT));
        user.write_file("elsewhere", b"x").await.unwrap();
        assert_eq!(take_reports(), [], "neither failures nor other directories");
        watched.inodes.set([].into_iter());
        user.unlink("d/g").await.unwrap();
        assert_eq!(take_reports(), [], "nobody watches any more");
        assert_eq!(before, user.ino("d/before").await);
    });
}

#[test]
fn changes_of_watched_file_are_reported_until_its_end() {
    let system = system();
    let watched = system.servers.watched;
    system.run(move |mut user| async move {
        user.mkdir("d").await.unwrap();
        user.write_file("d/f", b"1234").await.unwrap();
        let f = user.ino("d/f").await;
        let d = user.ino("d").await;
        watched.inodes.set([f].into_iter());
        let of = |change| report(f, d, change, "");
        let own = |change| report(f, 0, change, "");
        let opened = user.open_facts("d/f", 0, 0).await.unwrap();
        let mut inode = user.inodes.at(0, opened.slot.into()).unwrap();
        inode.call(SetAccess::mode(0o600), ()).await.unwrap();
        inode.call(SetTimes { access_ns: TIME_NOW, modify_ns: TIME_NOW }, ()).await.unwrap();
        inode.call(SetTimes { access_ns: TIME_NOW, modify_ns: TIME_KEEP }, ()).await.unwrap();
        inode.call(SetTimes { access_ns: TIME_KEEP, modify_ns: TIME_NOW }, ()).await.unwrap();
        inode.call(SetTimes { access_ns: TIME_KEEP, modify_ns: TIME_KEEP }, ()).await.unwrap();
        assert_eq!(take_reports(), [of(ATTRIBUTES), of(ATTRIBUTES), of(ACCESSED), of(MODIFIED)]);
        let release = renga_proto::inode::Release { slot: opened.slot, ino: f };
        user.directory.call(release, ()).await.unwrap();
        user.truncate("d/f", 2).await.unwrap();
        assert_eq!(take_reports(), [of(MODIFIED)]);
        user.rename("d/f", "g").await.unwrap();
        assert_eq!(take_reports(), [own(MOVED_SELF)]);
        user.write_file("new", b"").await.unwrap();
        user.rename("new", "g").await.unwrap();
        // Nobody refers to it: its process gives it up.
        user.pause(1_000_000).await;
        assert_eq!(take_reports(), [own(ATTRIBUTES), own(DELETED_SELF)]);
    });
}

#[test]
fn file_that_is_open_ends_with_its_last_user() {
    let system = system();
    let watched = system.servers.watched;
    system.run(move |mut user| async move {
        user.write_file("f", b"1234").await.unwrap();
        let f = user.ino("f").await;
        let file = user.open("f", OPEN_WRITE, O_RDWR).await.unwrap();
        watched.inodes.set([f].into_iter());
        user.unlink("f").await.unwrap();
        user.pause(1_000_000).await;
        assert_eq!(take_reports(), [report(f, 0, ATTRIBUTES, "")]);
        user.file(file).call(file::Write {}, &b"x"[..]).await.unwrap();
        user.close(file).await.unwrap();
        user.pause(1_000_000).await;
        let changes: Vec<u32> = take_reports().iter().map(|report| report.2).collect();
        assert_eq!(changes, [MODIFIED, CLOSED_WRITTEN, DELETED_SELF]);
        let again = user.open("f", OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        user.close(again).await.unwrap();
    });
}
