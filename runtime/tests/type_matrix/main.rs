//! Types that tools take and give: schema, a value there and back, every export, and what breaks the schema.
//! T3, T6, S3.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::needless_pass_by_value,
    clippy::linkedlist,
    clippy::option_option,
    clippy::unnecessary_wraps,
    clippy::wildcard_imports,
    clippy::trivially_copy_pass_by_ref,
    reason = "the tools are examples of what people write"
)]

mod cases;
mod forms;
mod judge;
mod refusals;
mod types;
