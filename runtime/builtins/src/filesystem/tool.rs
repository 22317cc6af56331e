//! What the tools have in common: the root folder, the thread that works, and the end of the work of a call that was dropped.

use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::secret::Redactor;
use onionskin_core::{
    Args, CancellationToken, ErrorKind, Exit, Tool, ToolContext, ToolDefinition, ToolError, ToolResult,
};
use serde::de::DeserializeOwned;

use super::root::Filesystem;
use crate::source::Source;

/// The time limit of a call.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// What one of the tools does.
pub(super) trait Operation: Send + Sync + 'static {
    const NAME: &'static str;
    /// The arguments, as the schema has them.
    type Arguments: DeserializeOwned + Send + 'static;

    fn definition() -> ToolDefinition;

    /// Does the work, on a thread that may block.
    fn run(work: &Work, arguments: Self::Arguments) -> ToolResult;
}

/// The folder that the program provides, or else the working directory at this time.
pub(super) fn provided() -> Source<Filesystem> {
    Source::Provided(Filesystem::at(".").map_err(|error| error.to_string()))
}

/// One of the tools.
pub(super) struct FileTool<O> {
    definition: ToolDefinition,
    root: Source<Filesystem>,
    operation: PhantomData<O>,
}

impl<O: Operation> FileTool<O> {
    pub(super) fn new(root: Source<Filesystem>) -> Self {
        let mut definition = O::definition();
        if let Source::Provided(_) = root {
            definition = definition.may_take_service::<Filesystem>();
        }
        definition.timeout = Some(TIMEOUT);
        definition.annotations.open_world = Some(false);
        Self { definition, root, operation: PhantomData }
    }
}

impl<O: Operation> Tool for FileTool<O> {
    const NAME: &'static str = O::NAME;
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let arguments = args.read()?;
        let filesystem = self.root.resolve(cx)?;
        on_thread(cx, filesystem, move |work| O::run(work, arguments)).await
    }
}

/// Runs the work of a call on a thread that may block. A call that is dropped, at its timeout too, ends the work.
pub(crate) async fn on_thread(
    cx: &ToolContext,
    filesystem: Filesystem,
    run: impl FnOnce(&Work) -> ToolResult + Send + 'static,
) -> ToolResult {
    let cancelled = cx.cancellation().child_token();
    let work = Work { filesystem, secrets: cx.run().redactor(), cancelled: cancelled.clone() };
    let _guard = cancelled.drop_guard();
    match tokio::task::spawn_blocking(move || run(&work)).await {
        Ok(result) => result,
        Err(end) if end.is_panic() => resume_unwind(end.into_panic()),
        Err(_) => Err(was_cancelled()),
    }
}

/// A call, as its work sees it.
pub(crate) struct Work {
    pub(crate) filesystem: Filesystem,
    /// The secrets that results must not show, not even in pieces.
    pub(super) secrets: Option<Arc<Redactor>>,
    cancelled: CancellationToken,
}

impl Work {
    /// Ends the work of a call that was cancelled or dropped.
    pub(super) fn go_on(&self) -> ToolResult<()> {
        if self.cancelled.is_cancelled() { Err(was_cancelled()) } else { Ok(()) }
    }
}

fn was_cancelled() -> Exit {
    Exit::Tool(ToolError::new("the call was cancelled").with_kind(ErrorKind::Cancelled))
}

/// An error of the arguments.
pub(super) fn refused(text: impl Into<String>) -> Exit {
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments))
}
