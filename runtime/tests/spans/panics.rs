//! Panics that no error can report: an event names the place, without the text of the panic.

use std::fmt::Debug;
use std::future::pending;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::question::{Answer, Question};
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::trace::{Propagator, TraceParent, set_global_propagator};
use onionskin::{BoxFuture, DynTool, RunError, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

/// In the text of each panic.
const WORDS: &str = "the card of Ada is 4111";

/// The events at level error, with their fields.
#[derive(Clone, Default)]
struct Errors(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl<S: Subscriber> Layer<S> for Errors {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            let mut line = Line(String::new());
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }
    }
}

impl Errors {
    fn begin() -> (Self, DefaultGuard) {
        let errors = Self::default();
        let subscriber = tracing_subscriber::registry().with(errors.clone());
        (errors, tracing::subscriber::set_default(subscriber))
    }

    /// There is one event, which has these parts and no text of a panic.
    fn name(&self, parts: &[&str]) {
        let lines = self.0.lock().unwrap();
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
        assert!(!line.contains("Ada"), "{line}");
    }
}

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

/// Panics when it is dropped.
struct Fragile;

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("{WORDS}");
    }
}

/// Waits for ever.
#[tool]
async fn wait() {
    let _fragile = Fragile;
    pending::<()>().await;
}

agent! {
    Clerk { instruction: "Pay.", function_tools: [pay, wait] }
    Keeper { instruction: "Keep.", servers: [files] }
}

fn calls(tool: &str) -> ScriptedModel {
    let args = if tool == "pay" { json!({ "cents": 5 }) } else { json!({}) };
    ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn o4_the_event_of_an_approvers_panic_has_no_text_of_it() {
    let (errors, _guard) = Errors::begin();
    let approver = |request: ApprovalRequest| async move {
        assert_eq!(request.tool_name(), "", "{WORDS}");
        Approval::Allow
    };
    let output = Clerk::builder().model(calls("pay")).approver(approver).run("Pay.").await.unwrap();
    assert!(output.text.contains("not approved"), "{}", output.text);
    errors.name(&["the approver panicked", "tool=\"pay\""]);
}

#[tokio::test]
async fn o4_the_event_of_an_answerers_panic_has_no_text_of_it() {
    let (errors, _guard) = Errors::begin();
    let answerer = |question: Question| async move {
        assert_eq!(question.key(), "", "{WORDS}");
        None::<Answer>
    };
    Clerk::builder().model(calls("pay")).answerer(answerer).run("Pay.").await.unwrap();
    errors.name(&["the answerer panicked", "tool=\"pay\""]);
}

#[tokio::test]
async fn o4_the_event_of_a_tool_that_panics_when_it_is_cancelled_has_no_text_of_it() {
    let (errors, _guard) = Errors::begin();
    let clerk = Clerk::builder().model(calls("wait")).build().await.unwrap();
    let mut run = Box::pin(clerk.request("Wait.").run());
    for _ in 0..20 {
        assert!(run.as_mut().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    drop(run);
    errors.name(&["panicked when its call was cancelled", "tool=\"wait\""]);
}

/// A server that panics at its end.
struct Files;

impl ToolServer for Files {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Self))
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { panic!("{WORDS}") })
    }
}

/// A server that panics when it is killed.
struct Killed;

impl ToolServer for Killed {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Files))
    }

    fn kill(&self) {
        panic!("{WORDS}");
    }
}

impl ToolProvider for Files {
    fn generation(&self) -> u64 {
        0
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        Vec::new()
    }
}

#[tokio::test]
async fn o4_the_event_of_a_server_that_panics_at_its_end_has_no_text_of_it() {
    let model = || ScriptedModel::turns([]);
    let (errors, guard) = Errors::begin();
    Keeper::builder().model(model()).server("files", Files).build().await.unwrap().shutdown().await;
    errors.name(&["a server panicked when it was shut down", "server=\"files\""]);
    drop(guard);

    let (errors, _guard) = Errors::begin();
    drop(Keeper::builder().model(model()).server("files", Killed).build().await.unwrap());
    errors.name(&["a server panicked when it was killed", "server=\"files\""]);
}

/// A propagator that panics.
struct Panics;

impl Propagator for Panics {
    fn traceparent(&self, _: &tracing::Span) -> Option<TraceParent> {
        panic!("{WORDS}")
    }

    fn set_parent(&self, _: &tracing::Span, _: &TraceParent) {
        panic!("{WORDS}")
    }
}

/// The propagator is that of all tests in this program.
#[tokio::test]
async fn o4_the_event_of_a_propagators_panic_has_no_text_of_it() {
    set_global_propagator(Panics).unwrap();
    let (errors, _guard) = Errors::begin();
    let end = Clerk::builder().model(calls("pay")).run("Pay.").await;
    assert!(matches!(end, Err(RunError::Paused(_))), "{end:?}");
    errors.name(&["the propagator of traces panicked"]);
}
