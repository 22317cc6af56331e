//! A9: turn hooks that are written by hand, at each of their places.

use std::sync::Arc;

use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{Message, ModelResponse, ToolChoice, ToolResultMessage};
use onionskin::run::AgentRun;
use onionskin::turn_hooks::{BoxError, CompletedTurn, NoMessagesError, TurnHook, TurnRequest, TurnToolCall};
use onionskin::{
    Agent, AgentHandle, Args, BuildError, RunContext, RunError, ScriptedModel, ScriptedTurn, Secret, State,
    ToolOutput, agent, made, tool, tool_hook,
};
use serde_json::json;

use crate::log::Log;

/// Notes each place.
struct Notes(&'static str, Log);

impl TurnHook for Notes {
    type Made = made::AtRunTime;

    async fn before_llm_call(
        &self,
        run: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        tokio::task::yield_now().await;
        self.1.push(format!("{} asks {} of {}", self.0, request.turn(), run.agent().name()));
        Ok(None)
    }

    async fn after_llm_call(&self, _: &RunContext, response: &mut ModelResponse) -> Result<(), BoxError> {
        self.1.push(format!("{} said {:?} {}", self.0, response.text, response.tool_calls.len()));
        Ok(())
    }

    async fn before_tool_call(
        &self,
        _: &RunContext,
        call: &mut TurnToolCall,
    ) -> Result<Option<ToolOutput>, BoxError> {
        self.1.push(format!("{} calls {} {}", self.0, call.name(), call.arguments()));
        Ok(None)
    }

    async fn after_tool_call(
        &self,
        _: &RunContext,
        call: &TurnToolCall,
        result: &mut ToolResultMessage,
    ) -> Result<(), BoxError> {
        self.1.push(format!("{} called {} {}", self.0, call.name(), result.is_error));
        Ok(())
    }

    async fn after_turn_complete(&self, _: &RunContext, turn: &CompletedTurn) -> Result<(), BoxError> {
        let messages: Vec<_> = turn.messages().map(|message| message.to_text().into_owned()).collect();
        self.1.push(format!("{} ended {} {messages:?}", self.0, turn.turn()));
        assert_eq!(turn.conversation().len(), turn.messages().count() + 2 * turn.turn() as usize - 1);
        assert!(turn.usage().total() > 0);
        Ok(())
    }
}

/// A hook of closures, one for each place.
type Before<T, R> = Box<dyn Fn(&mut T) -> Result<Option<R>, BoxError> + Send + Sync>;
type Ended = Box<dyn Fn(&CompletedTurn) -> Result<(), BoxError> + Send + Sync>;
type After<T> = Box<dyn Fn(&mut T) -> Result<(), BoxError> + Send + Sync>;

#[derive(Default)]
struct Does {
    before_llm: Option<Before<TurnRequest, ModelResponse>>,
    after_llm: Option<After<ModelResponse>>,
    before_tool: Option<Before<TurnToolCall, ToolOutput>>,
    after_tool: Option<After<ToolResultMessage>>,
    after_turn: Option<Ended>,
}

impl TurnHook for Does {
    type Made = made::AtRunTime;

    async fn before_llm_call(
        &self,
        _: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        self.before_llm.as_ref().map_or(Ok(None), |does| does(request))
    }

    async fn after_llm_call(&self, _: &RunContext, response: &mut ModelResponse) -> Result<(), BoxError> {
        self.after_llm.as_ref().map_or(Ok(()), |does| does(response))
    }

    async fn before_tool_call(
        &self,
        _: &RunContext,
        call: &mut TurnToolCall,
    ) -> Result<Option<ToolOutput>, BoxError> {
        self.before_tool.as_ref().map_or(Ok(None), |does| does(call))
    }

    async fn after_tool_call(
        &self,
        _: &RunContext,
        _: &TurnToolCall,
        result: &mut ToolResultMessage,
    ) -> Result<(), BoxError> {
        self.after_tool.as_ref().map_or(Ok(()), |does| does(result))
    }

    async fn after_turn_complete(&self, _: &RunContext, turn: &CompletedTurn) -> Result<(), BoxError> {
        self.after_turn.as_ref().map_or(Ok(()), |does| does(turn))
    }
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Takes one.
#[tool]
fn take_one(x: i64) -> i64 {
    x - 1
}

/// Marks the result.
#[tool_hook]
fn mark(output: &mut ToolOutput, args: &Args) {
    output.push_text(format!(" of {}", args.text()));
}

agent! {
    Clerk { instruction: "Add.", function_tools: [add_one, take_one], tool_hooks: [mark] }
    ByHand { instruction: "Add.", function_tools: [add_one], run: by_hand }
    Child { instruction: "Answer.", description: "Answers." }
    Parent { instruction: "Ask.", agents: [Child] }
}

/// What the default loop does, and answers one call by hand.
async fn by_hand(run: &AgentRun, input: String) -> Result<String, RunError> {
    run.append(Message::user(input))?;
    let first = run.ask().await?;
    assert!(run.call_tools(&first.tool_calls).await?.into_answer().is_none());
    let second = run.ask().await?;
    let result = |call: &onionskin::model::ToolCall| {
        ToolResultMessage::new(call.id.clone(), call.name.clone(), ["by hand".into()])
    };
    run.append(Message::tool(second.tool_calls.iter().map(result)))?;
    Ok(run.ask().await?.text)
}

fn call(x: i64) -> ScriptedTurn {
    ScriptedTurn::call("add_one", json!({ "x": x }))
}

fn model() -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::turns([call(41), ScriptedTurn::say("{last}")]))
}

