//! An answer is read from JSON.
use onionskin::AgentHandle;

#[derive(schemars::JsonSchema)]
struct Report {
    title: String,
}

async fn report(desk: &AgentHandle) -> String {
    desk.run_as::<Report>("Report.").await.unwrap().answer.title
}

fn main() {}
