//! What the firmware leaves is read, and rubbish does no harm.

use renga_board_rpi::arguments::Arguments;

fn atags(records: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (tag, body) in records {
        bytes.extend((2 + body.len().div_ceil(4) as u32).to_le_bytes());
        bytes.extend(tag.to_le_bytes());
        bytes.extend(*body);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes.extend([0; 8]);
    bytes
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn device_tree(bootargs: &[u8]) -> Vec<u8> {
    let strings = b"#address-cells\0#size-cells\0bootargs\0reg\0linux,initrd-start\0linux,initrd-end\0";
    let mut structure = words(&[1, 0, 3, 4, 0, 1, 3, 4, 15, 1, 1]);
    structure.extend(b"chosen\0\0");
    structure.extend(words(&[3, bootargs.len() as u32, 27]));
    structure.extend(bootargs);
    structure.resize(structure.len().next_multiple_of(4), 0);
    // One word here, two there: boot loaders write both.
    structure.extend(words(&[3, 4, 40, 0x800_0000, 3, 8, 59, 0, 0x800_0210]));
    structure.extend(words(&[2, 1]));
    structure.extend(b"memory@0\0\0\0\0");
    structure.extend(words(&[3, 8, 36, 0, 0x3b40_0000, 2, 2, 9]));
    let (header, total) = (40, 40 + structure.len() + strings.len());
    let mut tree = words(&[0xd00d_feed, total as u32, header, header + structure.len() as u32, 0, 17, 16, 0, 0, 0]);
    tree.extend(structure);
    tree.extend(strings);
    tree
}

#[test]
fn arguments_atags_give_command_line_and_memory() {
    let mut memory = 0x3c00_0000u32.to_le_bytes().to_vec();
    memory.extend([0; 4]);
    let core = (0x5441_0001, &[0; 12][..]);
    let loaded = [0, 0, 0, 8, 0x10, 2, 0, 0]; // at 128 MiB, 528 bytes
    let bytes =
        atags(&[core, (0x5441_0002, &memory), (0x5442_0005, &loaded), (0x5441_0009, b"quiet board=1 profile=pi3\0")]);
    let arguments = Arguments::parse(&bytes);
    assert_eq!(arguments.memory, Some(0..0x3c00_0000));
    assert_eq!(arguments.loaded, Some(0x800_0000..0x800_0210));
    assert_eq!(arguments.number("board"), Some(1));
    assert_eq!(arguments.value("profile"), Some("pi3"));
    assert_eq!(arguments.value("oard"), None);
}

#[test]
fn arguments_device_tree_gives_same_as_atags() {
    let bytes = device_tree(b"board=3\0");
    let arguments = Arguments::parse(&bytes);
    assert_eq!(arguments.memory, Some(0..0x3b40_0000));
    assert_eq!(arguments.loaded, Some(0x800_0000..0x800_0210));
    assert_eq!(arguments.number("board"), Some(3));
}

#[test]
fn arguments_rubbish_gives_none() {
    assert_eq!(Arguments::parse(&[]), Arguments::default());
    assert_eq!(Arguments::parse(&[0xff; 100]), Arguments::default());
    let good = device_tree(b"board=3\0");
    let list = atags(&[(0x5441_0001, &[]), (0x5441_0009, b"board=2\0")]);
    for bytes in [good, list] {
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0xff;
            let _ = Arguments::parse(&bad);
            let _ = Arguments::parse(&bytes[..at]);
        }
    }
}