async fn clerk(hook: Does) -> (AgentHandle, Arc<ScriptedModel>) {
    let model = model();
    (Clerk::builder().model(Arc::clone(&model)).turn_hook(hook).build().await.unwrap(), model)
}

fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

#[tokio::test]
async fn a9_turn_hooks_run_at_each_place_in_their_order() {
    let log = Log::default();
    let clerk = Clerk::builder().model(model());
    let clerk = clerk.turn_hook(Notes("a", log.clone())).turn_hook(Notes("b", log.clone()));
    assert_eq!(clerk.run("41 + 1?").await.unwrap().text, "42 of {\"x\":41}");
    let pair = |text: &str| ["a", "b"].map(|name| format!("{name} {text}"));
    let wanted = [
        pair("asks 1 of Clerk"),
        pair("said \"\" 1"),
        pair("calls add_one {\"x\":41}"),
        pair("called add_one false"),
        pair("ended 1 [\"\", \"42 of {\\\"x\\\":41}\"]"),
        pair("asks 2 of Clerk"),
        pair("said \"42 of {\\\"x\\\":41}\" 0"),
        pair("ended 2 [\"42 of {\\\"x\\\":41}\"]"),
    ];
    assert_eq!(log.take(), wanted.concat());
}

#[tokio::test]
async fn a9_loops_of_ones_own_pass_the_turn_hooks() {
    let log = Log::default();
    let model = ScriptedModel::turns([call(1), call(2), ScriptedTurn::say("Done.")]);
    let hand = ByHand::builder().model(model).turn_hook(Notes("a", log.clone()));
    assert_eq!(hand.run("Go.").await.unwrap().text, "Done.");
    let wanted = [
        "a asks 1 of ByHand",
        "a said \"\" 1",
        "a calls add_one {\"x\":1}",
        "a called add_one false",
        "a ended 1 [\"\", \"2\"]",
        "a asks 2 of ByHand",
        "a said \"\" 1",
        "a ended 2 [\"\", \"by hand\"]",
        "a asks 3 of ByHand",
        "a said \"Done.\" 0",
        "a ended 3 [\"Done.\"]",
    ];
    assert_eq!(log.take(), wanted);
}

#[tokio::test]
async fn a9_a_request_is_changed_for_its_turn_only() {
    let before: Before<TurnRequest, _> = Box::new(|request| {
        if request.turn() == 1 {
            assert_eq!(request.tools().collect::<Vec<_>>(), ["add_one", "take_one"]);
            request.set_system("Be short.");
            request.set_messages([Message::user("Changed.")])?;
            request.only_tools(["add_one"])?;
            request.set_model("small");
            request.params_mut().temperature = Some(0.5);
        }
        Ok(None)
    });
    let (clerk, model) = clerk(Does { before_llm: Some(before), ..Does::default() }).await;
    let session = clerk.session();
    clerk.request("41 + 1?").session(&session).run().await.unwrap();
    let [first, second] = &model.requests()[..] else { panic!("two turns") };
    assert_eq!((first.system.as_deref(), first.model.as_deref()), (Some("Be short."), Some("small")));
    assert_eq!((first.tools.len(), first.params.temperature), (1, Some(0.5)));
    assert_eq!(texts(&first.messages), ["Changed."]);
    assert_eq!((second.system.as_deref(), second.model.as_deref()), (Some("Add."), None));
    assert_eq!((second.tools.len(), second.params.temperature), (2, None));
    assert_eq!(texts(&second.messages), ["41 + 1?", "", "42 of {\"x\":41}"]);
    assert_eq!(texts(&session.history())[0], "41 + 1?");
}

