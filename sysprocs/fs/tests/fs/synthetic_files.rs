//! Open synthetic files, as a board without caches uses them.

use crate::support::{FEW, Medium512, O_APPEND, O_RDWR, Scratch, System, make_image};
use renga_proto::file::{BeginAppend, Close, EndAppend, OpenInode, SetSize, Write, WriteTo};
use renga_proto::mounts::SYNTHETIC;
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::slots::TakeFile;
use renga_rt::Errno;

#[test]
fn synthetic_file_changes_are_refused() {
    let scratch = Scratch::new("made");
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        let number = user.table.call(TakeFile {}, ()).await.unwrap();
        let (mode, flags) = (0o100_644, O_RDWR | O_APPEND);
        let open = OpenInode { slot: 0, ino: SYNTHETIC | 1, mode, flags, generation: 1, origin: ReferenceOrigin::NONE };
        let generation = user.file(number).call(open, ()).await.unwrap();
        let mut file = user.file(number);
        for bytes in [0, 1, 9_000, u64::MAX] {
            assert_eq!(file.call(BeginAppend { bytes }, ()).await, Err(Errno::EINVAL));
            let end = EndAppend { end: bytes, reserved: u64::MAX, moves: true };
            assert_eq!(file.call(end, ()).await, Err(Errno::EINVAL));
        }
        assert_eq!(file.call(Write {}, &b"x"[..]).await, Err(Errno::EIO));
        assert_eq!(file.call(WriteTo { offset: 0 }, &b"x"[..]).await, Err(Errno::EIO));
        assert_eq!(file.call(SetSize { bytes: 0 }, ()).await, Err(Errno::EINVAL));
        assert_eq!(file.call(Close { generation }, ()).await, Ok(()));
    });
}
