//! Which spans there are, their attributes, and what they are beneath.

use std::borrow::Cow;
use std::sync::Arc;

use onionskin::journal::MemoryJournal;
use onionskin::model::{
    BoxModel, Message, Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse,
    RequestOption, Usage,
};
use onionskin::run::AgentRun;
use onionskin::turn_hooks::{SummaryOptions, TurnRequest, summarize};
use onionskin::{AgentTool, RunError, ScriptedModel, ScriptedTurn, agent, tool, turn_hook};
use serde_json::{Value, json};
use tracing_subscriber::filter::Targets;

use super::recorder::{Span, Spans};

use crate::answers::answers;

#[tokio::test]
async fn o4_spans_have_the_parts_of_the_tokens_that_a_provider_reports() {
    let (spans, _guard) = Spans::begin();
    let model = answers(|_, _| {
        let mut answer = ModelResponse::text("2");
        answer.usage = Usage::new(300, 40);
        (answer.usage.cached_input_tokens, answer.usage.reasoning_tokens) = (200, 30);
        Ok(answer)
    });
    Plain::builder().model(model).run("1 + 1?").await.unwrap();
    for span in [spans.one("chat"), spans.one("invoke_agent Plain")] {
        assert_eq!(span.field("gen_ai.usage.input_tokens"), Some(&json!(300)));
        assert_eq!(span.field("gen_ai.usage.cache_read.input_tokens"), Some(&json!(200)));
        assert_eq!(span.field("gen_ai.usage.cache_write.input_tokens"), None);
        assert_eq!(span.field("gen_ai.usage.reasoning.output_tokens"), Some(&json!(30)));
    }
}

/// Adds one.
#[tool]
async fn add_one(x: i64) -> i64 {
    tokio::task::yield_now().await;
    tracing::info!("adding");
    x + 1
}

/// Adds one on a thread.
#[tool(blocking)]
fn add_slowly(x: i64) -> i64 {
    tracing::info!("adding slowly");
    x + 1
}

async fn add_twice(run: &AgentRun, _: String) -> Result<String, RunError> {
    let args = json!({ "x": 1 }).to_string();
    let (one, other) = tokio::join!(run.call_tool("add_one", &*args), run.call_tool("add_one", &*args));
    Ok(format!("{} {}", one.unwrap().to_text(), other.unwrap().to_text()))
}

agent! {
    Adder {
        instruction: "Add.", description: "Does sums.", model: "small-1", function_tools: [add_one, add_slowly],
        request_params: { temperature: 0.5, top_p: 0.9, max_tokens: 100, seed: 7, stop_sequences: ["END"] },
    }
    Head { instruction: "Ask.", agents: [Adder] }
    Plain { instruction: "Add." }
    ByHand { instruction: "Add.", function_tools: [add_one], run: add_twice }
}

