//! Which calls to other boards may be asynchronous: the placement's `mode`, as data.

/// What holds for the calls of some local processes to some servers of one board, all of one kind.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRule {
    /// First and last local caller, by index.
    pub callers: (u16, u16),
    /// The servers' board.
    pub board: u8,
    /// First and last server, by index.
    pub servers: (u16, u16),
    /// Entries of the servers' protocol that return no result.
    pub releases: u32,
    /// Of these, the entries whose callers are to be released early.
    pub asynchronous: u32,
}

/// What the first rule for a call says: whether it has a result, and whether it is asynchronous.
pub(crate) fn find(rules: &[EdgeRule], caller: u16, board: u8, server: u16, op: u32) -> (bool, bool) {
    let holds = |rule: &&EdgeRule| {
        rule.board == board
            && (rule.servers.0..=rule.servers.1).contains(&server)
            && (rule.callers.0..=rule.callers.1).contains(&caller)
    };
    let bit = |set: u32| set >> op & 1 != 0;
    rules.iter().find(holds).map_or((false, false), |rule| (bit(rule.releases), bit(rule.releases & rule.asynchronous)))
}
