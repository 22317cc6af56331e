//! Agents, models and stores of the tests.

use std::sync::Arc;

use onionskin::budget::{
    Account, Amounts, Budget, BudgetExceeded, BudgetKey, BudgetScope, BudgetStore, MemoryBudgets,
};
use onionskin::model::{Model, ModelResponse, ToolCall, Usage};
use onionskin::run::Limit;
use onionskin::{RunError, agent, tool};

use crate::answers::answers;

/// Looks up.
#[tool(effect = pure)]
pub fn look(x: u32) -> u32 {
    x + 1
}

agent! {
    pub Clerk { name: "clerk", description: "Answers.", instruction: "Answer.", function_tools: [look] }
    pub Boss { name: "boss", instruction: "Ask.", agents: [Clerk], function_tools: [look] }
}

/// A store that tests look into.
pub fn store() -> Arc<MemoryBudgets> {
    Arc::default()
}

/// A budget of all runs with this many tokens.
pub fn tokens(max: u64) -> Budget {
    Budget::new("tokens", BudgetScope::All).tokens(max)
}

/// What was spent from a budget of all runs.
pub async fn spent(store: &impl BudgetStore, budget: &Budget) -> Amounts {
    spent_by(store, budget, "").await
}

/// What a user, a session or a run spent.
pub async fn spent_by(store: &impl BudgetStore, budget: &Budget, id: &str) -> Amounts {
    let account: Option<Account> = store.account(&BudgetKey::new(budget, id)).await.unwrap();
    account.map(|account| account.spent).unwrap_or_default()
}

/// An answer of this size.
pub fn says(text: &str, input: u64, output: u64) -> ModelResponse {
    let mut answer = ModelResponse::text(text);
    answer.usage = Usage::new(input, output);
    answer
}

/// Calls of tools, which cost this many tokens.
pub fn calls(calls: &[(&str, &str)], input: u64, output: u64) -> ModelResponse {
    let calls = calls.iter().enumerate();
    let calls = calls.map(|(number, (tool, args))| ToolCall::new(format!("c{number}"), *tool, *args));
    let mut answer = ModelResponse::tool_calls(calls);
    answer.usage = Usage::new(input, output);
    answer
}

/// A model that answers each request with 100 tokens of input and 10 of output: after `turns` turns with a call of
/// `look`, with a text.
pub fn looks(turns: usize) -> impl Model {
    answers(move |request, _| {
        let answered = request.messages.iter().filter(|message| message.is_input()).count();
        let turn = request.messages.len() / 2 + 1 - answered.saturating_sub(1);
        Ok(if turn <= turns { calls(&[("look", r#"{"x": 1}"#)], 100, 10) } else { says("Done.", 100, 10) })
    })
}

/// The budget that ended a run.
#[track_caller]
pub fn exceeded<T: std::fmt::Debug>(end: Result<T, RunError>) -> BudgetExceeded {
    match end {
        Err(RunError::Limit { limit: Limit::Budget(exceeded), .. }) => exceeded,
        other => panic!("the budget did not end the run: {other:?}"),
    }
}
