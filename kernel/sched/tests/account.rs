//! What an account says of the program that has it.

use renga_abi::account::{Count, Counts};
use renga_abi::policy::{Class, Policy};
use renga_sched::Account;

#[test]
fn new_program_may_run_on_all_cores_by_its_policy() {
    let (account, policy) = (Account::new(), Policy { class: Class::Idle, ..Policy::DEFAULT });
    account.set_policy(policy);
    account.schedule().publish(Policy::DEFAULT, 1); // for the program before it
    account.begin(0, false, &Counts::default());
    assert_eq!(account.schedule().published(), (policy, u8::MAX));
    assert!(account.schedule().is_runnable());
}

#[test]
fn new_program_counts_from_nothing_on_all_cores() {
    let (account, mut elsewhere) = (Account::new(), Counts::default());
    account.charge(Count::UserNs, 5);
    elsewhere[Count::UserNs as usize] = 7;
    account.begin(0, false, &elsewhere);
    assert_eq!(account.counted(Count::UserNs).wrapping_add(7), 0, "together with the other cores");
}

#[test]
fn report_waits_for_enough_time_or_a_block() {
    let report = |elsewhere_ns, blocks| {
        let mut all = Counts::default();
        all[Count::ElsewhereNs as usize] = elsewhere_ns;
        all[Count::BlocksRead as usize] = blocks;
        let account = Account::new();
        (account.take_unreported(&all), account.take_unreported(&all))
    };
    assert_eq!(report(199_999, 0), ([0; 3], [0; 3]));
    assert_eq!(report(200_000, 0), ([200_000, 0, 0], [0; 3]), "once");
    assert_eq!(report(1, 2), ([1, 2, 0], [0; 3]), "blocks at once");
}
