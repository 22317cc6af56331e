onionskin::agent! {
    Helper {
        instruction: "Help.",

fn main() {}
