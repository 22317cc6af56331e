use onionskin::agent;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Report(#[allow(dead_code)] String);

agent! {
    pub Desk { instruction: "Report.", output: Report }
}

fn main() {}
