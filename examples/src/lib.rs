//! Programs that a user of onionskin would write.

pub mod show;
pub mod time_server;

/// The code in the README and in the guide, compiled and run as tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../README.md")]
    mod readme {}

    #[doc = include_str!("../../docs/guide.md")]
    mod guide {}
}
