//! Strategies: loops by hand as parts of agents, with journals, hooks and secrets.

use std::sync::Arc;
use std::time::Duration;

use onionskin::content::ContentBlock;
use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall};
use onionskin::run::AgentRun;
use onionskin::secret::Secret;
use onionskin::{
    Agent, AgentTool, App, Args, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult,
    agent, tool, tool_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::loops_by_hand::{Converses, Loops, Slow, add, add_one, answer, by_hand, declare, is_whole};
use super::support::Count;

/// Plans, acts, makes a call of its own, reviews.
async fn strategy(run: &AgentRun, input: String) -> Result<String, RunError> {
    run.append(Message::user(input))?;
    let plan = run.ask().without_tools().instruction("Plan.").await?.text;
    run.state::<Count>()?.up();
    run.append(Message::user(format!("Do: {plan}")))?;
    let act = run.ask().await?;
    drop(run.call_tools(&act.tool_calls[1..]).await?);
    drop(run.call_tools(&act.tool_calls[..1]).await?);
    let own = [ToolCall::new("own", "add_one", r#"{"x": 10}"#)];
    run.append(ModelResponse::tool_calls(own.to_vec()).into())?;
    let own = run.call_tools(&own).await?;
    let review = run.ask().without_tools().instruction("Review.").await?.text;
    Ok(format!("{review} {}", own.results()[0].content[0].as_text().unwrap()))
}

by_hand!(Plans, |run, input| strategy(run, input).await);

/// The third answer is the loop's own.
fn planned() -> [ScriptedTurn; 4] {
    [answer("the sum"), add(1).and_call("add_one", json!({ "x": 2 })), answer("-"), answer("reviewed")]
}

/// Answers as often, then never again.
struct Dies(ScriptedModel, Count, u32);

impl Model for Dies {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        if self.1.up() > self.2 {
            std::future::pending::<()>().await;
        }
        self.0.respond(request, deltas).await
    }
}

#[tokio::test(start_paused = true)]
async fn o5_a_loop_by_hand_that_died_in_any_turn_is_replayed() {
    let whole = |output: onionskin::RunOutput| {
        let steps: Vec<_> = output.tool_calls.iter().map(|call| call.step.to_string()).collect();
        (output.text, output.turns, steps)
    };
    for answers in 0..=3 {
        let journal = Arc::new(MemoryJournal::default());
        let calls = Count::default();
        let start = |model: Dies, calls: &Count| {
            let builder = Plans::builder().model(model).state(calls.clone()).journal(Arc::clone(&journal));
            async move {
                let handle = builder.build().await.unwrap();
                let run = handle.request("go").run_id("r").run();
                tokio::time::timeout(Duration::from_secs(1), run).await
            }
        };
        let died = start(Dies(ScriptedModel::turns(planned()), Count::default(), answers), &calls).await;
        assert_eq!(died.is_err(), answers < 3);
        let again = start(Dies(ScriptedModel::turns(planned()), Count::default(), 9), &calls).await;
        let (text, turns, steps) = whole(again.unwrap().unwrap());
        assert_eq!((&*text, turns), ("reviewed 11", 3), "{answers}");
        let expected =
            ["turn 2/call 2", "turn 2/call 1", "turn 0/call 1"].map(|at| format!("{at}/tool add_one"));
        assert_eq!(steps, expected);
        // Three calls, each once, and the loop's own count in each start that came so far.
        assert_eq!(calls.get(), 3 + 1 + u32::from(answers > 0), "{answers}");
    }
}

#[tokio::test]
async fn o5_a_loop_by_hand_that_asks_something_else_diverges() {
    by_hand!(Changed, |run, input| {
        run.append(Message::user(input))?;
        Ok(run.ask().without_tools().instruction("Plan otherwise.").await?.text)
    });
    let journal = Arc::new(MemoryJournal::default());
    let model = ScriptedModel::turns(planned());
    let plans = Plans::builder().model(model).state(Count::default()).journal(Arc::clone(&journal));
    plans.build().await.unwrap().request("go").run_id("r").run().await.unwrap();
    let changed = Changed::builder().model(ScriptedModel::turns(planned())).state(Count::default());
    let changed = changed.journal(journal).build().await.unwrap();
    let error = changed.request("go").run_id("r").run().await.unwrap_err();
    assert!(error.to_string().contains("turn 1/model"), "{error}");
}

#[tokio::test]
async fn a7_an_agent_by_hand_is_a_child_an_entry_and_a_tool() {
    agent! {
        Head { name: "head", instruction: "Ask.", agents: [Plans] }
        Free { name: "free", instruction: "Ask." }
    }
    let asks = || [ScriptedTurn::call("agent__worker", json!({ "input": "go" })), answer("{last}")];
    let model =
        || ScriptedModel::new().agent("head", asks()).agent("free", asks()).agent("worker", planned());
    let child = Head::builder().model(model()).state(Count::default()).run("go").await.unwrap();
    assert_eq!((&*child.text, child.tool_calls.len()), ("reviewed 11", 4));

    let app = App::builder().agent::<Plans>().model(model()).state(Count::default()).build().await.unwrap();
    assert_eq!(app.run("go").await.unwrap().text, "reviewed 11");

    let worker = Plans::builder().model(model()).state(Count::default()).build().await.unwrap();
    let free = Free::builder().model(model()).tool(AgentTool::new(&worker)).run("go").await.unwrap();
    assert_eq!((&*free.text, free.tool_calls.len()), ("reviewed 11", 4));
}

#[tokio::test]
async fn a7_a_loop_by_hand_sees_its_tools_and_state_and_reports_events() {
    by_hand!(Sees, |run, _input| {
        assert_eq!(run.tool_names()?, ["add_one", "fails", "finish", "hangs", "agent__helper"]);
        let definitions = run.tool_definitions()?;
        assert_eq!((&*definitions[0].name, &*definitions[0].description), ("add_one", "Adds one."));
        run.state::<Count>()?.update(|count| {
            count.up();
        });
        run.emit(json!({ "step": 1 })).map_err(|error| RunError::agent("worker", error.to_string()))?;
        run.notice("half way");
        run.progress(1.0, Some(2.0), None);
        let error = RunError::from(run.state::<String>().unwrap_err());
        assert!(
            error.to_string().contains("the agent `worker` has no state of type `alloc::string::String`")
        );
        Ok("seen".to_owned())
    });
    let count = Count::default();
    let mut stream =
        Sees::builder().model(ScriptedModel::new()).state(count.clone()).stream("go").await.unwrap();
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::User { call_id: None, value, .. } => told.push(value.to_string()),
            EventKind::Notice { text, .. } => told.push(text),
            EventKind::Progress { call_id: None, done, total, .. } => {
                told.push(format!("{done} of {total:?}"));
            }
            _ => {}
        }
    }
    assert_eq!(told, [r#"{"step":1}"#, "half way", "1 of Some(2.0)"]);
    assert_eq!(count.get(), 1);
}

mod other {
    use super::{AgentRun, Message, RunError};

    /// Asks so many times, and answers with all answers.
    pub async fn several<const TIMES: usize>(run: &AgentRun, input: String) -> Result<String, RunError> {
        let mut answers = Vec::new();
        for _ in 0..TIMES {
            run.append(Message::user(input.clone()))?;
            answers.push(run.ask().without_tools().await?.text);
        }
        Ok(answers.join(" "))
    }
}

#[tokio::test]
async fn a7_a_declared_agent_runs_a_strategy_with_all_its_parts() {
    agent! {
        Declared {
            name: "worker",
            description: "Works.",
            default: true,
            instruction: "Work.",
            state: Count,
            function_tools: [add_one],
            run: strategy,
        }
        Several { name: "several", instruction: "Ask.", agents: [Declared], run: other::several::<2> }
    }
    let count = Count::default();
    let model =
        ScriptedModel::new().agent("worker", planned()).agent("several", [answer("one"), answer("two")]);
    let model = Arc::new(model);
    let app = App::builder().agent::<Declared>().agent::<Several>().model(model).state(count.clone());
    let app = app.build().await.unwrap();
    let output = app.run("go").await.unwrap();
    assert_eq!((&*output.text, output.tool_calls.len(), count.get()), ("reviewed 11", 3, 4));
    assert_eq!(app.agent("several").unwrap().run("go").await.unwrap().text, "one two");
}

/// What a strategy and its tools change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Ledger {
    sum: i64,
}

/// Pays in.
#[tool]
fn pay_in(x: i64, ledger: State<Ledger>) -> i64 {
    ledger.update(|ledger| {
        ledger.sum += x;
        ledger.sum
    })
}

async fn keeps_books(run: &AgentRun, input: String) -> Result<String, RunError> {
    run.append(Message::user(input))?;
    run.state::<Ledger>()?.update(|ledger| ledger.sum *= 2);
    let response = run.ask().await?;
    drop(run.call_tools(&response.tool_calls).await?);
    run.state::<Ledger>()?.update(|ledger| ledger.sum += 1);
    Ok(run.state::<Ledger>()?.sum.to_string())
}

#[tokio::test]
async fn o5_what_a_strategy_does_to_the_state_is_done_again_in_a_replay() {
    agent! {
        Books { name: "books", instruction: "Pay.", state: Ledger, function_tools: [pay_in], run: keeps_books }
    }
    let journal = Arc::new(MemoryJournal::default());
    for _ in 0..2 {
        let model = ScriptedModel::turns([ScriptedTurn::call("pay_in", json!({ "x": 3 }))]);
        let books = Books::builder().model(model).state(Ledger { sum: 5 }).journal(Arc::clone(&journal));
        let books = books.build().await.unwrap();
        let session = books.session();
        let output = books.request("go").run_id("r").session(&session).run().await.unwrap();
        assert_eq!((&*output.text, output.tool_calls[0].to_text().as_ref()), ("14", "13"));
        assert_eq!(*session.typed_state::<Ledger>().unwrap(), Ledger { sum: 14 });
    }
}

#[tokio::test]
async fn o5_a_loop_by_hand_is_answered_from_the_records_of_converse() {
    async fn run<A: Agent<State = Count>>(journal: &Arc<MemoryJournal>, turns: Vec<ScriptedTurn>) -> String {
        let model = ScriptedModel::new().agent("worker", turns).agent("helper", [answer("helped")]);
        let builder = A::builder().model(model).state(Count::default()).journal(Arc::clone(journal));
        builder.build().await.unwrap().request("go").run_id("r").run().await.unwrap().text
    }
    let turns = || {
        let first = add(1).and_call("agent__helper", json!({ "input": "one" }));
        vec![first.and_call("fails", json!({})), answer("-"), add(2), answer("{last}")]
    };
    let fails = || vec![ScriptedTurn::fail(400)];
    let (journal, other) = (Arc::new(MemoryJournal::default()), Arc::new(MemoryJournal::default()));
    // The hashes of all requests are those of the other loop.
    assert_eq!(run::<Converses>(&journal, turns()).await, "3");
    assert_eq!(run::<Loops>(&journal, fails()).await, "3");
    assert_eq!(run::<Loops>(&other, turns()).await, "3");
    assert_eq!(run::<Converses>(&other, fails()).await, "3");
}

/// Where a process dies: in the call of this number.
#[derive(Clone, Default)]
struct Grave {
    at: Count,
    calls: Count,
    last: u32,
}

/// Adds one, or never ends.
#[tool]
async fn mortal(x: i64, grave: State<Grave>) -> i64 {
    if grave.at.up() > grave.last {
        std::future::pending::<()>().await;
    }
    grave.calls.up();
    x + 1
}

async fn in_two_batches(run: &AgentRun, input: String) -> Result<String, RunError> {
    run.append(Message::user(input))?;
    let calls = run.ask().await?.tool_calls;
    drop(run.call_tools(&calls[1..]).await?);
    drop(run.call_tools(&calls[..1]).await?);
    Ok(run.ask().await?.text)
}

#[tokio::test(start_paused = true)]
async fn o5_a_strategy_that_died_in_any_call_runs_each_recorded_call_once() {
    agent! {
        Mortal {
            name: "mortal", instruction: "Add.", state: Grave, function_tools: [mortal], max_parallel: 1,
            run: in_two_batches,
        }
    }
    for last in 0..=3 {
        let journal = Arc::new(MemoryJournal::default());
        let calls = Count::default();
        let start = async |last| {
            let three = ScriptedTurn::call("mortal", json!({ "x": 1 }))
                .and_call("mortal", json!({ "x": 2 }))
                .and_call("mortal", json!({ "x": 3 }));
            let model = ScriptedModel::turns([three, answer("{last}")]);
            let state = Grave { at: Count::default(), calls: calls.clone(), last };
            let mortal = Mortal::builder().model(model).state(state).journal(Arc::clone(&journal));
            let handle = mortal.build().await.unwrap();
            tokio::time::timeout(Duration::from_secs(1), handle.request("go").run_id("r").run()).await
        };
        assert_eq!(start(last).await.is_err(), last < 3);
        assert_eq!(start(9).await.unwrap().unwrap().text, "2\n3\n4");
        assert_eq!(calls.get(), 3, "{last}");
    }
}

/// Marks what passes it.
#[tool_hook]
async fn marks(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(format!(" by {}", cx.tool_name()));
    Ok(output)
}

/// May run once.
#[tool(max_calls = 1)]
fn rare() -> &'static str {
    "rare"
}

