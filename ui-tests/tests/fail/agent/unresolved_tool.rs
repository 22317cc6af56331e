use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [tools::add_one],
    }
}

fn main() {}
