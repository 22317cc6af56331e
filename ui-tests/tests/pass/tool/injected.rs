use onionskin::tool;

use onionskin::{CancellationToken, Progress, RunContext, SessionState, State, ToolContext};
use onionskin::definition::ToolSource;
use onionskin::run::{AgentInfo, IdempotencyKey, Team};

struct App {
    #[allow(dead_code)]
    level: u8,
}

impl Clone for App {
    fn clone(&self) -> Self {
        Self { level: self.level }
    }
}

/// Takes everything.
#[tool]
async fn everything(
    context: &ToolContext,
    token: CancellationToken,
    progress: Progress,
    key: IdempotencyKey,
    state: State<App>,
    run: &RunContext,
    agent: &AgentInfo,
    team: Team,
    session: &SessionState,
    source: ToolSource,
    _: ToolSource,
    x: u8,
) -> u8 {
    let _ = (context, token, progress, key, state, run, agent, team, session, source);
    x
}

/// Takes it on a thread.
#[tool(blocking)]
fn on_a_thread(context: &ToolContext, state: State<App>, list: &[u8], text: Option<&str>) -> usize {
    let _ = (context, state, text);
    list.len()
}

fn fits<S, T: onionskin::Tool<State: onionskin::__private0::FitsState<S>>>() {}

pub(crate) fn main() {
    fits::<App, everything>();
    fits::<App, on_a_thread>();
}
