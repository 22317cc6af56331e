//! A user's own types under the names that everybody uses.
#![allow(dead_code)]

struct String;
struct Vec;
struct Option;
struct Result;
struct Arc;
struct Box;

struct Kb;

#[onionskin::toolbox(parts = [More], instructions = "Ask.")]
impl Kb {
    /// Adds.
    #[tool]
    fn r#move(&self, r#type: i64) -> i64 {
        r#type
    }

    /// Adds too.
    #[onionskin::tool(blocking)]
    fn add(&self, x: i64) -> i64 {
        x
    }
}

#[onionskin::toolbox(part = More)]
impl Kb {
    /// Twice.
    #[tool]
    async fn twice(x: i64) -> i64 {
        2 * x
    }
}

pub(crate) fn main() {}
