//! Makes the calls of cases from the Berkeley Function Calling Leaderboard: an agent with a scripted model uses our MCP
//! server over HTTP, and the tools of the server have the judge execute each call.
//!
//! The judge writes a case in each line of the standard input, and reads a line for each call and at the end of each turn.

mod bench;
mod case;
mod later;
mod pipe;
mod script;

use std::error::Error;
use std::sync::Arc;

use bench::Bench;
use case::{Case, Report};
use pipe::Pipe;

type BoxError = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let pipe = Arc::new(Pipe::new());
    let mut bench = None;
    while let Some(case) = pipe.read::<Case>().await? {
        if let Err(error) = replay(&pipe, &case, &mut bench).await {
            pipe.write(&Report::Failed(error.to_string())).await?;
        }
    }
    Ok(())
}

/// Makes the calls of a case, with the bench of the case before it if that has the same tools.
async fn replay(pipe: &Arc<Pipe>, case: &Case, bench: &mut Option<Bench>) -> Result<(), BoxError> {
    let bench = match bench.take() {
        Some(same) if same.has(&case.tools) => bench.insert(same),
        other => {
            if let Some(other) = other {
                other.end().await?;
            }
            bench.insert(Bench::start(pipe, case.tools.clone()).await?)
        }
    };
    bench.script.begin(case);
    let session = bench.agent.session();
    for turn in &case.turns {
        bench.offer(pipe, turn).await?;
        bench.agent.request(&*turn.input).session(&session).run().await?;
        pipe.write(&Report::Turn(bench.script.shown())).await?;
    }
    Ok(bench.script.played().finish()?)
}
