// Written by the placement tool from the system file `solo`; do not edit.
/// The system `solo`.
pub const SYSTEM: System = System {
    name: "solo",
    boards: &[
        Board {
            name: "a",
            owns_disk: true,
            cores: 1,
            processes: 168,
            placed: &[
                Placed { kind: Kind::Clock, board: 0, first: 0, count: 1, core: 0 },
                Placed { kind: Kind::Console, board: 0, first: 1, count: 1, core: 0 },
                Placed { kind: Kind::Keyboard, board: 0, first: 2, count: 1, core: 0 },
                Placed { kind: Kind::Disk, board: 0, first: 3, count: 1, core: 0 },
                Placed { kind: Kind::BufferDirectory, board: 0, first: 4, count: 1, core: 0 },
                Placed { kind: Kind::Buffer, board: 0, first: 5, count: 48, core: 0 },
                Placed { kind: Kind::Allocator, board: 0, first: 53, count: 1, core: 0 },
                Placed { kind: Kind::InodeDirectory, board: 0, first: 54, count: 1, core: 0 },
                Placed { kind: Kind::Inode, board: 0, first: 55, count: 48, core: 0 },
                Placed { kind: Kind::Path, board: 0, first: 103, count: 4, core: 0 },
                Placed { kind: Kind::File, board: 0, first: 107, count: 32, core: 0 },
                Placed { kind: Kind::FileTable, board: 0, first: 139, count: 1, core: 0 },
                Placed { kind: Kind::Pipe, board: 0, first: 140, count: 8, core: 0 },
                Placed { kind: Kind::PipeTable, board: 0, first: 148, count: 1, core: 0 },
                Placed { kind: Kind::Procs, board: 0, first: 149, count: 1, core: 0 },
                Placed { kind: Kind::User, board: 0, first: 150, count: 16, core: 0 },
                Placed { kind: Kind::Memory, board: 0, first: 166, count: 1, core: 0 },
                Placed { kind: Kind::Text, board: 0, first: 167, count: 1, core: 0 },
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
