//! The system files of the tree: what they place, and that the printed forms stay as they are read.
//!
//! `RENGA_BLESS=1 cargo test -p renga-placement` rewrites `golden`; read the difference before you commit it.

mod kinds;

use kinds::KINDS;
use renga_placement::{
    BoardRule, Checked, Instance, KindFacts, MemoryShare, MessageMemory, OnBehalfOf, PlacementError, ReleaseMode, What,
    check, code_kinds, parse,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A system file of the tree, its keys not aligned, so that a test may name whole lines.
fn text(name: &str) -> String {
    let text = fs::read_to_string(here("../../sysprocs/systems").join(format!("{name}.toml"))).unwrap();
    let unaligned = |line: &str| line.split_once(" = {").map(|(key, rest)| format!("{} = {{{rest}", key.trim_end()));
    text.lines().map(|line| unaligned(line).unwrap_or_else(|| line.to_string()) + "\n").collect()
}

fn checked(text: &str) -> Checked {
    let system = parse(text).unwrap_or_else(|error| panic!("{error}"));
    check(&system, KINDS).unwrap_or_else(|error| panic!("{error}"))
}

/// `from` replaced by `to` in the one line that has it: what a user edits.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

fn compare_golden(name: &str, found: &str) {
    let file = here("tests/golden").join(name);
    if std::env::var_os("RENGA_BLESS").is_some() {
        fs::write(&file, found).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), found, "{name}");
}

#[test]
fn system_printed_is_parsed_back() {
    for (name, text) in
        [("pair", text("pair")), ("solo", text("solo")), ("solo4", text("solo4")), ("pair-async", pair_async())]
    {
        let checked = checked(&text);
        compare_golden(&format!("{name}.txt"), &checked.to_text());
        compare_golden(&format!("{name}.dot"), &checked.to_dot());
    }
}

fn pair_async() -> String {
    edited(&text("small"), "mode = \"sync\" ", "mode = \"async\" ")
}

#[test]
fn system_small_pair_has_enough_processes() {
    let pair = checked(&text("small"));
    let placed = |board| pair.instances(board).iter().filter(|i| !i.kind.ends_with("proxy")).count();
    assert!(placed(0) >= 88, "{}", placed(0));
    assert!(placed(1) >= 60, "{}", placed(1));
}

#[test]
fn system_indices_are_dense_and_proxies_have_remote_callers() {
    for text in [text("small"), text("solo"), pair_async()] {
        let checked = checked(&text);
        for board in 0..checked.boards.len() {
            let instances = checked.instances(board);
            assert_eq!(instances.len(), checked.process_count(board));
            for (index, instance) in instances.iter().enumerate() {
                assert_eq!((usize::from(instance.id.board.0), usize::from(instance.id.index)), (board, index));
                assert!(instance.caller.is_none_or(|caller| usize::from(caller.board.0) != board));
                assert!(instance.caller.is_none() || instance.kind == "proxy");
            }
        }
    }
}

/// Holds: proxies-suffice.
#[test]
fn proxy_of_blocking_caller_is_dedicated() {
    let pair = checked(&text("small"));
    let of_others =
        |board| pair.instances(board).into_iter().filter(|instance| instance.kind == "proxy").collect::<Vec<_>>();
    let own = |board| of_others(board).into_iter().filter_map(|proxy| proxy.caller).collect::<BTreeSet<_>>();
    // Of its own has each user, for pipes and the terminal, and on b the keyboard and the regulator, for what they may
    // ask of processes.
    assert_eq!((own(0).len(), own(1).len()), (16, 16 + 2));
    // Users share four, files, which call inodes, four; the one process that keeps files, the one that has them taken
    // home, the waker and who closes sockets need one each, the two prefetchers two.
    assert_eq!(of_others(0).len() - own(0).len(), 4 + 4 + 1 + 1 + 1 + 1 + 2);
    let more = edited(&text("small"), "[async]", "[shared]\nfile = 7\n\n[async]");
    assert_eq!(checked(&more).process_count(0), pair.process_count(0) + 3);
}

/// Holds: proxies-suffice.
#[test]
fn proxy_shared_makes_no_blocking_call() {
    let octet = parse(&text("octet")).and_then(|system| check(&system, &code_kinds())).unwrap();
    for checked in [checked(&text("small")), checked(&pair_async()), octet] {
        for call in checked.calls.iter().filter(|call| checked.is_remote(call)) {
            let board = checked.groups[call.server].board;
            let has = |whom| checked.groups.iter().any(|g| g.board == board && g.on_behalf_of == whom);
            assert!(call.entries & call.may_wait == 0 || has(OnBehalfOf::Group(call.caller)));
            assert!(call.entries & !call.may_wait == 0 || has(OnBehalfOf::Shared(call.caller)));
        }
    }
}

