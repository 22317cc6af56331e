//! The budgets of a run.

use std::future::pending;

use super::{AbortCause, RunContext};
use crate::budget::{BudgetError, BudgetStatus, Budgets, Held, Need};
use onionskin_definitions::error::{ErrorKind, ToolError};

impl RunContext {
    /// What is left of the budgets of the run, those of its callers first.
    ///
    /// The values change at any time, and a replay of the run reads other ones. A hook that decides by them records its
    /// decision ([`ToolContext::record`](crate::ToolContext::record)).
    ///
    /// ```
    /// use onionskin::budget::{Budget, BudgetScope, Resource};
    /// use onionskin::{Args, Exit, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook};
    /// use serde_json::json;
    ///
    /// /// Refuses calls when less than half of a budget is left.
    /// #[tool_hook]
    /// async fn save(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    ///     let budgets = ctx.run().budgets().await.map_err(|error| Exit::abort(error.to_string()))?;
    ///     let is_low = |resource| budgets.iter().any(|budget| budget.left(resource) < budget.max(resource).map(|max| max / 2));
    ///     if is_low(Resource::Tokens) { Err("answer without tools: few tokens are left".into()) } else { next.run(args).await }
    /// }
    ///
    /// /// Looks up.
    /// #[tool]
    /// fn look() -> &'static str {
    ///     "a lamp"
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer.", function_tools: [look], tool_hooks: [save] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let turns = [ScriptedTurn::call("look", json!({})), ScriptedTurn::say("{last}")];
    /// let clerk = Clerk::builder().model(ScriptedModel::turns(turns));
    /// let budget = Budget::new("run", BudgetScope::Run).tokens(1_000_000);
    /// assert_eq!(clerk.budget(budget).run("What is there?").await.unwrap().text, "a lamp");
    /// # });
    /// ```
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns the error of the store of budgets.
    pub async fn budgets(&self) -> Result<Vec<BudgetStatus>, BudgetError> {
        self.0.seed.budgets.status().await
    }

    /// Reserves a start of a tool, or refuses it. If the store fails, the run ends.
    pub(in crate::context) async fn reserve_call(&self) -> Result<Option<Held>, ToolError> {
        match self.0.seed.budgets.reserve(Need::Call).await {
            Ok(held) => Ok(held),
            Err(BudgetError::Exceeded(exceeded)) => {
                let text = format!("not run: the limit of {exceeded} is reached");
                Err(ToolError::new(text).with_kind(ErrorKind::Limit).with_source(exceeded))
            }
            Err(error) => {
                self.abort_for(AbortCause::Budget(error));
                // The run sees the abort and drops this future, so that no result is recorded.
                pending().await
            }
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// The budgets that the run and its children spend.
    pub fn shared_budgets(&self) -> &Budgets {
        &self.0.seed.budgets
    }
}
