//! S4: what clones of a tool have each, and what they share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use onionskin::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin::{Args, Hook, Next, ToolContext, ToolOutput, ToolResult, ToolSpec, tool, tool_hook};
use serde_json::json;

/// Counts the calls that go through it, whatever it is, and says in the result how many there were.
#[derive(Default)]
struct Count(AtomicU32);

impl Count {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Relaxed) + 1
    }
}

impl Clone for Count {
    fn clone(&self) -> Self {
        Self(self.0.load(Relaxed).into())
    }
}

impl Hook for Count {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let mut output = next.run(args).await?;
        output.push_text(format!(" {}", self.next()));
        Ok(output)
    }
}

#[derive(Clone, Default)]
struct CountIn(Count);

impl InputGuardrail for CountIn {
    type Made = onionskin::made::ByDefault;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        args["text"] = format!("{} {}", args["text"].as_str().unwrap_or_default(), self.0.next()).into();
        Ok(())
    }
}

#[derive(Clone, Default)]
struct CountOut(Count);

impl OutputGuardrail for CountOut {
    type Made = onionskin::made::ByDefault;

    async fn check(&self, _: &ToolContext, _: &Args, result: ToolResult) -> ToolResult {
        let mut output = result?;
        output.push_text(format!(" {}", self.0.next()));
        Ok(output)
    }
}

#[tool_hook]
fn counted(#[config] calls: &AtomicU32, output: &mut ToolOutput) {
    output.push_text(format!(" {}", calls.fetch_add(1, Relaxed) + 1));
}

/// Gives the text back.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Gives the text back.
#[tool(hooks = [counted(AtomicU32::new(0))], input_guardrails = [CountIn], output_guardrails = [CountOut])]
fn declared(text: String) -> String {
    text
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text {
    text: String,
}

fn closure() -> ToolSpec {
    ToolSpec::from_fn("closure", "Gives the text back.", |args: Text, _| async move { Ok(args.text) })
}

async fn said(spec: &ToolSpec) -> String {
    let execution = spec.exec(json!({ "text": "a" })).await;
    execution.output().unwrap().to_text().into_owned()
}

#[tokio::test]
async fn s4_clones_have_a_hook_each() {
    for spec in [echo::spec(), closure()] {
        let spec = spec.hook(Count::default());
        assert_eq!(said(&spec).await, "a 1");
        let clone = spec.clone();
        assert_eq!(said(&spec).await, "a 2");
        assert_eq!(said(&spec).await, "a 3");
        assert_eq!(said(&clone).await, "a 2", "the clone goes on from where it was cloned");
    }
}

#[tokio::test]
async fn s4_clones_have_a_guardrail_each() {
    for mut spec in [echo::spec(), closure()] {
        spec.add_input_guardrails(CountIn::default()).add_output_guardrails((CountOut::default(),));
        assert_eq!(said(&spec).await, "a 1 1");
        let clone = spec.clone();
        assert_eq!(said(&spec).await, "a 2 2");
        assert_eq!(said(&spec).await, "a 3 3");
        assert_eq!(said(&clone).await, "a 2 2");
    }
}

#[tokio::test]
async fn s4_clones_have_what_the_tool_declares_each() {
    let spec = declared::spec();
    assert_eq!(said(&spec).await, "a 1 1 1");
    let clone = spec.clone();
    assert_eq!(said(&spec).await, "a 2 2 2");
    assert_eq!(said(&clone).await, "a 1 1 1", "it has the values that are declared");
}

#[tokio::test]
async fn s4_clones_share_what_is_in_an_arc() {
    let hook = Arc::new(Count::default());
    let configured = Arc::new(counted::new(AtomicU32::new(10)));
    let guardrail = Arc::new(CountIn::default());
    let mut spec = echo::spec().hook(Arc::clone(&hook)).hook(configured);
    spec.add_input_guardrails(Arc::clone(&guardrail)).add_output_guardrails(Arc::new(CountOut::default()));
    let clone = spec.clone();
    assert_eq!(said(&spec).await, "a 1 1 11 1");
    assert_eq!(said(&clone).await, "a 2 2 12 2");
    assert_eq!((hook.0.load(Relaxed), guardrail.0.0.load(Relaxed)), (2, 2));
}

#[tokio::test]
async fn s4_a_shared_hook_is_named_as_it_is_called() {
    let spec = echo::spec().hook(Arc::new(Count::default())).hook(Count::default());
    let execution = spec.exec(json!({ "text": "a" })).await;
    let names: Vec<_> = execution.hook_exits.iter().map(|exit| &*exit.hook).collect();
    assert_eq!(names, ["Count", "Count"]);
}
