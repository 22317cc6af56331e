use onionskin::agent;

agent!(card = "tests/errors/card/ready_hook_without_its_crate/clerk.md");

fn main() {
    let _ = Clerk::builder();
}
