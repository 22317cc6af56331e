//! Everything that a hook can be given, in one hook, and a type of the user's own.
use crate::parts::are_hooks;
use onionskin::{Args, CancellationToken, Exit, Inject, Next, Progress, RunContext, SessionState, State, ToolContext, ToolResult, tool_hook};
use onionskin::definition::ToolSource;
use onionskin::run::{AgentInfo, IdempotencyKey, Team};

struct Caller(String);

impl<'a> Inject<'a> for Caller {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self(cx.agent_name().to_owned()))
    }
}

#[derive(Clone)]
struct Ledger;

type Shared = State<Ledger>;
type Context = ToolContext;

#[tool_hook]
async fn everything(
    ctx: &Context,
    run: &RunContext,
    agent: &AgentInfo,
    owned_agent: AgentInfo,
    team: Team,
    session_state: &SessionState,
    source: ToolSource,
    cancel: CancellationToken,
    key: IdempotencyKey,
    progress: Progress,
    state: State<Ledger>,
    shared: Shared,
    #[inject] name: Caller,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    let _ = (ctx, run, agent, owned_agent, team, session_state, source, cancel, key, progress, state, shared, name.0);
    next.run(args).await
}

pub(crate) fn main() {
    are_hooks!(everything);
}
