//! A hook with shared state that requires approval, records what it counts and brings a tool.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use onionskin_core::approval::RequireApproval;
use onionskin_core::made::{FromValues, HookTools};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{
    Args, Effect, Hook, Inject, Next, RunContext, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult,
};

/// What each user has spent, in cents: a service of the program, which all agents and runs share. Clones share the sums.
#[derive(Debug, Clone, Default)]
pub struct Spent(Arc<Mutex<BTreeMap<String, Sums>>>);

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    spent: u64,
    /// Of payments that run, or wait for a person.
    reserved: u128,
}

/// A payment that is not made yet. It leaves the sums with this value.
struct Reserved<'s> {
    sums: &'s Spent,
    user: String,
    cents: u64,
    /// What was spent and reserved before it.
    so_far: u64,
}

impl Spent {
    fn with<T>(&self, user: &str, change: impl FnOnce(&mut Sums) -> T) -> T {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(sums.entry(user.to_owned()).or_default())
    }

    /// The sum of a user.
    pub fn by(&self, user: &str) -> u64 {
        self.with(user, |sums| sums.spent)
    }

    fn add(&self, user: &str, cents: u64) {
        self.with(user, |sums| sums.spent = sums.spent.saturating_add(cents));
    }

    /// Reads the sums and reserves a payment in one step, so that two calls at the same time do not pass the limit together.
    fn reserve(&self, user: String, cents: u64) -> Reserved<'_> {
        let so_far = self.with(&user, |sums| {
            let so_far = u128::from(sums.spent) + sums.reserved;
            sums.reserved += u128::from(cents);
            u64::try_from(so_far).unwrap_or(u64::MAX)
        });
        Reserved { sums: self, user, cents, so_far }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.sums.with(&self.user, |sums| sums.reserved -= u128::from(self.cents));
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
        let user = user(cx.run());
        let reserved = spent.reserve(user.clone(), cents(args).unwrap_or(0));
        // A replay decides by the sum of the first run.
        let so_far = cx.record("third_party.so_far", async || reserved.so_far).await;
        let is_over = move |_: &ToolContext, args: &Args| {
            args.get("cents")?;
            let sum = so_far.saturating_add(cents(args).unwrap_or(u64::MAX));
            (sum > most).then(|| format!("{sum} cents are more than {most}"))
        };
        let output = RequireApproval::inject(cx)?.run(args, next, is_over).await?;
        if let Some(cents) = cents(args) {
            // A replay counts no payment again.
            cx.record("third_party.spent", async || spent.add(&user, cents)).await;
        }
        Ok(output)
    }
}

fn cents(args: &Args) -> Option<u64> {
    args.get("cents")?.as_u64()
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
