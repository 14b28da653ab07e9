//! A transfer of several pieces at an offset that others have, too.

use crate::support::{FEW, Medium512, O_RDWR, Scratch, System, make_image};
use renga_proto::file::{
    AddReference, BeginRead, BeginWrite, BegunTransfer, Close, EndTransfer, FileStatus, Seek, Whence, WriteTo,
};
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::{OPEN_CREATE, OPEN_WRITE};
use renga_rt::Errno;

const HERE: Seek = Seek { offset: 0, whence: Whence::Current };

#[test]
fn shared_offset_is_locked_until_transfer_ends() {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&Scratch::new("offset_lock"), 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        let file = user.open("/file", OPEN_CREATE | OPEN_WRITE, O_RDWR).await.unwrap();
        // Nobody else can move it.
        let alone = BegunTransfer { bytes: 4, locked: false, start: 0 };
        assert_eq!(user.file(file).call(BeginWrite {}, &b"1234"[..]).await, Ok(alone));
        assert_eq!(user.file(file).call(EndTransfer { offset: 9 }, ()).await, Err(Errno::EINVAL));
        let generation = user.generations[&file];
        user.file(file).call(AddReference { generation }, ()).await.unwrap();
        let begun = BegunTransfer { bytes: 4, locked: true, start: 4 };
        assert_eq!(user.file(file).call(BeginWrite {}, &b"5678"[..]).await, Ok(begun));
        // What does not use the offset goes on.
        assert_eq!(user.file(file).call(WriteTo { offset: 8 }, &b"9abc"[..]).await, Ok(4));
        assert_eq!(user.file(file).call(FileStatus {}, &mut [0; STAT_BYTES][..]).await, Ok(()));
        assert_eq!(user.file(file).call(EndTransfer { offset: 10 }, ()).await, Ok(()));
        assert_eq!(user.file(file).call(HERE, ()).await, Ok(10));
        // A short piece is the last one.
        let short = BegunTransfer { bytes: 2, locked: false, start: 10 };
        assert_eq!(user.file(file).call(BeginRead {}, &mut [0; 4][..]).await, Ok(short));
        assert_eq!(user.file(file).call(HERE, ()).await, Ok(12));
        assert_eq!(user.read_file("/file").await.unwrap(), b"123456789abc");
        user.close(file).await.unwrap();
        user.close(file).await.unwrap();
    });
}

/// A call that waits at the offset when the file is closed does not wait until the process is another open file.
#[test]
fn offset_lock_ends_with_the_open_file() {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&Scratch::new("offset_lock_close"), 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        let file = user.open("/file", OPEN_CREATE | OPEN_WRITE, O_RDWR).await.unwrap();
        let generation = user.generations[&file];
        user.file(file).call(AddReference { generation }, ()).await.unwrap();
        assert!(user.file(file).call(BeginWrite {}, &b"1234"[..]).await.unwrap().locked);
        for _ in 0..2 {
            user.file(file).call(Close { generation }, ()).await.unwrap();
        }
        assert_eq!(user.file(file).call(HERE, ()).await, Err(Errno::EBADF));
    });
}

/// With the board of its transfer the lock is gone: the next call at the offset would wait for ever.
#[test]
fn offset_lock_ends_with_its_board() {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&Scratch::new("offset_lock_board"), 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        let file = user.open("/file", OPEN_CREATE | OPEN_WRITE, O_RDWR).await.unwrap();
        let generation = user.generations[&file];
        for _ in 0..2 {
            user.file(file).call(AddReference { generation }, ()).await.unwrap();
        }
        assert!(user.file(file).call(BeginWrite {}, &b"1234"[..]).await.unwrap().locked);
        user.file(file).call(renga_proto::file::BoardDied { board: 0 }, ()).await.unwrap();
        let again = user.open("/file", OPEN_WRITE, O_RDWR).await.unwrap();
        assert_eq!(user.file(again).call(HERE, ()).await, Ok(0));
        user.close(again).await.unwrap();
    });
}
