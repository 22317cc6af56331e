use onionskin::{agent, tool};

mod math {
    /// Adds one.
    #[onionskin::tool(name = "add")]
    pub fn add_one(x: i64) -> i64 {
        x + 1
    }
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [add, math::add_one],
    }
}

fn main() {}
