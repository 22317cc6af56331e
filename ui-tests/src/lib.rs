//! The cases stand in `tests/`.
