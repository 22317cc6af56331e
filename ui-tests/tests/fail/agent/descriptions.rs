//! Children with the same name, tools with the same name, and a child that nothing describes.
use onionskin::{agent, tool};

//~ two children with the same name
agent! {
    One { name: "worker", description: "Works.", instruction: "Work." }
    Two { name: "worker", description: "Works.", instruction: "Work." }
}

agent! { Helper { instruction: "Help.", agents: [One, Two] } }

//~ two tools with the same name
mod math {
    /// Adds one.
    #[onionskin::tool(name = "add")]
    pub fn add_one(x: i64) -> i64 {
        x + 1
    }
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 { a + b }

agent! { DuplicateToolNames { instruction: "Help.", function_tools: [add, math::add_one] } }

//~ a child without a description
agent! {
    Researcher {
        instruction: "Look things up.",
    }

    Writer {
        instruction: "Write it.",
        agents: [Researcher],
    }
}

fn main() {}
