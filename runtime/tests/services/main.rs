//! Services: values that the program provides by their type, and that tools, hooks and guardrails take.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]
#![allow(clippy::unused_self, reason = "tests say what they expect")]

mod built;
mod calls;
mod live;
mod requests;
mod states;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use onionskin::services::ServiceTypes;
use onionskin::{
    Exit, Inject, Provided, ToolContext, ToolOutput, agent, guardrail, tool, tool_hook, toolbox,
};

pub trait Clock: Send + Sync {
    fn hour(&self) -> u8;
}

struct At(u8);

impl Clock for At {
    fn hour(&self) -> u8 {
        self.0
    }
}

pub fn clock(hour: u8) -> Arc<dyn Clock> {
    Arc::new(At(hour))
}

#[derive(Default)]
pub struct Counter(AtomicU32);

impl Counter {
    pub fn up(&self) -> u32 {
        self.0.fetch_add(1, Relaxed) + 1
    }

    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

pub struct Account(pub &'static str);

/// Tells the hour.
#[tool]
fn hour(clock: Provided<dyn Clock>) -> u8 {
    clock.hour()
}

/// Tells the owner.
#[tool]
fn owner(account: &Provided<Account>) -> String {
    account.0.to_owned()
}

/// Counts, if there is a counter.
#[tool]
async fn count(counter: Option<Provided<Counter>>) -> u32 {
    counter.map_or(0, |counter| counter.up())
}

/// Whose account it is, at which hour.
pub struct Now {
    clock: Provided<dyn Clock>,
    account: Provided<Account>,
}

impl<'a> Inject<'a> for Now {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self { clock: cx.provided()?, account: cx.provided()? })
    }

    fn services(taken: &mut ServiceTypes) {
        Provided::<dyn Clock>::services(taken);
        taken.add::<Account>();
    }
}

type Renamed = Provided<Account>;

/// Tells who asks when.
#[tool]
fn now(#[inject] now: Now) -> String {
    format!("{} at {}", now.account.0, now.clock.hour())
}

/// Tells the owner, by another name of the type.
#[tool]
fn renamed(#[inject] account: Renamed) -> String {
    account.0.to_owned()
}

#[tool_hook]
fn stamp(output: &mut ToolOutput, clock: Provided<dyn Clock>) {
    output.push_text(format!("[{}]", clock.hour()));
}

#[guardrail(input)]
fn has_account(cx: &ToolContext, account: Provided<Account>) -> Result<(), String> {
    if account.0.is_empty() { Err(format!("{} needs an owner", cx.tool_name())) } else { Ok(()) }
}

/// Does nothing, with an account.
#[tool(input_guardrails = [has_account], hooks = [stamp])]
fn guarded() -> &'static str {
    "done"
}

pub struct Desk;

/// A desk.
#[toolbox]
impl Desk {
    /// Tells the hour.
    #[tool]
    fn desk_hour(&self, clock: Provided<dyn Clock>) -> u8 {
        clock.hour()
    }
}

agent! {
    Teller { instruction: "Tell.", description: "Tells.", function_tools: [hour, owner, count, now, renamed, guarded] }
    Stamped { instruction: "Stamp.", tool_hooks: [stamp], function_tools: [count] }
    Boxed { instruction: "Sit.", toolboxes: [Desk] }
    Plain { instruction: "Go.", default: true, description: "Goes.", function_tools: [plain] }
    Counting { instruction: "Count.", description: "Counts.", function_tools: [count] }
    Parent { instruction: "Ask.", agents: [Teller] }
}

/// Takes nothing.
#[tool]
fn plain() -> &'static str {
    "plain"
}
