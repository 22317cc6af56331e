//! Types that tools take and give: schema, a value there and back, every export, and what breaks the schema.
//! T3, T6, S3.
#![allow(missing_docs, unreachable_pub, reason = "the tools are examples of what people write")]
#![allow(clippy::linkedlist, clippy::pedantic, reason = "the tools are examples of what people write")]

mod cases;
mod forms;
mod judge;
mod refusals;
mod types;
