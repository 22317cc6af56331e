//! One tool of a server, as agents call it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{Notify, mpsc};

use super::answer::Answers;
use super::argument_names;
use super::asking::{Asking, Reply};
use super::client::ServerQuestion;
use super::connection_thread::ConnectionThread;
use super::drift_policy::Offer;
use super::input_required::{self, Called, Input};
use super::server::{RemoteTool, Server};
use onionskin_core::Args;
use onionskin_core::servers::{RunHeader, ServerKind};
use onionskin_core::spec::Transform;
use onionskin_core::text::short;
use onionskin_core::{DynTool, ToolDefinition, ToolSpec};
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_core::{Inject, Progress, ToolContext};

/// The tool with names of arguments that all providers take. A call goes to the server with its own names.
fn named_for_all(mut tool: ToolSpec) -> ToolSpec {
    let renamed = argument_names::renamed(&tool.definition().input_schema);
    if renamed.is_empty() {
        return tool;
    }
    let change = renamed.iter().fold(Transform::new(), |change, (own, new)| change.rename(own, new));
    let changed = tool.transform(change);
    debug_assert!(changed.is_ok(), "the names are new: {changed:?}");
    tool
}

/// A tool of a server.
pub(super) struct McpTool {
    answers: Answers,
    /// The thread of the connection, if calls come from other threads.
    thread: Option<Arc<ConnectionThread>>,
    /// The list that an agent has it from.
    offer: Option<Offer>,
    /// The headers of calls whose values depend on the run.
    headers: Arc<[RunHeader]>,
}

impl McpTool {
    pub(super) fn new(server: Arc<Server>, tool: RemoteTool) -> Self {
        let headers = server.config.run_headers.values().cloned().collect();
        Self { answers: Answers::new(server, tool), thread: None, offer: None, headers }
    }

    /// The tool as a value, which asks for approval where the configuration of its server does.
    pub(super) fn spec(self) -> ToolSpec {
        let RemoteTool { asks, .. } = self.answers.tool;
        let server = Arc::clone(&self.answers.server);
        let mut spec =
            named_for_all(ToolSpec::from_server(Arc::new(self), ServerKind::Mcp, Some(&server.name)));
        if asks {
            spec.approval();
        }
        spec
    }

    pub(super) fn offered(mut self, offer: Offer) -> Self {
        self.offer = Some(offer);
        self
    }

    pub(super) fn with_headers(mut self, headers: Arc<[RunHeader]>) -> Self {
        self.headers = headers;
        self
    }

    pub(super) fn at(mut self, thread: Arc<ConnectionThread>) -> Self {
        self.thread = Some(thread);
        self
    }

    /// The arguments, checked against the server's schema, so that the model gets all mistakes at once, in the same words as for
    /// a function. Unknown keywords of the schema are ignored here; the server checks them.
    fn arguments(&self, args: &mut Args) -> Result<Map<String, Value>, Exit> {
        let definition = &self.answers.tool.definition;
        let refuse = |reason: &dyn std::fmt::Display| {
            let text = format!("Invalid arguments for `{}`; it did not run: {reason}", definition.name);
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments))
        };
        if let Some(number) = args.rounded_number() {
            return Err(refuse(&format_args!(
                "the number {} has more digits than can be sent to a server; write fewer digits, or \
                 a string if the tool accepts one",
                short(&number, 100)
            )));
        }
        if let Err(error) = args.as_object() {
            return Err(refuse(error));
        }
        definition.fit(args).map_err(|problems| Exit::Tool(definition.refuse(&problems)))
    }
}

impl McpTool {
    /// Makes a request when the calls before it are done.
    async fn in_order<T>(&self, cx: &ToolContext, request: impl Future<Output = T>) -> T {
        let Answers { server, tool, .. } = &self.answers;
        if server.config.is_parallel {
            return request.await;
        }
        server.order.run(cx.run().run_id(), tool.definition.effect, request).await
    }

    /// Makes one request of a call.
    async fn send(
        &self,
        cx: &ToolContext,
        sent: (Map<String, Value>, Input),
        questions: Option<mpsc::Sender<ServerQuestion>>,
    ) -> ToolResult<Reply> {
        let (progress, may_ask) = (Progress::inject(cx)?, questions.is_some());
        let (mut answers, offer) = (self.answers.clone(), self.offer.clone());
        let (shared, run) = (Arc::clone(&self.answers.server), cx.run().clone());
        let headers = Arc::clone(&self.headers);
        let call = Box::pin(async move {
            answers.server = shared.for_run(&run, &headers)?;
            answers.server.secrets.called_from(&run);
            let report = |report: rmcp::model::ProgressNotificationParam| {
                progress.report(report.progress, report.total, report.message);
            };
            let Answers { server, tool, .. } = &answers;
            let questions = questions.as_ref();
            let connection = server.connection().await?;
            if let Some(offer) = offer {
                offer.holds(server, tool, Arc::ptr_eq(server, &shared)).await?;
            }
            let answer = server.call(&connection, tool, sent, &report, questions).await?;
            match answer {
                Called::Answer(answer) => answers.read(answer).await.map(Reply::Done),
                Called::Required(required) => Ok(Reply::Required(required)),
            }
        });
        let reply = match &self.thread {
            Some(thread) => thread.run(call).await,
            None => call.await,
        };
        match reply {
            Err(exit) if may_ask => match input_required::login(&exit) {
                Some(required) => Ok(Reply::Required(required)),
                None => Err(exit),
            },
            reply => reply,
        }
    }
}

impl DynTool for McpTool {
    fn definition(&self) -> &ToolDefinition {
        &self.answers.tool.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let arguments = self.arguments(args)?;
            let Answers { server, tool, .. } = &self.answers;
            if !server.config.asks && server.config.roots.is_empty() {
                let sent = (arguments, Input::default());
                return self.in_order(cx, self.send(cx, sent, None)).await?.without_input(&server.name);
            }
            // Its questions hide the secrets of the connection that they come from.
            let used = server.for_run(cx.run(), &self.headers)?;
            let asking = Asking { cx, server: &used, is_repeatable: tool.definition.effect.is_repeatable() };
            let left = Notify::new();
            let send = |input| {
                let (questions, asked) = mpsc::channel(1);
                let sent = self.send(cx, (arguments.clone(), input), Some(questions));
                let request = async {
                    tokio::select! {
                        biased;
                        reply = sent => Some(reply),
                        () = left.notified() => None,
                    }
                };
                asking.listen(self.in_order(cx, request), asked, &left)
            };
            Box::pin(asking.run(&args.text(), send)).await
        })
    }

    /// `run_dyn` checks them as they are sent, because no number may be rounded.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn check_args_dyn(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        self.arguments(&mut args.clone()).map(drop)
    }
}
