//! A server of event files that keeps what is reported to it.

use renga_proto::events::{Events, EventsCall, NoteChange};
use renga_rt::{Errno, Never, Port};
use std::cell::RefCell;

/// A report: the inode, the directory, the change, the cookie and the name.
pub type Report = (u32, u32, u32, u32, String);

thread_local! {
    static REPORTS: RefCell<Vec<Report>> = const { RefCell::new(Vec::new()) };
}

/// What was reported since the last time.
pub fn take_reports() -> Vec<Report> {
    REPORTS.take()
}

pub async fn recorder(mut port: Port<Events>) -> Never {
    loop {
        match port.accept().await {
            EventsCall::NoteChange(mut call) => {
                let NoteChange { ino, parent, change, cookie } = call.entry();
                let name = String::from_utf8(call.lent().to_vec()).unwrap();
                REPORTS.with_borrow_mut(|reports| reports.push((ino, parent, change, cookie, name)));
                call.reply(Ok::<(), Errno>(()));
            }
            _ => panic!("only changes are reported"),
        }
    }
}
