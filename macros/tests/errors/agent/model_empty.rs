use onionskin::agent;

agent! { Helper { instruction: "Help.", model: "" } }

fn main() {
    let _ = Helper::builder();
}
