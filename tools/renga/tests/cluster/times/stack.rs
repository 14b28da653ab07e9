//! The kernel's stack: how deep it gets.

use crate::support::{Renga, clusters_can_run};

/// The deepest chains known: exec of a script, fork to another board, signals, archives, many programs at once.
const SCRIPT: &str = "cd /tmp; printf '#!/bin/sh\necho $0\n' > script; chmod +x script; ./script
mkdir -p tree/of/names; seq 20000 > tree/of/names/numbers; tar cf tree.tar tree; rm -r tree; tar xf tree.tar
for i in 1 2 3 4 5 6 7 8; do sort -r tree/of/names/numbers | remote -b b cat | sort -n | tail -n 1 & done; wait
sleep 100 & kill $!; sync; remote -b b sh -c './script; remote -b a ./script; find / -xdev | wc -l'
";

#[test]
fn kernel_stack_use_stays_below_half() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::script(SCRIPT).end().expect_status(0);
    let said = ended.stderr.lines().find_map(|line| line.split_once("kernel stack: ")).map(|(_, said)| said);
    let numbers: Vec<usize> = said.unwrap_or("").split(' ').filter_map(|word| word.parse().ok()).collect();
    let &[used, bytes] = &numbers[..] else {
        panic!("the kernel does not say how deep its stack was\n{}", ended.report())
    };
    assert!(used > 4096, "boot alone takes more than {used} bytes");
    assert!(used < bytes / 2, "{used} of {bytes} bytes of the kernel's stack were used");
}