/// The proof by groups says the same as one by single processes: remove processes that do not wait
/// until none is left.
/// Holds: placement-proved.
#[test]
fn wait_graph_of_instances_has_no_cycle() {
    for text in [text("small"), text("solo"), pair_async()] {
        let checked = checked(&text);
        let members: Vec<Vec<Instance>> = (0..checked.groups.len()).map(|g| checked.instances_of(g)).collect();
        let mut waits: Vec<(Instance, Instance)> = Vec::new();
        for &(from, to) in &checked.waits {
            let own_proxy = matches!(checked.groups[to].on_behalf_of, OnBehalfOf::Group(_));
            for a in &members[from] {
                let servers = members[to].iter().filter(|b| !own_proxy || b.caller == Some(a.id));
                waits.extend(servers.map(|b| (*a, *b)));
            }
        }
        assert_eq!(waits.len() as u64, checked.wait_count());
        for _ in 0..members.iter().map(Vec::len).sum() {
            let waiting: BTreeSet<_> = waits.iter().map(|(a, _)| a.id).collect();
            waits.retain(|(_, b)| waiting.contains(&b.id));
        }
        assert!(waits.is_empty());
    }
}

/// Holds: placement-line.
#[test]
fn system_kind_count_and_mode_change_by_one_line() {
    let pair = text("small");
    // Move: the buffers and all that belongs to the console may be elsewhere.
    let moved = checked(&edited(&pair, "console = { on = \"a\" }", "console = { on = \"b\" }"));
    assert!(moved.instances(1).iter().any(|instance| instance.kind == "console"));
    let moved = checked(&edited(&pair, "allocator = { on = \"a\" }", "allocator = { on = \"b\" }"));
    assert!(moved.instances(1).iter().any(|instance| instance.kind == "allocator"));
    // Multiply.
    let more = checked(&edited(&pair, "{ on = \"every\", count = 8 }", "{ on = \"every\", count = 24 }"));
    assert_eq!(more.process_count(0), checked(&pair).process_count(0) + 16);
    // Differ by board.
    let both = "[{ on = \"a\", count = 4 }, { on = \"b\", count = 60 }]";
    let differ = checked(&edited(&pair, "{ on = \"every\", count = 16 }", both));
    assert_eq!(differ.instances(1).iter().filter(|instance| instance.kind == "user").count(), 60);
    // Mode, of one entry.
    let one = checked(&edited(&pair, "# \"user -> file.Write\"", "\"user -> file.Write\""));
    assert_eq!(one.mode, ReleaseMode::Sync);
    assert_eq!(one.async_edges(), [("user", "file", 0b010)]);
}

/// Holds: async-edge.
#[test]
fn system_exception_makes_one_edge_synchronous() {
    let asynchronous = checked(&pair_async());
    assert!(asynchronous.async_edges().iter().any(|(_, server, _)| *server == "path_lookup"));
    let sync = "[edges]\n\"user -> path_lookup\" = \"sync\"\n\"user -> file.Close\" = \"sync\"\n#";
    let checked = checked(&edited(&pair_async(), "[edges]", sync));
    assert!(checked.async_edges().iter().all(|(_, server, _)| *server != "path_lookup"));
    assert!(checked.async_edges().contains(&("user", "file", 0b010)));
    // Entries that may wait for another client stay synchronous in any mode.
    let pipe = checked.async_edges().into_iter().find(|(_, server, _)| *server == "pipe").unwrap();
    assert_eq!(pipe.2, 0b100);
}

/// The system `small` with so many cores on board a.
fn with_cores(cores: u8) -> String {
    let board = format!("{{ name = \"a\", disk = true, cores = {cores} }}");
    edited(&text("small"), "{ name = \"a\", disk = true }", &board)
}

#[test]
fn system_kinds_spread_over_cores() {
    let spread = "[{ on = \"a\", count = 24 }, { on = \"a\", core = 1, count = 24 }]";
    let text = edited(&with_cores(2), "{ on = \"a\", count = 480 }     # one cached", &format!("{spread} #"));
    let checked = check(&parse(&text).unwrap(), KINDS).unwrap_or_else(|error| panic!("{error}"));
    let buffers: Vec<_> = checked.instances(0).into_iter().filter(|i| i.kind == "buffer").collect();
    assert_eq!(buffers.iter().map(|buffer| buffer.core).filter(|core| *core == 1).count(), 24);
    assert!(buffers.windows(2).all(|pair| pair[0].id.index + 1 == pair[1].id.index));
}

