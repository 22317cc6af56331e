//! The model is shown the schema of an answer, streamed or not.
use onionskin::AgentHandle;

#[derive(serde::Deserialize)]
struct Report {
    title: String,
}

async fn report(desk: &AgentHandle) -> String {
    let mut run = desk.request("Report.").stream_as::<Report>();
    while run.next().await.is_some() {}
    run.output().await.unwrap().answer.title
}

fn main() {}
