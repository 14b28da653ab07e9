//! The kinds of system process, by the names that placement files use.

macro_rules! kinds { ($($Kind:ident $name:literal $what:literal)+) => {
    /// A kind of system process.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Kind { $(#[doc = $what] $Kind),+ }
    impl Kind {
        /// Its name in placement files.
        pub const fn name(self) -> &'static str {
            match self { $(Kind::$Kind => $name),+ }
        }
    }
} }
kinds! {
    Clock "clock" "Calendar time and sleeping."
    Console "console" "The terminal."
    Keyboard "keyboard" "Turns keys into signals."
    Disk "disk" "The medium."
    BufferDirectory "buffer_directory" "Which buffer holds which block."
    Buffer "buffer" "One cached block."
    Allocator "allocator" "Free blocks and inodes."
    InodeDirectory "inode_directory" "Which process holds which inode."
    Inode "inode" "One active inode."
    WriteBack "write_back" "Makes changes permanent after a while."
    Path "path" "One walk along a path."
    File "file" "One open file."
    FileTable "file_table" "Which file processes are free."
    Pipe "pipe" "One pipe."
    PipeTable "pipe_table" "Which pipes are free."
    Procs "procs" "User processes of a board."
    User "user" "One user program."
    Memory "memory" "Page frames."
    Text "text" "Clean file pages."
    Router "router" "Calls to other boards."
    Membership "membership" "Tells the servers of a board that another is dead."
    LinkStatus "link_status" "What the link has carried."
    Proxy "proxy" "Calls for one process of another board."
    AsyncProxy "async_proxy" "Released calls of another board."
}
