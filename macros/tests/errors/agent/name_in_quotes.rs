use onionskin::agent;

agent! { "Helper" { instruction: "Help." } }

fn main() {
    let _ = Helper::builder();
}
