//! A4: the tools of a run from its begin to its end: side by side with others, changed within it, and in a replay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{Model, ModelResponse, ToolCall};
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    Agent, AgentHandle, Args, BoxFuture, CancellationToken, DynTool, RunContext, RunError, ScriptedModel,
    ToolContext, ToolDefinition, ToolOutput, ToolResult, agent,
};
use serde_json::json;
use tokio::sync::Barrier;

use crate::answers::answers;
use crate::support::diverged_at;

/// A server that has one tool for each user, `notes__<user>_<version>`. All runs together see that of `all`.
#[derive(Clone, Default)]
struct Notes {
    /// The version of the list for all runs, and of that for one.
    shared: Arc<AtomicU64>,
    own: Arc<AtomicU64>,
    /// How often the list for all runs was made.
    listed: Arc<AtomicU32>,
    /// Where runs wait for each other.
    meet: Option<Arc<Barrier>>,
}

/// The tools of one user.
struct Own {
    user: String,
    notes: Notes,
}

/// Raises the version of the run's own list, and waits for other runs.
struct Note {
    definition: ToolDefinition,
    notes: Notes,
}

impl Note {
    fn list(user: &str, version: u64, notes: &Notes) -> Vec<Arc<dyn DynTool>> {
        let definition = ToolDefinition::new(format!("notes__{user}_{version}"), "Notes.");
        vec![Arc::new(Self { definition, notes: notes.clone() })]
    }
}

impl DynTool for Note {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async {
            match &self.notes.meet {
                Some(meet) => _ = meet.wait().await,
                None => _ = self.notes.own.fetch_add(1, SeqCst),
            }
            Ok(ToolOutput::text(format!("noted by {}", cx.tool_name())))
        })
    }
}

impl ToolServer for Notes {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

impl ToolProvider for Notes {
    fn generation(&self) -> u64 {
        self.shared.load(SeqCst)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        self.listed.fetch_add(1, SeqCst);
        Note::list("all", self.generation(), self)
    }

    fn for_run<'a>(
        &'a self,
        run: &'a RunContext,
    ) -> Option<BoxFuture<'a, Result<Arc<dyn ToolProvider>, BoxError>>> {
        let user = run.user()?;
        Some(Box::pin(async move {
            match &self.meet {
                _ if user == "nobody" => std::future::pending().await,
                Some(meet) => _ = meet.wait().await,
                None => {}
            }
            Ok(Arc::new(Own { user: user.to_owned(), notes: self.clone() }) as Arc<dyn ToolProvider>)
        }))
    }
}

impl ToolProvider for Own {
    fn generation(&self) -> u64 {
        self.notes.own.load(SeqCst)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        Note::list(&self.user, self.generation(), &self.notes)
    }

    fn notices(&self) -> Vec<String> {
        vec![format!("version {} of {}", self.generation(), self.user)]
    }
}

/// Calls the first tool that it is given, and then answers with the result and the tools that it has by then.
fn calling_first(asked: Arc<AtomicU32>) -> impl Model {
    answers(move |request, _| {
        asked.fetch_add(1, SeqCst);
        let names: Vec<_> = request.tools.iter().map(|tool| &*tool.name).collect();
        Ok(match request.messages.len() {
            1 => ModelResponse::tool_calls([ToolCall::new("1", names[0], "{}")]),
            _ => ModelResponse::text(names.join(" ")),
        })
    })
}

agent! { Writer { instruction: "Write.", servers: [notes], limits: { time_sec: 9 } } }

async fn writer(notes: &Notes) -> AgentHandle {
    Writer::builder()
        .model(calling_first(Arc::default()))
        .server("notes", notes.clone())
        .build()
        .await
        .unwrap()
}

#[tokio::test]
async fn a4_runs_side_by_side_have_their_own_tools() {
    let notes = Notes { meet: Some(Arc::new(Barrier::new(2))), ..Notes::default() };
    let writer = writer(&notes).await;
    let of = async |user: &str| {
        let output = writer.request("Go.").user(user).run().await.unwrap();
        (output.tool_calls[0].to_text().into_owned(), output.text)
    };
    for _ in 0..2 {
        let (ada, bob) = tokio::join!(of("ada"), of("bob"));
        assert_eq!(ada, ("noted by notes__ada_0".to_owned(), "notes__ada_0".to_owned()));
        assert_eq!(bob, ("noted by notes__bob_0".to_owned(), "notes__bob_0".to_owned()));
    }
    assert_eq!(writer.tool_names().unwrap(), ["notes__all_0"]);
}