fn adds() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn o4_a_run_writes_a_span_for_itself_for_each_request_and_for_each_call() {
    let (spans, _guard) = Spans::begin();
    let adder = Adder::builder().model(adds()).build().await.unwrap();
    let session = adder.session();
    let request = adder.request("41 + 1?").session(&session).run_id("sum-1").correlation_id("order-7");
    let output = request.run().await.unwrap();

    assert_eq!(
        spans.tree(),
        [
            "chat small-1 < invoke_agent Adder",
            "chat small-1 < invoke_agent Adder",
            "execute_tool add_one < invoke_agent Adder",
            "invoke_agent Adder",
        ]
    );
    for span in spans.all() {
        assert_eq!((&*span.target, &*span.level), ("onionskin", "INFO"));
        assert_eq!(span.error(), None);
    }

    let with_request = |name: &str, fields: Value| {
        let mut all = json!({
            "otel.name": name,
            "gen_ai.provider.name": "onionskin",
            "gen_ai.agent.name": "Adder",
            "gen_ai.conversation.id": session.id(),
            "gen_ai.request.model": "small-1",
            "gen_ai.request.temperature": 0.5,
            "gen_ai.request.top_p": 0.9,
            "gen_ai.request.max_tokens": 100,
            "gen_ai.request.seed": 7,
            "gen_ai.request.stop_sequences": "[\"END\"]",
        });
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        all
    };
    let run = spans.one("invoke_agent Adder");
    let fields = json!({
        "otel.kind": "internal",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.description": "Does sums.",
        "gen_ai.usage.input_tokens": output.usage.input_tokens,
        "gen_ai.usage.output_tokens": output.usage.output_tokens,
        "onionskin.run.id": "sum-1",
        "onionskin.correlation.id": "order-7",
        "onionskin.agent.instance": "Adder",
    });
    assert_eq!(json!(run.fields), with_request("invoke_agent Adder", fields));

    let chats = spans.named("chat small-1");
    let fields = json!({
        "otel.kind": "client",
        "gen_ai.operation.name": "chat",
        "gen_ai.response.finish_reasons": "[\"tool_call\"]",
        "gen_ai.usage.input_tokens": chats[0].field("gen_ai.usage.input_tokens"),
        "gen_ai.usage.output_tokens": chats[0].field("gen_ai.usage.output_tokens"),
        "onionskin.turn": 1,
        "onionskin.attempt": 1,
    });
    assert_eq!(json!(chats[0].fields), with_request("chat small-1", fields));
    let tokens = |span: &Span, kind| span.field(kind).unwrap().as_u64().unwrap();
    for kind in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"] {
        assert_eq!(tokens(&chats[0], kind) + tokens(&chats[1], kind), tokens(&run, kind));
    }
    assert_eq!(chats[1].text("gen_ai.response.finish_reasons"), "[\"stop\"]");
    assert_eq!(chats[1].field("onionskin.turn"), Some(&json!(2)));

    let call = spans.one("execute_tool add_one");
    let id = session.history().iter().find_map(|one| Some(one.tool_calls().first()?.id.clone())).unwrap();
    let expected = json!({
        "otel.name": "execute_tool add_one",
        "otel.kind": "internal",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.agent.name": "Adder",
        "gen_ai.tool.name": "add_one",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": &*id,
        "gen_ai.tool.description": "Adds one.",
        "onionskin.tool.attempts": 1,
    });
    assert_eq!(json!(call.fields), expected);
    assert_eq!(call.events, ["adding"]);
}

#[tokio::test]
async fn o4_a_streamed_run_writes_the_same_spans() {
    let (spans, _guard) = Spans::begin();
    let adder = Adder::builder().model(adds()).build().await.unwrap();
    let mut stream = adder.stream("41 + 1?");
    while stream.next().await.is_some() {
        // The program's own work between polls is in no span of the run.
        assert!(tracing::Span::current().is_none());
    }
    stream.output().await.unwrap();
    let streamed = spans.tree();
    let (spans, _guard) = Spans::begin();
    adder.run("41 + 1?").await.unwrap();
    assert_eq!(spans.tree(), streamed);
}

#[tokio::test]
async fn o4_a_run_is_below_the_span_of_the_program() {
    use tracing::Instrument as _;

    let (spans, _guard) = Spans::begin();
    let adder = Adder::builder().model(adds()).build().await.unwrap();
    adder.run("41 + 1?").instrument(tracing::info_span!("request")).await.unwrap();
    assert!(spans.tree().contains(&"execute_tool add_one < invoke_agent Adder < request".to_owned()));
}

