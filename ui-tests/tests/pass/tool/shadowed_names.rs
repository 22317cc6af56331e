#![allow(dead_code, non_camel_case_types, unused_macros)]
use onionskin::tool;

struct String;
struct Vec;
struct Box;
struct Some;
struct None;
struct Ok;
struct Err;
enum Option {}
enum Result {}
trait Default {}
trait Send {}
trait Future {}
trait Into {}
mod core {}
mod std {}
mod serde {}
mod schemars {}
type str = ();
type bool = ();
macro_rules! assert {
    () => {};
}
macro_rules! panic {
    () => {};
}

/// Adds one.
#[tool(title = "Add", meta = ::onionskin::__private0::Value::Null, max_calls = 3, output_schema = ::onionskin::__private0::Value::Null, timeout = 1)]
async fn add_one(#[arg(default = 1)] x: i64, y: &i64, z: &[i64]) -> i64 {
    x + y + z[0]
}

pub(crate) fn main() {}
