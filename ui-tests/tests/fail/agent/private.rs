//! A type of a public agent that is private.
use onionskin::agent;

//~ a private state
#[derive(Clone)]
struct Ledger;

agent! { pub Helper { instruction: "Help.", state: Ledger } }

//~ a private output
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Report(#[allow(dead_code)] String);

agent! { pub Desk { instruction: "Report.", output: Report } }

fn main() {}
