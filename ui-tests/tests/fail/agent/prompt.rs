//! What a prompt cannot be made of.
use onionskin::{RunContext, agent};

//~ a description of another type
agent! { Helper { instruction: "Help.", description: vec!["Helps."] } }

//~ a function that returns no text
fn guests(_: &RunContext) -> u32 { 7 }

agent! { Host { instruction: "Greet.", role: guests } }

//~ a function with another parameter
fn greeting(name: String) -> String { format!("Greet {name}.") }

agent! { PromptFunctionWithWrongParameter { instruction: greeting } }

//~ a place that is no field of the state
#[derive(Clone)]
struct Visit {
    guest: String,
}

agent! { PromptNamesNoField { instruction: "Greet {gest}.", state: Visit } }

//~ a place for a field that is no text
#[derive(Clone)]
struct UnknownVisit {
    guest: Option<String>,
}

agent! { PromptShowsNoText { instruction: "Greet {guest}.", state: UnknownVisit } }

fn main() {}
