//! A part of the type has no schema.
use std::collections::BTreeMap;

use onionskin::AgentHandle;

#[derive(PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
struct Key(u8, u8);

async fn report(desk: &AgentHandle) -> usize {
    desk.run_as::<BTreeMap<Key, u32>>("Report.").await.unwrap().answer.len()
}

fn main() {}