#[tokio::test]
async fn o4_children_in_parallel_are_each_below_their_call() {
    let (spans, _guard) = Spans::begin();
    let ask = |input| json!({ "input": input });
    let asks = ScriptedTurn::call("agent__Adder", ask("one")).and_call("agent__Adder", ask("two"));
    let model = ScriptedModel::new()
        .agent("Head", [asks, ScriptedTurn::say("{last}")])
        .agent("Adder", [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")]);
    let head = Head::builder().model(model).build().await.unwrap();
    head.request("Ask both.").correlation_id("order-7").run().await.unwrap();

    let call = "execute_tool agent__Adder < invoke_agent Head";
    let child = format!("invoke_agent Adder < {call}");
    let chat = format!("chat small-1 < {child}");
    let add = format!("execute_tool add_one < {child}");
    let own = "chat < invoke_agent Head";
    let expected = [own, own, &*chat, &*chat, &*chat, &*chat, &*add, &*add, call, call, &*child, &*child];
    let expected: Vec<_> = expected.into_iter().chain(["invoke_agent Head"]).collect();
    assert_eq!(spans.tree(), expected);

    let children = spans.named("invoke_agent Adder");
    assert_ne!(children[0].parent, children[1].parent);
    let names: Vec<_> = children.iter().map(|run| run.text("onionskin.agent.instance")).collect();
    assert_eq!(names, ["Adder[1]", "Adder[2]"]);
    assert!(children.iter().all(|run| run.text("onionskin.correlation.id") == "order-7"));
    // Each call of a child is in a span of that child, not of the one beside it.
    for call in spans.named("execute_tool add_one") {
        assert_eq!(call.events, ["adding"]);
    }
}

#[tokio::test]
async fn o4_an_agent_that_is_a_tool_is_below_its_call() {
    let (spans, _guard) = Spans::begin();
    let adder = Adder::builder().model(adds()).build().await.unwrap();
    let ask = AgentTool::new(&adder).name("ask").description("Asks.");
    let model = ScriptedModel::turns([
        ScriptedTurn::call("ask", json!({ "input": "41 + 1?" })),
        ScriptedTurn::say("{last}"),
    ]);
    ByModel::builder().model(model).tool(ask).run("Ask.").await.unwrap();
    let line = "invoke_agent Adder < execute_tool ask < invoke_agent ByModel";
    assert!(spans.tree().contains(&line.to_owned()), "{:?}", spans.tree());
}

agent! { ByModel { instruction: "Ask." } }

#[tokio::test]
async fn o4_calls_of_the_program_have_spans() {
    let (spans, _guard) = Spans::begin();
    assert_eq!(ByHand::builder().model(adds()).run("Add.").await.unwrap().text, "2 2");
    let call = "execute_tool add_one < invoke_agent ByHand";
    assert_eq!(spans.tree(), [call, call, "invoke_agent ByHand"]);
}

#[test]
fn o4_what_a_blocking_tool_writes_is_in_the_span_of_its_call() {
    let (spans, _guard) = Spans::begin();
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || std::mem::forget(tracing::dispatcher::set_default(&dispatch)))
        .build()
        .unwrap();
    let call = ScriptedTurn::call("add_slowly", json!({ "x": 1 }));
    let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
    runtime.block_on(Adder::builder().model(model).run("Add.")).unwrap();
    assert_eq!(spans.one("execute_tool add_slowly").events, ["adding slowly"]);
}

#[tokio::test]
async fn o4_a_replay_writes_no_request_that_it_does_not_make() {
    let (journal, model) = (Arc::new(MemoryJournal::default()), Arc::new(adds()));
    let handle = async || {
        let adder = Adder::builder().model(Arc::clone(&model)).journal(Arc::clone(&journal));
        adder.build().await.unwrap()
    };
    let (first, guard) = Spans::begin();
    handle().await.request("41 + 1?").run_id("sum-1").run().await.unwrap();
    assert_eq!(first.named("chat small-1").len(), 2);
    drop(guard);
    let (spans, _guard) = Spans::begin();
    handle().await.request("41 + 1?").run_id("sum-1").run().await.unwrap();
    assert_eq!(spans.tree(), ["execute_tool add_one < invoke_agent Adder", "invoke_agent Adder"]);
    let call = spans.one("execute_tool add_one");
    assert!(call.events.is_empty(), "the tool did not run: {call:?}");
    assert_eq!(call.field("onionskin.tool.attempts"), Some(&json!(1)), "as it was recorded");
    assert_eq!(spans.one("invoke_agent Adder").text("onionskin.run.id"), "sum-1");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn o4_a_model_says_which_provider_and_model_answer() {
    /// Asks a model of its own, whatever a request names.
    struct Pinned(ScriptedModel);

    impl Model for Pinned {
        fn respond(
            &self,
            request: &ModelRequest,
            deltas: &mut (dyn FnMut(ModelDelta) + Send),
        ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send {
            self.0.respond(request, deltas)
        }

        fn provider(&self) -> Cow<'static, str> {
            "acme".into()
        }

        fn identity(&self, _: Option<&str>) -> ModelIdentity {
            ModelIdentity::new(self.provider(), Some("acme-2"))
        }

        fn supports(&self, option: RequestOption) -> bool {
            self.0.supports(option)
        }
    }

    let (spans, _guard) = Spans::begin();
    Adder::builder().model_for_all(BoxModel::new(Arc::new(Pinned(adds())))).run("41 + 1?").await.unwrap();
    for span in spans.named("chat acme-2").into_iter().chain([spans.one("invoke_agent Adder")]) {
        assert_eq!(span.text("gen_ai.provider.name"), "acme");
        assert_eq!(span.text("gen_ai.request.model"), "acme-2");
    }
}

#[tokio::test]
async fn o4_spans_can_be_left_out_by_target_and_level() {
    let (spans, _guard) = Spans::new(Targets::new().with_target("onionskin", tracing::Level::WARN));
    assert_eq!(Adder::builder().model(adds()).run("41 + 1?").await.unwrap().text, "42");
    assert!(spans.all().is_empty());
}

#[tokio::test]
async fn o4_a_summary_has_a_span_like_any_request() {
    let small = ScriptedModel::turns([ScriptedTurn::say("They greeted.")]);
    let hook = summarize::new(SummaryOptions::above(60).keep(20).model(small));
    let adder = Adder::builder().model(adds()).turn_hook(hook).build().await.unwrap();
    let session = adder.session();
    session.set_history([Message::user("x".repeat(200)), Message::assistant("Yes.")]).unwrap();
    let (spans, _guard) = Spans::begin();
    adder.request("41 + 1?").session(&session).run().await.unwrap();
    let asked: Vec<_> = spans.tree().into_iter().filter(|span| span.starts_with("chat")).collect();
    let [own, summary] = ["chat small-1 < invoke_agent Adder", "chat < invoke_agent Adder"];
    assert_eq!(asked, [summary, own, own]);
}

/// Asks for one turn, and says which model gave the answer.
async fn ask_once(run: &AgentRun, input: String) -> Result<String, RunError> {
    run.append(run.user_message(input))?;
    let answer = run.ask().await?;
    Ok(format!("{} {}", answer.model.unwrap(), answer.id.unwrap()))
}

agent! {
    Once { instruction: "Say it.", run: ask_once }
}

/// A model whose provider names the version that answers.
fn versioned() -> impl Model {
    answers(move |_, _| {
        let mut answer = ModelResponse::text("Hm.");
        answer.model = Some("small-1-2026-05-01".to_owned());
        answer.id = Some("answer-7".to_owned());
        Ok(answer)
    })
}

#[tokio::test]
async fn o4_a_request_has_the_model_that_answered_and_the_id_of_its_answer() {
    let (spans, _guard) = Spans::begin();
    let journal = Arc::new(MemoryJournal::default());
    let once = Once::builder().model(versioned()).journal(Arc::clone(&journal)).build().await.unwrap();
    for _ in 0..2 {
        // The second is a replay.
        let output = once.request("Hm?").session(&once.session()).run_id("once-1").run().await.unwrap();
        assert_eq!(output.text, "small-1-2026-05-01 answer-7");
    }
    let chat = spans.one("chat");
    assert_eq!(chat.text("gen_ai.response.model"), "small-1-2026-05-01");
    assert_eq!(chat.text("gen_ai.response.id"), "answer-7");
}

/// Adds the number of the turn to the prompt.
#[turn_hook(before_llm_call)]
fn numbered(request: &mut TurnRequest) {
    request.set_system(format!("Turn {}.", request.turn()));
}

agent! { Numbering { instruction: "Add.", function_tools: [add_one], turn_hooks: [numbered] } }

#[tokio::test]
async fn o3_the_span_of_a_request_says_what_ends_the_providers_cache() {
    let (spans, _guard) = Spans::begin();
    let turns = [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("Two.")];
    Numbering::builder().model(ScriptedModel::turns(turns)).run("One and one?").await.unwrap();
    let chats = spans.named("chat");
    assert_eq!(chats[0].field("onionskin.prefix_change"), None);
    assert_eq!(chats[1].text("onionskin.prefix_change"), "the system prompt changed by a turn hook");
}
