use std::rc::Rc;

use onionskin::agent;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Report {
    #[serde(skip)]
    cache: Rc<u32>,
    title: String,
}

agent! {
    Desk { instruction: "Report.", output: Report }
}

fn main() {}
