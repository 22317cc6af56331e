use onionskin::agent;

agent!("tests/errors/card/path_without_a_key/clerk.md");

fn main() {
    let _ = Clerk::builder();
}
