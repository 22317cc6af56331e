//! A model writes no functions.
use onionskin::AgentHandle;

async fn report(desk: &AgentHandle) -> u32 {
    let run = desk.request("Report.").run_as::<fn() -> u32>().await.unwrap();
    (run.answer)()
}

fn main() {}
