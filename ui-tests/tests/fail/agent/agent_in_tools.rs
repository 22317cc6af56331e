use onionskin::agent;

agent! { Other { instruction: "Other." } }

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [Other],
    }
}

fn main() {}