#[tokio::test]
async fn a7_hooks_and_limits_of_a_declared_agent_hold_in_its_strategy() {
    async fn calls(run: &AgentRun, input: String) -> Result<String, RunError> {
        run.append(Message::user(input))?;
        let calls = run.ask().await?.tool_calls;
        let results = run.call_tools(&calls).await?;
        let texts = results
            .results()
            .iter()
            .flat_map(|result| result.content.iter().filter_map(ContentBlock::as_text));
        Ok(texts.collect::<Vec<_>>().join(" | "))
    }
    agent! {
        Marked {
            name: "marked", instruction: "Call.", state: Count, function_tools: [add_one, rare],
            tool_hooks: [marks for [add_one]], run: calls,
        }
    }
    let three = add(1).and_call("rare", json!({})).and_call("rare", json!({}));
    let output = Marked::builder().model(ScriptedModel::turns([three])).state(Count::default()).run("go");
    let text = output.await.unwrap().text;
    let (ran, refused) = text.rsplit_once(" | ").unwrap();
    assert_eq!(ran, "2 |  by add_one | rare");
    assert!(refused.contains("`rare`"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a7_a_turn_that_is_dropped_leaves_a_conversation_that_goes_on() {
    by_hand!(Drops, |run, input| {
        run.append(Message::user(input))?;
        assert!(tokio::time::timeout(Duration::from_millis(5), run.ask()).await.is_err());
        assert_eq!(run.messages().len(), 1);
        run.append(Message::user("once more"))?;
        Ok(run.ask().await?.text)
    });
    let handle = Drops::builder().model(Slow(ScriptedModel::turns([answer("late")]))).state(Count::default());
    let handle = handle.build().await.unwrap();
    let session = handle.session();
    let output = handle.request("go").session(&session).run().await.unwrap();
    assert_eq!((&*output.text, output.turns), ("late", 2));
    is_whole(&session.history().to_vec());
}

#[tokio::test]
async fn t8_secrets_of_a_loop_by_hand_reach_neither_model_nor_reader() {
    by_hand!(Tells, |run, input| {
        run.context().conceal(&Secret::new("hunter2".to_owned()));
        run.append(Message::user(format!("{input} hunter2")))?;
        run.notice("it is hunter2");
        run.emit(json!({ "password": "hunter2" })).unwrap();
        run.progress(1.0, None, "hunter2 is used".to_owned());
        let _ = run.ask().instruction("Use hunter2.").await?;
        let unknown = run.ask().only_tools(["hunter2"]).await.unwrap_err();
        // The loop itself may log what it gets.
        assert!(!format!("{unknown} {unknown:?}").contains("hunter2"), "{unknown}");
        run.append(Message::tool(Vec::new()))?;
        Err(unknown)
    });
    let model = Arc::new(ScriptedModel::turns([answer("done")]));
    let journal = Arc::new(MemoryJournal::default());
    let tells = Tells::builder().model(Arc::clone(&model)).state(Count::default()).journal(journal);
    let mut stream = tells.build().await.unwrap().stream("go");
    let mut told = String::new();
    while let Some(event) = stream.next().await {
        told += &format!("{event:?}\n");
    }
    let error = stream.output().await.unwrap_err();
    told += &format!("{:?} {error} {error:?}", model.requests());
    assert!(told.contains("it is") && told.contains("password") && told.contains("Use "), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}
