// Written by the placement tool from the system file `solo`; do not edit.
/// The system `solo`.
pub const SYSTEM: System = System {
    name: "solo",
    boards: &[
        Board {
            name: "a",
            owns_disk: true,
            cores: 1,
            processes: 6033,
            placed: &[
                Placed { kind: Kind::Clock, board: 0, first: 0, count: 1, core: 0 },
                Placed { kind: Kind::Console, board: 0, first: 1, count: 1, core: 0 },
                Placed { kind: Kind::Keyboard, board: 0, first: 2, count: 1, core: 0 },
                Placed { kind: Kind::Disk, board: 0, first: 3, count: 1, core: 0 },
                Placed { kind: Kind::BufferDirectory, board: 0, first: 4, count: 1, core: 0 },
                Placed { kind: Kind::Buffer, board: 0, first: 5, count: 512, core: 0 },
                Placed { kind: Kind::Allocator, board: 0, first: 517, count: 1, core: 0 },
                Placed { kind: Kind::InodeDirectory, board: 0, first: 518, count: 1, core: 0 },
                Placed { kind: Kind::Inode, board: 0, first: 519, count: 4096, core: 0 },
                Placed { kind: Kind::WriteBack, board: 0, first: 4615, count: 1, core: 0 },
                Placed { kind: Kind::Path, board: 0, first: 4616, count: 4, core: 0 },
                Placed { kind: Kind::File, board: 0, first: 4620, count: 1024, core: 0 },
                Placed { kind: Kind::FileTable, board: 0, first: 5644, count: 1, core: 0 },
                Placed { kind: Kind::Pipe, board: 0, first: 5645, count: 256, core: 0 },
                Placed { kind: Kind::PipeTable, board: 0, first: 5901, count: 1, core: 0 },
                Placed { kind: Kind::Procs, board: 0, first: 5902, count: 1, core: 0 },
                Placed { kind: Kind::User, board: 0, first: 5903, count: 128, core: 0 },
                Placed { kind: Kind::Memory, board: 0, first: 6031, count: 1, core: 0 },
                Placed { kind: Kind::Text, board: 0, first: 6032, count: 1, core: 0 },
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
