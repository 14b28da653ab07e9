//! The file is read as it was written, and nothing else is.

use proptest::prelude::*;
use renga_boot_card::{LinkMode, Model, NodeFault, NodeFile};

const NODE: NodeFile<'static> = NodeFile {
    cluster: "lab",
    system: "pair",
    placement: 0x0123_4567_89ab_cdef,
    board: 1,
    name: "b",
    boards: "a,b",
    model: Model::Zero2W,
    link: LinkMode::Pins,
};

/// The text with its last line as its other lines demand.
fn summed(body: &str) -> String {
    let Err(NodeFault::Check { computed, .. }) = NodeFile::parse(format!("{body}check=00000000\n").as_bytes()) else {
        panic!("a sum of zero is unlikely")
    };
    format!("{body}check={computed:08x}\n")
}

fn body() -> String {
    let text = NODE.to_string();
    text[..text.find("check=").expect("it has one")].to_string()
}

#[test]
fn node_file_roundtrip() {
    let text = NODE.to_string();
    assert_eq!(NodeFile::parse(text.as_bytes()), Ok(NODE));
    assert_eq!(summed(&body()), text);
    // As it lies on a card: a whole sector, by an editor that ends lines in its own way.
    let mut sector = text.replace('\n', "\r\n").into_bytes();
    sector.resize(512, 0);
    assert_eq!(NodeFile::parse(&sector), Ok(NODE));
}

#[test]
fn node_file_checksum_is_known() {
    // CRC-32C of the lines, computed by another program: a change of the polynomial would strand every card.
    assert!(NODE.to_string().ends_with("link=pins\ncheck=e3db71b7\n"), "{NODE}");
}

#[test]
fn node_file_changed_byte_is_refused() {
    let text = NODE.to_string().into_bytes();
    for at in 0..text.len() - 1 {
        for bit in 0..8 {
            let mut changed = text.clone();
            changed[at] ^= 1 << bit;
            assert!(NodeFile::parse(&changed).is_err(), "byte {at} bit {bit}: {}", String::from_utf8_lossy(&changed));
        }
    }
}

#[test]
fn node_file_faults_are_named() {
    let with = |from: &str, to: &str| summed(&body().replace(from, to));
    let cases = [
        (with("system=pair\n", ""), NodeFault::Missing("system")),
        (with("system=pair\n", "system=pair\nsystem=pair\n"), NodeFault::Twice("system")),
        (with("name=b\n", "name=b\nspeed=9\n"), NodeFault::Line(7)),
        (with("name=b\n", "name=b\n\n"), NodeFault::Line(7)),
        (with("board=1", "board=256"), NodeFault::Value("board")),
        (with("board=1", "board=2"), NodeFault::NotAmongBoards),
        (with("name=b", "name=c"), NodeFault::NotAmongBoards),
        (with("cluster=lab", "cluster="), NodeFault::Value("cluster")),
        (with("cluster=lab", "cluster=my lab"), NodeFault::Value("cluster")),
        (with("boards=a,b", "boards=a,b,"), NodeFault::Value("boards")),
        (with("zero2w", "zero9"), NodeFault::Value("model")),
        (with("link=pins", "link=wet-string"), NodeFault::Value("link")),
        (with("89abcdef", "89ABCDEF"), NodeFault::Value("placement")),
        (body(), NodeFault::Missing("check")),
        (format!("{}check=1\n", body()), NodeFault::Value("check")),
        ("renga-node 2\n".into(), NodeFault::Version),
        (String::new(), NodeFault::Version),
    ];
    for (text, fault) in cases {
        assert_eq!(NodeFile::parse(text.as_bytes()), Err(fault), "{text}");
    }
    assert_eq!(NodeFile::parse(&[0xff; 9]), Err(NodeFault::NotText));
}

proptest! {
    #[test]
    fn node_file_no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = NodeFile::parse(&bytes);
        let lines = [b"renga-node 1\n".as_slice(), &bytes].concat();
        let _ = NodeFile::parse(&lines);
    }
}
