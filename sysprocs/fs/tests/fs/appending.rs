//! What is written at the end of a file that is not for appending, piece by piece or whole.

use crate::support::{FEW, Medium512, O_RDWR, Scratch, System, make_image};
use renga_proto::file::{BeginAppend, EndAppend, Read, Seek, Whence, WriteTo};
use renga_proto::pages::AT_END;
use renga_proto::path::OPEN_WRITE;
use renga_rt::Errno;

#[test]
fn append_moves_offset_only_when_asked() {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&Scratch::new("appending"), 16, None, &[]);
    System::new(&device, "none", FEW).run(|mut user| async move {
        user.write_file("/file", b"12345").await.unwrap();
        let file = user.open("/file", OPEN_WRITE, O_RDWR).await.unwrap();
        let here = Seek { offset: 0, whence: Whence::Current };
        assert_eq!(user.file(file).call(Read {}, &mut [0; 2][..]).await, Ok(2));
        assert_eq!(user.file(file).call(WriteTo { offset: AT_END }, &b"67"[..]).await, Ok(2));
        assert_eq!(user.file(file).call(WriteTo { offset: AT_END }, &b""[..]).await, Ok(0));
        for (start, bytes, moves, offset) in [(7, &b"89"[..], false, 2), (9, &b"ab"[..], true, 11)] {
            // More than is written then.
            assert_eq!(user.file(file).call(BeginAppend { bytes: 9 }, ()).await, Ok(start));
            assert_eq!(user.file(file).call(WriteTo { offset: start }, bytes).await, Ok(2));
            let written = EndAppend { end: start + 2, reserved: start + 9, moves };
            assert_eq!(user.file(file).call(written, ()).await, Ok(()));
            assert_eq!(user.file(file).call(here, ()).await, Ok(offset));
        }
        assert_eq!(user.file(file).call(WriteTo { offset: AT_END }, &b"c"[..]).await, Ok(1));
        assert_eq!(user.read_file("/file").await.unwrap(), b"123456789abc");
        user.close(file).await.unwrap();
        let file = user.open("/file", 0, 0).await.unwrap();
        assert_eq!(user.file(file).call(BeginAppend { bytes: 9 }, ()).await, Err(Errno::EBADF));
        assert_eq!(user.file(file).call(WriteTo { offset: AT_END }, &b"c"[..]).await, Err(Errno::EBADF));
        user.close(file).await.unwrap();
    });
}
