//! The current arguments of a call on its way inwards. A question shows them, and its answer applies to them
//! only.

use std::mem::swap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ToolContext;
use onionskin_definitions::args::Args;

impl ToolContext {
    /// The arguments with which the call began, as the model wrote them: without defaults, in the model's own spelling
    /// (`"41"` for a number), and without the changes of hooks. `None` for a call outside of a run.
    ///
    /// ```
    /// use onionskin::{Args, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook};
    /// use serde_json::json;
    ///
    /// /// Tells the weather.
    /// #[tool]
    /// fn weather(city: &str, #[arg(default = 1)] days: u8) -> String {
    ///     format!("{city}: sunny for {days}")
    /// }
    ///
    /// /// Says which day it chose if the model chose none.
    /// #[tool_hook]
    /// async fn note(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    ///     let chosen = ctx.original_args().is_some_and(|own| own.get("days").is_some());
    ///     let days = args["days"].clone();
    ///     let mut output = next.run(args).await?;
    ///     if !chosen {
    ///         output.push_text(format!(" (days: {days}, the default)"));
    ///     }
    ///     Ok(output)
    /// }
    ///
    /// agent! { Guide { instruction: "Guide.", function_tools: [weather], tool_hooks: [note] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("weather", json!({ "city": "Ys" })), ScriptedTurn::say("{last}")]);
    /// let output = Guide::builder().model(model).run("Weather?").await.unwrap();
    /// assert_eq!(output.text, "Ys: sunny for 1 (days: 1, the default)");
    /// # });
    /// ```
    pub fn original_args(&self) -> Option<Args> {
        self.arguments.clone().map(Args::from)
    }

    /// Prepares the arguments that a hook passes on for the hooks inside: attaches the schema, and notes the
    /// arguments.
    #[cold]
    #[inline(never)]
    pub(crate) fn pass(&self, args: &mut Args) {
        args.attach_again(&self.definition().input_schema);
        if self.run.can_ask() {
            args.watch();
            self.note_arguments(args);
        }
    }

    /// Notes the current arguments, if a question can be answered.
    pub(crate) fn note_arguments(&self, args: &Args) {
        if self.run.can_ask() {
            let text = args.text();
            if self.arguments_here().is_none_or(|here| here != text) {
                self.data(|data| data.reached = Some(text));
            }
        }
    }

    /// The current arguments; `None` outside a run.
    pub(super) fn arguments_here(&self) -> Option<Arc<str>> {
        let reached = self.data_if_any(|data| data.reached.clone()).flatten();
        reached.or_else(|| self.arguments.clone())
    }

    /// A part of the call with its own current arguments, which can run concurrently with other parts.
    pub(crate) fn apart<F>(&self, part: F) -> Apart<'_, F> {
        Apart { part, own: self.arguments_here(), cx: self }
    }
}

pin_project! {
    /// A part of a call with its own current arguments, which apply while it is polled.
    pub(crate) struct Apart<'a, F> {
        #[pin]
        part: F,
        own: Option<Arc<str>>,
        cx: &'a ToolContext,
    }
}

impl<F: Future> Future for Apart<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        if !this.cx.run.can_ask() {
            return this.part.poll(context);
        }
        this.cx.data(|data| swap(&mut data.reached, this.own));
        let poll = this.part.poll(context);
        this.cx.data(|data| swap(&mut data.reached, this.own));
        poll
    }
}
