// Written by the placement tool from the system file `solo`; do not edit.
/// The system `solo`.
pub const SYSTEM: System = System {
    name: "solo",
    boards: &[
        Board {
            name: "a",
            owns_disk: true,
            cores: 1,
            processes: 6004,
            placed: &[
                Placed { kind: Kind::Clock, board: 0, first: 0, count: 1, core: 0 },
                Placed { kind: Kind::Console, board: 0, first: 1, count: 1, core: 0 },
                Placed { kind: Kind::Keyboard, board: 0, first: 2, count: 1, core: 0 },
                Placed { kind: Kind::Disk, board: 0, first: 3, count: 1, core: 0 },
                Placed { kind: Kind::BufferDirectory, board: 0, first: 4, count: 1, core: 0 },
                Placed { kind: Kind::Buffer, board: 0, first: 5, count: 480, core: 0 },
                Placed { kind: Kind::Allocator, board: 0, first: 485, count: 1, core: 0 },
                Placed { kind: Kind::InodeDirectory, board: 0, first: 486, count: 1, core: 0 },
                Placed { kind: Kind::Inode, board: 0, first: 487, count: 4096, core: 0 },
                Placed { kind: Kind::WriteBack, board: 0, first: 4583, count: 1, core: 0 },
                Placed { kind: Kind::Cleaner, board: 0, first: 4584, count: 1, core: 0 },
                Placed { kind: Kind::Reaper, board: 0, first: 4585, count: 1, core: 0 },
                Placed { kind: Kind::Committer, board: 0, first: 4586, count: 1, core: 0 },
                Placed { kind: Kind::Path, board: 0, first: 4587, count: 4, core: 0 },
                Placed { kind: Kind::File, board: 0, first: 4591, count: 1024, core: 0 },
                Placed { kind: Kind::FileTable, board: 0, first: 5615, count: 1, core: 0 },
                Placed { kind: Kind::Pipe, board: 0, first: 5616, count: 256, core: 0 },
                Placed { kind: Kind::PipeTable, board: 0, first: 5872, count: 1, core: 0 },
                Placed { kind: Kind::Procs, board: 0, first: 5873, count: 1, core: 0 },
                Placed { kind: Kind::User, board: 0, first: 5874, count: 128, core: 0 },
                Placed { kind: Kind::Memory, board: 0, first: 6002, count: 1, core: 0 },
                Placed { kind: Kind::Text, board: 0, first: 6003, count: 1, core: 0 },
            ],
            proxies: &[
            ],
            stubs: &[
            ],
            peers: &[
            ],
            message_bytes: 0,
        },
    ],
    async_edges: &[
    ],
};