#[tokio::test]
async fn a4_a_run_sees_changes_of_its_own_list_and_the_list_for_all_is_made_again_only_if_it_changed() {
    let notes = Notes::default();
    let writer = writer(&notes).await;
    let listed = || notes.listed.load(SeqCst);
    assert_eq!(writer.run("Go.").await.unwrap().text, "notes__all_0");
    let at_first = listed();
    let mut stream = writer.request("Go.").user("ada").stream();
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::Notice { text, .. } | EventKind::RunFinished { text, .. } => seen.push(text),
            _ => {}
        }
    }
    assert_eq!(seen, ["version 1 of ada", "version 2 of ada", "notes__ada_2"]);
    assert_eq!(listed(), at_first, "the run has its own list");

    assert_eq!(writer.run("Go.").await.unwrap().text, "notes__all_0");
    assert_eq!(listed(), at_first, "nothing changed");
    notes.shared.store(1, SeqCst);
    for _ in 0..2 {
        assert_eq!(writer.run("Go.").await.unwrap().text, "notes__all_1");
        assert_eq!(listed(), at_first + 1, "once for all runs");
    }
}

#[tokio::test(start_paused = true)]
async fn a4_a_run_whose_tools_are_not_listed_ends_with_its_time_or_when_it_is_cancelled() {
    let writer = writer(&Notes::default()).await;
    let error = writer.request("Go.").user("nobody").run().await.unwrap_err();
    assert!(matches!(error, RunError::Limit { .. }), "{error:?}");
    let token = CancellationToken::new();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let run = writer.request("Go.").user("nobody").cancellation(token.clone());
    let (ended, ()) = tokio::join!(run.run(), cancel);
    assert!(matches!(ended, Err(RunError::Cancelled { .. })), "{ended:?}");
}

/// Calls a tool without a model.
struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "by_hand";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Write.").server("notes", None)
    }

    async fn run(run: &AgentRun, name: String) -> Result<String, RunError> {
        match run.call_tool(&name, json!({ "text": "a" })).await {
            Ok(output) => Ok(output.to_text().into_owned()),
            Err(exit) => Ok(format!("failed: {exit:?}")),
        }
    }
}

#[tokio::test]
async fn a4_an_agent_by_hand_calls_the_tools_of_its_run() {
    let model = ScriptedModel::turns([]);
    let by_hand = ByHand::builder().model(model).server("notes", Notes::default()).build().await.unwrap();
    let call = async |name: &str| by_hand.request(name).user("ada").run().await.unwrap().text;
    let unknown = call("notes__all_0").await;
    assert!(unknown.contains("UnknownTool") && unknown.contains("notes__ada_0"), "{unknown}");
    assert_eq!(call("notes__ada_0").await, "noted by notes__ada_0");
}

/// Runs in a new process, as far as the program can tell: with an agent and servers of its own.
async fn again<A: Agent<State = ()>>(
    journal: &Arc<MemoryJournal>,
    input: &str,
    user: &str,
    version: u64,
) -> (Result<String, RunError>, u32) {
    let notes = Notes::default();
    notes.own.store(version, SeqCst);
    let asked = Arc::default();
    let builder = A::builder().model(calling_first(Arc::clone(&asked))).journal(Arc::clone(journal));
    let agent = builder.server("notes", notes.clone()).build().await.unwrap();
    let ended = agent.request(input).user(user).run_id("notes").run().await;
    (ended.map(|output| output.text), asked.load(SeqCst))
}

#[tokio::test]
async fn o5_a_source_with_other_tools_than_those_of_the_record_is_a_divergence() {
    let journal = Arc::new(MemoryJournal::default());
    let (text, asked) = again::<Writer>(&journal, "Go.", "ada", 0).await;
    assert_eq!((text.unwrap().as_str(), asked), ("notes__ada_1", 2));
    for (user, version) in [("bob", 0), ("ada", 7)] {
        let (ended, asked) = again::<Writer>(&journal, "Go.", user, version).await;
        assert_eq!((diverged_at(ended).as_str(), asked), ("turn 1/model", 0), "{user} {version}");
    }
}

/// Without a model, no request shows the tools.
#[tokio::test]
async fn o5_a_call_by_hand_of_a_tool_that_the_record_has_and_the_source_lacks_is_a_divergence() {
    let journal = Arc::new(MemoryJournal::default());
    let by_hand = async |version| again::<ByHand>(&journal, "notes__ada_0", "ada", version).await.0;
    for _ in 0..2 {
        assert_eq!(by_hand(0).await.unwrap(), "noted by notes__ada_0");
    }
    assert_eq!(diverged_at(by_hand(7).await), "turn 0/call 1/tool notes__ada_0");

    // And the other way round: what was refused does not run in a replay.
    let journal = Arc::new(MemoryJournal::default());
    let by_hand = async |version| again::<ByHand>(&journal, "notes__ada_0", "ada", version).await.0;
    let refused = by_hand(7).await.unwrap();
    assert!(refused.contains("UnknownTool") && refused.contains("notes__ada_7"), "{refused}");
    assert_eq!(by_hand(8).await.unwrap(), refused, "the record's words");
    assert_eq!(diverged_at(by_hand(0).await), "turn 0/call 1/tool notes__ada_0");
}
