//! What processes share is known for each that the list of kinds gives anything.

use renga_systems::shared::{SHARED, is_of_all_cores, is_own};
use renga_systems::{FACTS, Kind};

/// New state given to processes must be declared as shared or not.
/// Holds: cores-cells.
#[test]
fn shared_every_given_expression_is_classified() {
    for facts in FACTS {
        for expression in facts.given {
            let known = SHARED.iter().any(|shared| shared.is_in(expression));
            assert!(is_own(expression) || is_of_all_cores(expression) || known, "{}: {expression}", facts.kind.name());
        }
    }
}

/// What is made for all cores is so by its type.
#[test]
fn shared_state_of_all_cores_is_allowed() {
    fn shared<T: Sync + ?Sized>() {}
    shared::<renga_proto::sessions::Sessions>();
    shared::<renga_rt::WatchFilters>();
    shared::<[renga_rt::proc_info::ProcInfo]>();
    shared::<renga_memory::SpaceTables>();
}

#[test]
fn shared_entry_serves_several_kinds() {
    for shared in &SHARED {
        let kinds: Vec<&str> =
            FACTS.iter().filter(|facts| shared.is_of(facts)).map(|facts| facts.kind.name()).collect();
        assert!(kinds.len() > 1, "{}: {kinds:?}", shared.name);
    }
    let of = |kind: Kind| SHARED.iter().filter(|shared| shared.is_of(kind.facts())).count();
    assert_eq!((of(Kind::Disk), of(Kind::Buffer), of(Kind::Inode), of(Kind::PathLookup)), (0, 0, 1, 1));
}
