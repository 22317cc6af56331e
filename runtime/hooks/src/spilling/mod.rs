//! The hook [`spill`](struct@spill): long results go to a file, and the model reads them page by page.

mod cut;
mod folder;
mod reading;

use onionskin_core::made::{FromValues, HookTools};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Args, Exit, Hook, Next, Tool as _, ToolContext, ToolOutput, ToolResult};

use crate::unfit::{Unfit, ensure, or_panic};
use cut::Cut;

pub use folder::SpillFolder;
pub use reading::read_spilled;

/// The least that stays of a result.
const LEAST: usize = 256;

/// Writes the text of a result of more than `above` bytes to a file of the [`SpillFolder`], which the program provides. Its head and its tail
/// stay, with the name of the file between them, and the model reads the rest with the tool [`read_spilled`](fn@read_spilled), page by page or by
/// a text to find. The hook brings this tool to its agent.
///
/// ```
/// use onionskin::hooks::{SpillFolder, spill};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// /// Lists all orders.
/// #[tool]
/// fn orders() -> String {
///     (0..10_000).map(|number| format!("order {number}\n")).collect()
/// }
///
/// agent! {
///     Clerk { instruction: "Answer.", function_tools: [orders], tool_hooks: [spill(16_384)] }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("orders", json!({})), ScriptedTurn::say("Done.")]);
/// let clerk = Clerk::builder().model(model).provide(SpillFolder::temporary().unwrap());
/// let output = clerk.run("What was ordered?").await.unwrap();
/// assert!(output.tool_calls[0].to_text().contains("read_spilled"));
/// # });
/// ```
///
/// With a filter, too, the agent has the tool, and with the filter `everywhere` the agents below have it, whose calls of agents can have long results
/// too. An agent that is a tool value ([`AgentTool`](onionskin_core::AgentTool)) has services and tools of its own: its results stay whole,
/// unless it has a [`SpillFolder`] and the tool itself. In the `hooks` of a tool, `spill` brings none: list `read_spilled` in the agent then.
///
/// Outer hooks see the shortened text; put `redact` inside of `spill`. Secrets that the session knows are masked before the text is written
/// and cut. Images, other bytes and the structured value, which programs read, stay.
///
/// Errors: a tool error is shortened in the same way, and keeps its kind and its cause. If the file cannot be written, the result is shortened,
/// and says why the rest is lost. Stops and aborts end the run, and stay as they are.
///
/// Replays: with a journal, and when a paused run continues, the model gets the same text, and the file is stored again under its name. If it
/// cannot be stored then, [`read_spilled`](fn@read_spilled) has no such file.
///
/// Cancellation: the file of a result that is dropped while it is written leaves as any other one: see [`SpillFolder`].
///
/// Tools with `effect = once`: the hook never calls a tool twice.
#[derive(Debug, Clone)]
pub struct spill {
    above: usize,
}

impl spill {
    /// Creates the hook with the number of bytes that a result may have.
    ///
    /// # Panics
    /// Panics if the number is below 256, because nothing readable would stay. In `agent!`, that is a
    /// [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(above: usize) -> Self {
        or_panic(Self::try_new(above))
    }

    pub(crate) fn try_new(above: usize) -> Result<Self, Unfit> {
        ensure(
            above >= LEAST,
            0,
            format!("`spill({above})` leaves nothing readable of a result: write at least {LEAST}"),
        )?;
        Ok(Self { above })
    }

    async fn shorten(&self, cx: &ToolContext, folder: &SpillFolder, output: &mut ToolOutput) {
        let text = output.to_text();
        if text.len() <= self.above {
            return;
        }
        let text = match cx.run().redactor() {
            Some(redactor) => redactor.redact(text).into_owned(),
            None => text.into_owned(),
        };
        // A replay finds the same name.
        let name = format!("{:016x}{:016x}", cx.random().await, cx.random().await);
        let stored = folder.store(cx.run(), &name, text.clone()).await.map_err(|error| {
            tracing::warn!(tool = cx.tool_name(), %error, "a long result was not stored");
            error.kind().to_string()
        });
        let cut = Cut::new(&text, self.above);
        // A replay stores the text again, for its next calls, but says what the run said.
        let shown = match cx.record("onionskin-hooks.spill", async || stored).await {
            Ok(()) => cut.with(&format!(
                "this result has {} bytes: read it with `{}`, file `{name}`, pages 1 to {}",
                text.len(),
                read_spilled::NAME,
                reading::pages(text.len())
            )),
            Err(error) => {
                cut.with(&format!("this result has {} bytes, and the rest is lost: {error}", text.len()))
            }
        };
        let blocks = output.content_only_mut();
        blocks.retain(|block| block.as_text().is_none());
        blocks.insert(0, shown.into());
    }
}

from_values!(spill(above: usize));

#[diagnostic::do_not_recommend]
impl Hook for spill {
    type Made = FromValues<(usize,)>;

    fn services(taken: &mut ServiceTypes) {
        taken.add::<SpillFolder>();
    }

    fn tools(brought: &mut HookTools) {
        brought.add(read_spilled::default());
    }

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        // Before the tool takes effect.
        let folder = match cx.provided::<SpillFolder>() {
            Ok(folder) => folder,
            // An agent that is a tool value has services and tools of its own: without the folder, it has nothing to read files with.
            Err(_) if cx.run().parent().is_some() => return next.run(args).await,
            Err(error) => return Err(error.into()),
        };
        let mut result = next.run(args).await;
        // Its pages are short, and a page of a page would never end.
        if !reading::is_own_tool(cx) {
            match &mut result {
                Ok(output) => self.shorten(cx, &folder, output).await,
                Err(Exit::Tool(error)) => self.shorten(cx, &folder, error.output_mut()).await,
                Err(Exit::Stop(_) | Exit::Abort(_)) => {}
            }
        }
        result
    }
}
