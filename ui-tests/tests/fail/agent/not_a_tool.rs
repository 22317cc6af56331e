use onionskin::agent;

struct Notes;

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [Notes],
    }
}

fn main() {}
