//! Structs whose fields have default values where they are declared (as Rust's RFC 3681 proposes).
//!
//! Invariant: a field and its default stand in one line, so that a new field needs no second place. Called by: records
//! that boot provides room for, and states of servers. Not here: structs all of whose defaults are their types' own
//! (`Default`).

/// Declares a struct, and behind it its first value: a constant, a function of what the defaults name, or `Default`.
///
/// ```
/// renga_rt::with_defaults! {
///     /// A counter.
///     struct Counter { count: u64 = 0, step: u64 = step }
///     /// One that counts by `step`.
///     fn by(step: u64);
/// }
/// assert_eq!(Counter::by(2).count + Counter::by(2).step, 2);
/// ```
#[macro_export]
macro_rules! with_defaults {
    ($(#[$meta:meta])* $vis:vis struct $S:ident {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty = $default:expr),+ $(,)?
    } impl Default;) => {
        $(#[$meta])*
        $vis struct $S { $($(#[$field_meta])* $field_vis $field: $type),+ }
        impl Default for $S { fn default() -> Self { Self { $($field: $default),+ } } }
    };
    ($(#[$meta:meta])* $vis:vis struct $S:ident $([$($bounds:tt)+] $G:ident)? {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty = $default:expr),+ $(,)?
    } $($first:tt)+) => {
        $(#[$meta])*
        $vis struct $S $(<$($bounds)+>)? { $($(#[$field_meta])* $field_vis $field: $type),+ }
        impl $(<$($bounds)+>)? $S $(<$G>)? { $crate::with_defaults! { @ [$($first)+] $($field: $default),+ } }
    };
    (@ [$(#[$meta:meta])* $vis:vis const fn $first:ident($($arguments:tt)*);] $($field:ident: $default:expr),+) => {
        $(#[$meta])* $vis const fn $first($($arguments)*) -> Self { Self { $($field: $default),+ } }
    };
    (@ [$(#[$meta:meta])* $vis:vis const $FIRST:ident;] $($field:ident: $default:expr),+) => {
        $(#[$meta])* $vis const $FIRST: Self = Self { $($field: $default),+ };
    };
    (@ [$(#[$meta:meta])* $vis:vis fn $first:ident($($arguments:tt)*);] $($field:ident: $default:expr),+) => {
        $(#[$meta])* $vis fn $first($($arguments)*) -> Self { Self { $($field: $default),+ } }
    };
}
