//! A hook with shared state that requires approval, records what it counts and brings a tool.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use onionskin_core::approval::RequireApproval;
use onionskin_core::made::{FromValues, HookTools};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{
    Args, Effect, Hook, Inject, Next, RunContext, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult,
};

/// What each user has spent, in cents: a service of the program, which all agents and runs share. Clones share the sums.
#[derive(Debug, Clone, Default)]
pub struct Spent(Arc<Mutex<BTreeMap<String, u64>>>);

impl Spent {
    fn sums(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sum of a user.
    pub fn by(&self, user: &str) -> u64 {
        self.sums().get(user).copied().unwrap_or(0)
    }

    fn add(&self, user: &str, cents: u64) {
        *self.sums().entry(user.to_owned()).or_default() += cents;
    }
}

fn user(run: &RunContext) -> String {
    run.user().unwrap_or("nobody").to_owned()
}

/// Asks a person about each payment with which its user has spent more than this, in cents, and brings the tool [`Sum`]. It takes the service
/// [`Spent`]. `agent!` makes it of its value: `tool_hooks: [Budget(10_000)]`.
#[derive(Debug, Clone, Copy)]
pub struct Budget(u64);

impl From<(u64,)> for Budget {
    fn from((cents,): (u64,)) -> Self {
        Self(cents)
    }
}

impl Hook for Budget {
    type Made = FromValues<(u64,)>;

    fn services(taken: &mut ServiceTypes) {
        taken.add::<Spent>();
        RequireApproval::services(taken);
    }

    fn tools(brought: &mut HookTools) {
        brought.add(Sum);
    }

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let (spent, most) = (cx.provided::<Spent>()?.into_shared(), self.0);
        // A replay decides by the sum of the first run.
        let so_far = cx.record("third_party.so_far", async || spent.by(&user(cx.run()))).await;
        RequireApproval::inject(cx)?.when(move |_, args| {
            let cents = args.get("cents")?.as_u64().unwrap_or(u64::MAX);
            let sum = so_far.saturating_add(cents);
            (sum > most).then(|| format!("{sum} cents are more than {most}"))
        });
        let output = next.run(args).await?;
        if let Some(cents) = args.get("cents").and_then(serde_json::Value::as_u64) {
            // A replay counts no payment again.
            cx.record("third_party.spent", async || spent.add(&user(cx.run()), cents)).await;
        }
        Ok(output)
    }
}

/// The tool `spent`: what the user has spent.
#[derive(Debug, Clone, Copy)]
pub struct Sum;

static DEFINITION: LazyLock<ToolDefinition> = LazyLock::new(|| {
    let mut definition =
        ToolDefinition::new(Sum::NAME, "Tells how many cents were spent.").takes_service::<Spent>();
    // The sum changes.
    definition.effect = Effect::Idempotent;
    definition
});

impl Tool for Sum {
    const NAME: &'static str = "spent";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &DEFINITION
    }

    async fn run(&self, cx: &ToolContext, _: &mut Args) -> ToolResult {
        let sum = cx.provided::<Spent>()?.by(&user(cx.run()));
        Ok(ToolOutput::text(format!("{sum} cents")))
    }
}
