//! Large directories: every name is found, what is removed makes room again, and e2fsck agrees; with an index that has
//! room for all names, and with one that has not. What that costs is measured on a board (`renga bench unix`).

use crate::support::{Counts, Medium512, Scratch, System, User, check_image, make_image};
use renga_proto::path::NO_FOLLOW;
use renga_rt::Errno;

const MANY: u32 = 3000;

async fn link(user: &mut User, name: u32) {
    user.link("/many/name-0", &format!("/many/name-{name}")).await.unwrap();
}

/// Exactly the names that `there` says are there.
async fn check(user: &mut User, there: impl Fn(u32) -> bool) {
    for name in 0..MANY + 20 {
        let found = user.stat(&format!("/many/name-{name}"), NO_FOLLOW).await;
        assert_eq!(found.map(|_| ()), if there(name) { Ok(()) } else { Err(Errno::ENOENT) }, "{name}");
    }
    let listed = user.list("/many").await.unwrap().len() as u32;
    assert_eq!(listed, 2 + (0..MANY).filter(|name| there(*name)).count() as u32);
}

fn fill_and_empty(inodes: usize) {
    let scratch = Scratch::new(&format!("large-{inodes}"));
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let counts = Counts { buffers: 100, inodes, paths: 2, files: 8, frames: 64 };
    let system = System::new(&device, "none", counts);
    system.run(|mut user| async move {
        user.mkdir("/many").await.unwrap();
        user.write_file("/many/name-0", b"x").await.unwrap();
        for name in 1..MANY {
            link(&mut user, name).await;
        }
        check(&mut user, |name| name < MANY).await;
        let size = user.stat("/many", 0).await.unwrap().size;
        for round in 0..3 {
            for name in (1..MANY).filter(|name| name % 4 == round) {
                user.unlink(&format!("/many/name-{name}")).await.unwrap();
            }
            check(&mut user, |name| name < MANY && (name == 0 || name % 4 != round)).await;
            for name in (1..MANY).filter(|name| name % 4 == round) {
                link(&mut user, name).await;
            }
        }
        let grown = user.stat("/many", 0).await.unwrap().size;
        assert!(grown <= size + size / 4, "{size} bytes became {grown}");
        for name in 1..MANY {
            user.unlink(&format!("/many/name-{name}")).await.unwrap();
        }
        check(&mut user, |name| name == 0).await;
        user.unlink("/many/name-0").await.unwrap();
        user.rmdir("/many").await.unwrap();
        user.mkdir("/many").await.unwrap();
        check(&mut user, |_| false).await;
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}

#[test]
fn directory_large_keeps_names_and_size() {
    fill_and_empty(250);
}

#[test]
fn directory_large_without_index_keeps_names_and_size() {
    fill_and_empty(30);
}
