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