/// What P5 needs on cores of its own beside the programs: the medium and the cached blocks.
/// Holds: cores-cells.
#[test]
fn system_kinds_sharing_cells_stay_on_one_core() {
    let moved = |kind: &str, now: &str| {
        let text = edited(&with_cores(4), now, &now.replace(" }", ", core = 3 }"));
        check(&parse(&text).unwrap(), &code_kinds()).map(|_| kind.to_string())
    };
    assert!(moved("disk", "\ndisk = { on = \"a\" }").is_ok());
    assert!(moved("keyboard", "\nkeyboard = { on = \"a\" }").is_ok());
    let refused = moved("clock", "\nclock = { on = \"every\" }").map_err(|error| error.to_string());
    assert!(refused.as_ref().is_err_and(|error| error.contains("is placed on core 3 of board \"b\"")), "{refused:?}");
    let refused = moved("commit_timer", "\ncommit_timer = { on = \"a\" }").map_err(|error| error.to_string());
    assert!(refused.as_ref().is_err_and(|error| error.contains("shares the work that is due with")), "{refused:?}");
}

/// The programs' home is where their processes are, and they run there unless the file says where else.
/// Holds: placement-line.
#[test]
fn system_home_core_is_that_of_user_processes() {
    let homes = |text: &str| {
        let checked = check(&parse(text).unwrap(), &code_kinds()).unwrap_or_else(|error| panic!("{error}"));
        let tables = checked.to_blob();
        (checked.home(0), checked.program_cores(0), checked.to_text(), tables)
    };
    let given = text("p5-gathered-spread");
    let (home, cores, said, tables) = homes(&given);
    assert_eq!((home, cores), (1, 0b1));
    assert!(said.contains("Programs of a run on cores 0; their home is core 1.\n"), "{said}");
    let (home, cores, said, others) = homes(&edited(&given, ", programs = [0]", ""));
    assert_eq!((home, cores, tables == others), (1, 0b10, false));
    assert!(said.contains("Programs of a run on cores 1; their home is core 1.\n"), "{said}");
    let apart = edited(&given, "console = { on = \"a\", core = 1 }", "console = { on = \"a\" }");
    let refused = check(&parse(&apart).unwrap(), &code_kinds()).unwrap_err().to_string();
    assert!(
        refused.contains("needs the console's interrupts, which only the core of the first `user` has, 1"),
        "{refused}"
    );
    let several = text("homes4").replace(", programs = [0, 1, 2, 3]", "");
    let (home, cores, said, _) = homes(&several.replace("core = 0, count = 32", "core = 0, count = 3"));
    assert_eq!((home, cores), (0, 0b1111));
    assert!(said.contains("their homes are cores 0, 1, 2, 3, the devices' is core 0.\n"), "{said}");
}

/// Holds: message-memory.
#[test]
fn message_memory_is_sum_of_outstanding_calls() {
    let of = |text: &str, what: &str| -> Vec<u64> {
        let sum = |m: &MessageMemory| {
            m.shares.iter().filter(|share| share.what.name() == what).map(|share| share.count).sum()
        };
        checked(text).message_memory.iter().map(sum).collect()
    };
    let small = text("small");
    assert!(checked(&text("solo")).message_memory[0].shares.is_empty());
    assert_eq!((of(&small, "shared proxies"), of(&small, "proxies")), (vec![14, 8], vec![16, 18]));
    // Callers: on a users, the keyboard, the regulator, the waker and who closes sockets, on b users, files, the waker,
    // who closes sockets, two prefetchers, and the processes that keep files and have them written back.
    assert_eq!(of(&small, "callers"), [20, 16 + 32 + 1 + 1 + 1 + 1 + 2]);
    assert_eq!((of(&small, "calls"), of(&small, "slots")), (vec![26, 30], vec![0, 0]));
    assert_eq!(of(&pair_async(), "slots"), [2 * 2 * 16; 2]);
    // More files need no more memory for what is under way: only a place each at their own router.
    let many = edited(&small, "file = { on = \"every\", count = 32 }", "file = { on = \"every\", count = 256 }");
    assert_eq!((of(&many, "shared proxies"), of(&many, "calls")), (vec![14, 8], vec![26, 30]));
    let memory = checked(&small).message_memory[0].clone();
    let bytes = |share: &MemoryShare| share.count * (share.header_bytes + share.slice_bytes);
    assert_eq!(memory.total_bytes(), memory.shares.iter().map(bytes).sum::<u64>());
}

/// The bad file of this name is bad only because of its mode.
#[test]
fn wait_graph_cycle_by_shared_asynchronous_proxy_is_found() {
    let bad = fs::read_to_string(here("tests/bad/cycle-of-order.toml")).unwrap();
    let kinds = kinds::changed("circle-of-order");
    let outcome = |text: &str| parse(text).and_then(|system| check(&system, &kinds));
    assert!(matches!(outcome(&bad), Err(PlacementError::Cycle { .. })));
    assert!(outcome(&edited(&bad, "mode = \"async\"", "mode = \"sync\"")).is_ok());
}

