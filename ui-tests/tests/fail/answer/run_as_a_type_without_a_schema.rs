//! The model is shown the schema of an answer.
use onionskin::AgentHandle;

#[derive(serde::Deserialize)]
struct Report {
    title: String,
}

async fn report(desk: &AgentHandle) -> String {
    desk.run_as::<Report>("Report.").await.unwrap().answer.title
}

fn main() {}
