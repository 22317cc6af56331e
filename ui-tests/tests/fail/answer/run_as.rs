//! Types that a run cannot answer with.
use std::collections::BTreeMap;

use onionskin::AgentHandle;

//~ a type that is not read from JSON
#[derive(schemars::JsonSchema)]
struct NotRead {
    title: String,
}

//~ a type without a schema
#[derive(serde::Deserialize)]
struct WithoutSchema {
    title: String,
}

async fn report(desk: &AgentHandle) -> [String; 2] {
    let one = desk.run_as::<NotRead>("Report.").await.unwrap().answer.title;
    let other = desk.run_as::<WithoutSchema>("Report.").await.unwrap().answer.title;
    [one, other]
}

//~ a function
// A model writes no functions.
async fn run_as_a_function(desk: &AgentHandle) -> u32 {
    let run = desk.request("Report.").run_as::<fn() -> u32>().await.unwrap();
    (run.answer)()
}

//~ a map with keys of another type
// A part of the type has no schema.
#[derive(PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
struct Key(u8, u8);

async fn run_as_a_map_of_another_key(desk: &AgentHandle) -> usize {
    desk.run_as::<BTreeMap<Key, u32>>("Report.").await.unwrap().answer.len()
}

//~ a stream of a type without a schema
// The model is shown the schema of an answer, streamed or not.
#[derive(serde::Deserialize)]
struct Report {
    title: String,
}

async fn stream_as_a_type_without_a_schema(desk: &AgentHandle) -> String {
    let mut run = desk.request("Report.").stream_as::<Report>();
    while run.next().await.is_some() {}
    run.output().await.unwrap().answer.title
}

fn main() {}