#[test]
fn message_memory_of_octet_stays_below_3100_kb() {
    let octet = parse(&text("octet")).and_then(|system| check(&system, &code_kinds())).unwrap();
    let count = |kind: &str| octet.instances(1).iter().filter(|instance| instance.kind == kind).count();
    assert_eq!((count("user"), count("file"), count("pipe")), (64, 256, 64));
    for (board, memory) in octet.boards.iter().zip(&octet.message_memory) {
        let bytes = memory.total_bytes();
        assert!(bytes < 3_100_000, "{}: {bytes} = {}", board.name, memory.formula());
    }
}

#[test]
fn message_memory_figures_are_explained() {
    let octet = parse(&text("octet")).and_then(|system| check(&system, &code_kinds())).unwrap();
    let legend = octet.to_legend();
    for share in octet.message_memory.iter().flat_map(|memory| &memory.shares) {
        assert!(legend.contains(&format!("\n  {}\n    ", share.what.name())), "no {:?} in\n{legend}", share.what);
    }
    // 64 programs of each of seven boards may wait here, and no other process.
    assert!(legend.contains("\n    a, b, c, d, e, f, g, h: 448 user\n"), "{legend}");
    // Each summand of the callers is a kind with its number, and they add up.
    let callers = |board: usize| octet.message_memory[board].shares.iter().find(|share| share.what == What::Callers);
    let line = legend.lines().find(|line| line.contains(" 256 file") && line.starts_with("    b, c")).unwrap();
    let sum: u64 = line.split([' ', ',']).filter_map(|word| word.parse::<u64>().ok()).sum();
    assert_eq!(Some(sum), callers(1).map(|share| share.count), "{line}");
}

#[test]
fn system_without_optional_kind_is_accepted() {
    let code = code_kinds();
    let (pair, optional) = (text("pair"), "counter");
    assert!(!pair.lines().any(|line| line.starts_with(optional)), "the pair has no optional kind");
    check(&parse(&pair).unwrap(), &code).unwrap_or_else(|error| panic!("{error}"));
    let mandatory: Vec<_> = code
        .iter()
        .map(|kind| if kind.name == optional { KindFacts { board: BoardRule::Any, ..*kind } } else { *kind })
        .collect();
    let error = check(&parse(&pair).unwrap(), &mandatory).expect_err("a family without a server");
    assert!(error.to_string().contains("calls Counter"), "{error}");
}

#[test]
fn system_octet_is_accepted() {
    let names: String = ('b'..='h').map(|name| format!("{{ name = \"{name}\", message_kib = 4096 }}, ")).collect();
    let eight = edited(&text("small"), "{ name = \"b\" },", &names);
    let eight = eight.replace("disk = true }", "disk = true, message_kib = 4096 }");
    assert_eq!(checked(&eight).boards.len(), 8);
}

#[test]
fn wait_graph_includes_forwarded_calls() {
    let system = parse(&text("small")).unwrap();
    let kinds: Vec<_> = kinds::changed("forward");
    let checked = check(&system, &kinds).unwrap_or_else(|error| panic!("{error}"));
    let group = |label: &str| (0..checked.groups.len()).find(|group| checked.label(*group) == label).unwrap();
    let waits = |from: &str, to: &str| checked.waits.contains(&(group(from), group(to)));
    assert!(waits("commit_timer@a", "inode@a") && waits("commit_timer@a", "buffer@a"));
    assert!(waits("user@b", "shared proxy@a of user@b") && waits("shared proxy@a of user@b", "buffer@a"));
    assert!(!waits("inode_directory@a", "inode@a") && !waits("inode@a", "buffer@a"), "who passes on does not wait");
    assert!(checked.forwards.contains(&(group("inode_directory@a"), group("inode@a"))));
}

#[test]
fn reference_lists_every_process_kind() {
    let reference = fs::read_to_string(here("../../docs/reference/system-files.md")).unwrap();
    for kind in code_kinds() {
        let kinds = reference.split("| Kind |").nth(1).expect("a table of kinds");
        let row = kinds.lines().find_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            (cells.len() == 6 && cells[1] == format!("`{}`", kind.name))
                .then(|| (cells[3].to_string(), cells[4].to_string()))
        });
        let place = match kind.board {
            BoardRule::Any => "any board",
            BoardRule::Optional => "any board, or none",
            BoardRule::DiskOnly => "the disk board",
            BoardRule::FileOnly => "one board, with the file system",
            BoardRule::Every => "on every board",
            BoardRule::EveryLinked => "on every board, if there are several",
            BoardRule::PerRemoteCaller | BoardRule::PerAsyncBoard => continue,
        };
        assert_eq!(row, Some((place.to_string(), kind.count_max.to_string())), "{}", kind.name);
    }
}