#[tokio::test]
async fn a9_a_tool_that_a_turn_does_not_offer_is_unknown_in_it() {
    let before: Before<TurnRequest, _> = Box::new(|request| {
        request.only_tools(["take_one"])?;
        Ok(None)
    });
    let turns = [ScriptedTurn::call_unknown("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")];
    let clerk = Clerk::builder().model(ScriptedModel::turns(turns));
    let output = clerk.turn_hook(Does { before_llm: Some(before), ..Does::default() }).run("Go.").await;
    let text = output.unwrap().text;
    assert!(text.contains("Unknown tool") && text.contains("take_one"), "{text}");
}

#[tokio::test]
async fn a9_a_hook_cannot_offer_what_the_agent_does_not_have_nor_split_a_call() {
    let unknown: Before<TurnRequest, _> = Box::new(|request| {
        request.only_tools(["add_on"])?;
        Ok(None)
    });
    let (handle, model) = clerk(Does { before_llm: Some(unknown), ..Does::default() }).await;
    let error = handle.run("Go.").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the turn hook `Does` of the agent `Clerk` failed in `before_llm_call`: the agent has no tool `add_on` to offer; did you \
         mean `add_one`?"
    );
    assert!(model.requests().is_empty());

    for cut in [1, 2] {
        let split: Before<TurnRequest, _> = Box::new(move |request| {
            if request.turn() == 2 {
                let messages = request.messages().iter().skip(if cut == 1 { 2 } else { 0 }).take(cut);
                let messages: Vec<_> = messages.cloned().collect();
                request.set_messages(messages)?;
            }
            Ok(None)
        });
        let (handle, model) = clerk(Does { before_llm: Some(split), ..Does::default() }).await;
        let error = handle.run("Go.").await.unwrap_err().to_string();
        let told = if cut == 1 {
            "of `add_one` has no call of its own"
        } else {
            "of `add_one` and its result are split"
        };
        assert!(error.contains(told), "{error}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn a9_a_hook_answers_in_place_of_the_model_and_is_no_step() {
    let before: Before<TurnRequest, _> =
        Box::new(|request| Ok((request.turn() == 2).then(|| ModelResponse::text("from the hook"))));
    let hook = Does { before_llm: Some(before), ..Does::default() };
    let model = model();
    let clerk = Clerk::builder().model(Arc::clone(&model)).journal(MemoryJournal::default()).turn_hook(hook);
    let clerk = clerk.build().await.unwrap();
    for _ in 0..2 {
        let mut stream = clerk.request("Go.").run_id("7").stream();
        let mut deltas = String::new();
        while let Some(event) = stream.next().await {
            if let EventKind::TextDelta { text, .. } = event.kind {
                deltas.push_str(&text);
            }
        }
        assert_eq!(
            (deltas, stream.output().await.unwrap().text),
            ("from the hook".into(), "from the hook".into())
        );
    }
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a9_an_answer_is_changed_before_it_enters_the_conversation() {
    let after: After<ModelResponse> = Box::new(|response| {
        response.text = response.text.to_uppercase();
        for call in &mut response.tool_calls {
            call.arguments = json!({ "x": 1 }).to_string().into();
        }
        Ok(())
    });
    let (clerk, _) = clerk(Does { after_llm: Some(after), ..Does::default() }).await;
    let session = clerk.session();
    let output = clerk.request("Go.").session(&session).run().await.unwrap();
    assert_eq!(output.text, "2 OF {\"X\":1}");
    assert_eq!(&*session.history()[1].tool_calls()[0].arguments, "{\"x\":1}");
    assert_eq!(texts(&session.history()), ["Go.", "", "2 of {\"x\":1}", "2 OF {\"X\":1}"]);
}

#[tokio::test]
async fn a9_a_call_is_changed_outside_of_the_tool_hooks() {
    let before: Before<TurnToolCall, _> = Box::new(|call| {
        call.set_name("take_one");
        let x = call.args()["x"].as_i64().unwrap();
        call.set_arguments(&json!({ "x": x * 2 }));
        Ok(None)
    });
    let (clerk, _) = clerk(Does { before_tool: Some(before), ..Does::default() }).await;
    let session = clerk.session();
    let output = clerk.request("Go.").session(&session).run().await.unwrap();
    assert_eq!(output.text, "81 of {\"x\":82}");
    let report = &output.tool_calls[0];
    assert_eq!((&*report.tool, &*report.arguments), ("take_one", "{\"x\":82}"));
    // The conversation has the call as the model wrote it, and its result.
    let history = session.history();
    let asked = &history[1].tool_calls()[0];
    assert_eq!((&*asked.name, &*asked.arguments), ("add_one", "{\"x\":41}"));
    let Message::Tool { results, .. } = &history[2] else { panic!("{history:?}") };
    assert_eq!((&results[0].call_id, &*results[0].name), (&asked.id, "add_one"));
}

#[tokio::test]
async fn a9_a_hook_gives_a_result_in_place_of_hooks_and_tool() {
    let before: Before<TurnToolCall, _> =
        Box::new(|call| Ok((call.name() == "add_one").then(|| ToolOutput::text("from the hook"))));
    let turns = [call(1).and_call("take_one", json!({ "x": 5 })), ScriptedTurn::say("{last}")];
    let clerk = Clerk::builder().model(ScriptedModel::turns(turns));
    let output =
        clerk.turn_hook(Does { before_tool: Some(before), ..Does::default() }).run("Go.").await.unwrap();
    let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!(texts, ["from the hook", "4 of {\"x\":5}"]);
    assert_eq!(output.tool_calls.iter().map(|call| call.attempts).collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn a9_calls_that_a_hook_answers_count_into_the_limit() {
    let before = || -> Before<TurnToolCall, _> {
        Box::new(|call| {
            if call.name() == "take_one" {
                return Ok(None);
            }
            if call.args()["x"] == 0 {
                call.set_name("no_tool");
            }
            Ok(Some(ToolOutput::text("from the hook")))
        })
    };
    let mut limits = Limits::default();
    limits.tool_calls = Some(2);
    let take = |turn: ScriptedTurn| turn.and_call("take_one", json!({ "x": 5 }));
    for (turn, expected) in [
        (
            call(1).and_call("add_one", json!({ "x": 2 })).and_call("add_one", json!({ "x": 3 })),
            "hook hook limit",
        ),
        (take(call(1).and_call("add_one", json!({ "x": 0 }))), "hook hook limit"),
        (take(take(call(1))), "hook tool limit"),
    ] {
        let clerk = Clerk::builder().model(ScriptedModel::turns([turn, ScriptedTurn::say("Done.")]));
        let hook = Does { before_tool: Some(before()), ..Does::default() };
        let output = clerk.limits(limits.clone()).turn_hook(hook).run("Go.").await.unwrap();
        let told = output.tool_calls.iter().map(|call| match &*call.to_text() {
            "from the hook" => "hook",
            text if text.contains("the limit of 2 tool calls") => "limit",
            _ => "tool",
        });
        assert_eq!(told.collect::<Vec<_>>().join(" "), expected);
    }
}

#[tokio::test]
async fn a9_a_hook_that_leaves_no_message_ends_the_run_before_the_request() {
    let empties = |answers: bool| -> Before<TurnRequest, ModelResponse> {
        Box::new(move |request| {
            request.set_messages(Vec::new())?;
            Ok(answers.then(|| ModelResponse::text("from the hook")))
        })
    };
    let (handle, model) = clerk(Does { before_llm: Some(empties(false)), ..Does::default() }).await;
    let error = handle.run("Go.").await.unwrap_err();
    let RunError::TurnHook { hook, place, source, .. } = &error else { panic!("{error}") };
    assert_eq!((*hook, *place), ("Does", "before_llm_call"));
    assert!(source.is::<NoMessagesError>(), "{error}");
    assert!(model.requests().is_empty());
    // A hook that answers needs none.
    let (handle, _) = clerk(Does { before_llm: Some(empties(true)), ..Does::default() }).await;
    assert_eq!(handle.run("Go.").await.unwrap().text, "from the hook");
}

#[tokio::test]
async fn a9_a_result_is_changed_for_the_model_only() {
    let after: After<ToolResultMessage> = Box::new(|result| {
        result.content = Arc::new(["hidden".into()]);
        result.is_error = true;
        Ok(())
    });
    let (clerk, model) = clerk(Does { after_tool: Some(after), ..Does::default() }).await;
    let output = clerk.run("Go.").await.unwrap();
    assert_eq!((&*output.text, &*output.tool_calls[0].to_text()), ("hidden", "42 of {\"x\":41}"));
    let Some(Message::Tool { results, .. }) = model.requests()[1].messages.last().cloned() else { panic!() };
    assert!(results[0].is_error);
}

#[tokio::test]
async fn a9_an_error_or_a_panic_of_a_turn_hook_ends_the_run_at_every_place() {
    for (fault, words) in crate::FAULTS {
        let hooks = [
            (
                "before_llm_call",
                Does { before_llm: Some(Box::new(move |_| fault().map(|()| None))), ..Does::default() },
            ),
            ("after_llm_call", Does { after_llm: Some(Box::new(move |_| fault())), ..Does::default() }),
            (
                "before_tool_call",
                Does { before_tool: Some(Box::new(move |_| fault().map(|()| None))), ..Does::default() },
            ),
            ("after_tool_call", Does { after_tool: Some(Box::new(move |_| fault())), ..Does::default() }),
            ("after_turn_complete", Does { after_turn: Some(Box::new(move |_| fault())), ..Does::default() }),
        ];
        for (place, hook) in hooks {
            let (clerk, _) = clerk(hook).await;
            let session = clerk.session();
            let error = clerk.request("Go.").session(&session).run().await.unwrap_err();
            let wanted = format!("the turn hook `Does` of the agent `Clerk` failed in `{place}`: {words}");
            assert_eq!(error.to_string(), wanted);
            // Each call has its result.
            let history = session.history();
            for (index, message) in history.iter().enumerate() {
                if !message.tool_calls().is_empty() {
                    assert!(matches!(history.get(index + 1), Some(Message::Tool { .. })), "{history:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a9_parameters_of_a_hook_are_checked() {
    let before: Before<TurnRequest, _> = Box::new(|request| {
        request.without_tools();
        request.params_mut().tool_choice = ToolChoice::Tool("add_one".into());
        Ok(None)
    });
    let (clerk, model) = clerk(Does { before_llm: Some(before), ..Does::default() }).await;
    let error = clerk.run("Go.").await.unwrap_err();
    assert!(matches!(error, RunError::Model { .. }), "{error}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a9_what_turn_hooks_write_is_redacted() {
    const KEY: &str = "hunter2hunter2";
    let does = || Does {
        before_llm: Some(Box::new(|request| {
            request.set_system(KEY);
            Ok(None)
        })),
        after_llm: Some(Box::new(|response| {
            response.text.push_str(KEY);
            Ok(())
        })),
        after_tool: Some(Box::new(|result| {
            result.content = Arc::new([KEY.into()]);
            Ok(())
        })),
        ..Does::default()
    };
    let model = model();
    let clerk = Clerk::builder().model(Arc::clone(&model)).conceal(&Secret::new(KEY.to_owned()));
    let clerk = clerk.turn_hook(does()).build().await.unwrap();
    let session = clerk.session();
    let output = clerk.request("Go.").session(&session).run().await.unwrap();
    let all = format!("{output:?} {:?} {:?}", model.requests(), session.history());
    assert!(!all.contains("hunter2"), "{all}");
}

#[tokio::test]
async fn a9_children_have_turn_hooks_of_their_own() {
    let log = Log::default();
    let model = crate::asks_a_child("{input}?");
    let notes = Notes("c", log.clone());
    let parent = Parent::builder().model(model).for_agent("Child", |agent| agent.turn_hook(notes));
    assert_eq!(parent.run("x").await.unwrap().text, "y?");
    assert_eq!(log.take(), ["c asks 1 of Child", "c said \"y?\" 0", "c ended 1 [\"y?\"]"]);
}

/// A hook on a state that the agents do not have.
struct Stateful;

impl TurnHook for Stateful {
    type Made = made::AtRunTime<State<u32>>;

    fn services(taken: &mut onionskin::services::ServiceTypes) {
        taken.add::<u8>();
    }
}

struct Declares;

impl Agent for Declares {
    const NAME: &'static str = "Declares";
    type State = u32;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Answer.").turn_hook(Stateful)
    }
}

#[tokio::test]
async fn a9_states_and_services_of_turn_hooks_are_checked_by_the_build() {
    let error = Clerk::builder()
        .model(model())
        .provide(1_u8)
        .for_agent("Clerk", |agent| agent.turn_hook(Stateful))
        .build()
        .await;
    assert!(matches!(error.unwrap_err(), BuildError::HookState { .. }));
    let error = Declares::builder().model(model()).state(1_u32).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::NoService { part, .. } if part == "the turn hook `Stateful`"),
        "{error}"
    );
}
