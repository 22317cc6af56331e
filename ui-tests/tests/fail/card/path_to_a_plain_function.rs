use onionskin::agent;

pub fn add_one(x: i64) -> i64 {
    x + 1
}

agent!(card = "tests/fail/card/path_to_a_plain_function/clerk.md");

fn main() {}
