//! The processes between page cache and medium of a test.

use renga_fs::{DataClients, RUN_PAGES, data_reader, data_writeback};
use renga_proto::data::DataWriteback;
use renga_proto::disk::Disk;
use renga_proto::pages::Pages;
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Family, Me, Members, Notifier, Port};

/// The processes between page cache and medium.
#[derive(Clone, Copy)]
pub struct Content {
    disk: Address<Disk>,
    pub pages: Address<Pages>,
    readers: &'static [Members],
    pub writer: Address<DataWriteback>,
}

impl Content {
    pub fn start(board: HostBoard, disk: Address<Disk>, pages: impl FnOnce(Notifier) -> Address<Pages>) -> Content {
        let writing = board.declare(4);
        let pages = pages(Notifier::new(writing));
        let room = || vec![[0; 4096]; RUN_PAGES].leak();
        let reader =
            board.server(|me, port| data_reader(port, Client::new(&me, pages), Client::new(&me, disk), room()));
        let mut writer = None;
        board.start(writing, |me| {
            let (pages, disk) = (Client::new(&me, pages), Client::new(&me, disk));
            let (port, address) = Port::new(&me);
            writer = Some(address);
            data_writeback(port, pages, disk, room())
        });
        Content { disk, pages, readers: board.family(&[reader]), writer: writer.unwrap() }
    }

    pub fn clients(&self, me: &Me) -> DataClients {
        DataClients {
            pages: Client::new(me, self.pages),
            disk: Client::new(me, self.disk),
            readers: Family::new(me, self.readers),
            writer: Client::new(me, self.writer),
        }
    }
}
