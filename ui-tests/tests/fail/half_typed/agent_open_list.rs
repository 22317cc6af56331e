onionskin::agent! {
    Helper {
        instruction: "Help.",
        function_tools: [add_one,
    }
}

fn main() {}
