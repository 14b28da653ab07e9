// Written by the placement tool from the system file `solo`; do not edit.
/// The system `solo`.
pub const SYSTEM: System = System {
    name: "solo",
    boards: &[
        Board {
            name: "a",
            owns_disk: true,
            cores: 1,
            processes: 633,
            placed: &[
                Placed { kind: Kind::Clock, board: 0, first: 0, count: 1, core: 0 },
                Placed { kind: Kind::Console, board: 0, first: 1, count: 1, core: 0 },
                Placed { kind: Kind::Keyboard, board: 0, first: 2, count: 1, core: 0 },
                Placed { kind: Kind::Disk, board: 0, first: 3, count: 1, core: 0 },
                Placed { kind: Kind::BufferDirectory, board: 0, first: 4, count: 1, core: 0 },
                Placed { kind: Kind::Buffer, board: 0, first: 5, count: 512, core: 0 },
                Placed { kind: Kind::Allocator, board: 0, first: 517, count: 1, core: 0 },
                Placed { kind: Kind::InodeDirectory, board: 0, first: 518, count: 1, core: 0 },
                Placed { kind: Kind::Inode, board: 0, first: 519, count: 48, core: 0 },
                Placed { kind: Kind::WriteBack, board: 0, first: 567, count: 1, core: 0 },
                Placed { kind: Kind::Path, board: 0, first: 568, count: 4, core: 0 },
                Placed { kind: Kind::File, board: 0, first: 572, count: 32, core: 0 },
                Placed { kind: Kind::FileTable, board: 0, first: 604, count: 1, core: 0 },
                Placed { kind: Kind::Pipe, board: 0, first: 605, count: 8, core: 0 },
                Placed { kind: Kind::PipeTable, board: 0, first: 613, count: 1, core: 0 },
                Placed { kind: Kind::Procs, board: 0, first: 614, count: 1, core: 0 },
                Placed { kind: Kind::User, board: 0, first: 615, count: 16, core: 0 },
                Placed { kind: Kind::Memory, board: 0, first: 631, count: 1, core: 0 },
                Placed { kind: Kind::Text, board: 0, first: 632, count: 1, core: 0 },
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
