//! What a prompt cannot be made of.
use onionskin::{RunContext, agent};

//~ description of another type
agent! { Helper { instruction: "Help.", description: vec!["Helps."] } }

//~ prompt function returns no text
fn guests(_: &RunContext) -> u32 { 7 }

agent! { Host { instruction: "Greet.", role: guests } }

//~ prompt function with wrong parameter
fn greeting(name: String) -> String { format!("Greet {name}.") }

agent! { PromptFunctionWithWrongParameter { instruction: greeting } }

//~ prompt names no field
#[derive(Clone)]
struct Visit {
    guest: String,
}

agent! { PromptNamesNoField { instruction: "Greet {gest}.", state: Visit } }

//~ prompt shows no text
#[derive(Clone)]
struct UnknownVisit {
    guest: Option<String>,
}

agent! { PromptShowsNoText { instruction: "Greet {guest}.", state: UnknownVisit } }

fn main() {}
