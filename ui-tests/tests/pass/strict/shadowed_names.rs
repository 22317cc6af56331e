#![allow(dead_code, non_camel_case_types, unused_macros)]

struct String;
struct Vec;
struct Box;
enum Option {}
enum Result {}
trait Default {}
mod core {}
mod std {}
mod onionskin {}
type str = ();
type usize = ();
macro_rules! assert {
    () => {};
}

#[derive(peel::Strict)]
#[strict(crate = ::peel)]
struct r#struct<'a, T: ?::core::marker::Sized + 'a> {
    r#type: &'a T,
    next: &'a [::std::boxed::Box<r#struct<'a, T>>],
}

#[derive(peel::Strict)]
#[strict(crate = ::peel)]
enum Shape {
    r#Circle { r: u8 },
    Both(Flat),
}

#[derive(peel::Strict)]
#[strict(crate = ::peel)]
struct Flat {
    #[cfg(any())]
    never: Result,
    x: i64,
}

/// Adds one.
#[peel::tool(strict, crate = ::peel)]
fn add_one(x: i64, #[arg(default = 2)] y: &i64, all: &[i64]) -> i64 {
    x + y + all[0]
}

pub(crate) fn main() {}
