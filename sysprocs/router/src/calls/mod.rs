//! Calls under way between boards, as data: whose they are, where they are kept, which the placement lets in.

pub(crate) mod caller_index;
pub(crate) mod copies;
pub(crate) mod edge_rules;
pub(crate) mod fragment;
pub(crate) mod in_call;
pub(crate) mod out_call;
pub(crate) mod permits;
pub(crate) mod remote_callers;
pub(crate) mod send_queue;
