// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
use onionskin::agent;

fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [add_one],
    }
}

fn main() {}
