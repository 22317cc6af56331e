//! Random numbers from the standard library.

use std::hash::{BuildHasher, Hasher};

/// A random number from the standard library's hash seeds, for ids and jitter. Do not use it for secrets.
pub fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
