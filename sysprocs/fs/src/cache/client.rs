//! How the other processes use buffers: they name the block and the work.
//!
//! Not here: who holds what (`buffer_directory.rs`), what is done to it (`buffer.rs`).

use renga_proto::buffer::directory::{
    AddEntry, BufferDirectory, ClearBits, Discard, FindEntry, HasEntries, ListEntries, NameOfEntry, Overwrite,
    ReadBytes, RemoveEntry, RepointEntry, TakeBit, WriteBytes,
};
use renga_proto::inode::{DirectoryRead, EntryFound};
use renga_rt::{Client, Errno};

renga_rt::clients! {
    /// The right to use the buffers of the disk board.
    pub struct CacheClients {
        /// Their directory.
        directory: Client<BufferDirectory>,
    }
}

pub(crate) struct MetadataCache(Client<BufferDirectory>);

impl MetadataCache {
    pub(crate) fn new(clients: CacheClients) -> Self {
        MetadataCache(clients.directory)
    }

    pub(crate) async fn read(&mut self, block: u32, offset: u32, out: &mut [u8]) -> Result<(), Errno> {
        self.0.call(ReadBytes { block: block.into(), offset }, out).await
    }
    /// Writes data.
    pub(crate) async fn write(&mut self, block: u32, offset: u32, data: &[u8]) -> Result<(), Errno> {
        self.0.call(WriteBytes { block: block.into(), offset, metadata: false }, data).await
    }
    /// Writes metadata.
    pub(crate) async fn write_metadata(&mut self, block: u32, offset: u32, data: &[u8]) -> Result<(), Errno> {
        self.0.call(WriteBytes { block: block.into(), offset, metadata: true }, data).await
    }
    /// Replaces the data of the whole block, which is not read first: by `data` from `offset` on
    /// and zeros around it.
    pub(crate) async fn overwrite(
        &mut self,
        block: u32,
        offset: u32,
        data: &[u8],
        metadata: bool,
    ) -> Result<(), Errno> {
        self.0.call(Overwrite { block: block.into(), offset, metadata }, data).await
    }
    /// Forgets changes of blocks that are about to be freed.
    pub(crate) async fn discard(&mut self, first: u32, count: u32) -> Result<(), Errno> {
        self.0.call(Discard { first: first.into(), count }, ()).await
    }

    pub(crate) async fn find_entry(&mut self, block: u32, name: &[u8]) -> Result<EntryFound, Errno> {
        self.0.call(FindEntry { block: block.into() }, name).await
    }
    pub(crate) async fn add_entry(&mut self, block: u32, name: &[u8], ino: u32, kind: u8) -> Result<(), Errno> {
        self.0.call(AddEntry { block: block.into(), ino, kind }, name).await
    }
    pub(crate) async fn remove_entry(&mut self, block: u32, name: &[u8]) -> Result<u32, Errno> {
        self.0.call(RemoveEntry { block: block.into() }, name).await
    }
    pub(crate) async fn repoint_entry(&mut self, block: u32, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
        self.0.call(RepointEntry { block: block.into(), ino, kind }, name).await
    }
    pub(crate) async fn list_entries(
        &mut self,
        block: u32,
        position: u64,
        out: &mut [u8],
    ) -> Result<DirectoryRead, Errno> {
        self.0.call(ListEntries { block: block.into(), position }, out).await
    }
    pub(crate) async fn has_entries(&mut self, block: u32) -> Result<bool, Errno> {
        self.0.call(HasEntries { block: block.into() }, ()).await
    }
    pub(crate) async fn name_of_entry(&mut self, block: u32, ino: u32, out: &mut [u8]) -> Result<u32, Errno> {
        self.0.call(NameOfEntry { block: block.into(), ino }, out).await
    }
    pub(crate) async fn take_bit(&mut self, block: u32, from: u32, below: u32) -> Result<u32, Errno> {
        self.0.call(TakeBit { block: block.into(), from, below }, ()).await
    }
    pub(crate) async fn clear_bits(&mut self, block: u32, first: u32, count: u32) -> Result<u32, Errno> {
        self.0.call(ClearBits { block: block.into(), first, count }, ()).await
    }
}
