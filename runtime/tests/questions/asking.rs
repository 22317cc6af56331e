//! Questions that tools and hooks ask: the answers, the replay of a call with its answers, and what counts as done.

use std::sync::Arc;
use std::time::Duration;

use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, AnswerError, AskError, Question, QuestionKind};
use onionskin::{
    AgentHandle, Args, ErrorKind, Next, Provided, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolResult, agent, call, tool, tool_hook,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Log, paused};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Address {
    street: String,
    number: u32,
}

/// Orders shoes.
#[tool(asks, effect = once)]
async fn order(cx: &ToolContext, model: String, log: Provided<Log>) -> Result<String, AskError> {
    log.push(format!("{model} begins"));
    let size: u8 = cx.ask(format!("Which size of {model}?")).await?;
    let to: Address = cx.ask("Where to?").await?;
    log.push(format!("{model} {size} to {} {}", to.street, to.number));
    Ok(format!("ordered {model} {size}"))
}

/// Asks at once.
#[tool(asks)]
async fn both(cx: &ToolContext) -> Result<String, AskError> {
    let (one, other) =
        tokio::join!(cx.ask_as::<String>("one", "One?"), cx.ask_as::<String>("other", "Other?"));
    Ok(format!("{} {}", one?, other?))
}

/// Asks, and does not say so.
#[tool]
async fn undeclared(cx: &ToolContext) -> Result<String, AskError> {
    cx.ask("What?").await
}

/// Asks for long.
#[tool(asks, timeout = "30ms")]
async fn patient(cx: &ToolContext) -> Result<String, AskError> {
    let answer: String = cx.ask("Well?").await?;
    if answer == "sleep" {
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    Ok(answer)
}

agent! {
    Shop { description: "Sells.", instruction: "Sell.", function_tools: [order, both, patient] }
    Silent { instruction: "Go.", function_tools: [undeclared] }
}

fn model(tool: &str, args: Value) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")])
}

async fn shop(log: &Log, model: ScriptedModel) -> AgentHandle {
    Shop::builder().model(model).provide(log.clone()).build().await.unwrap()
}

fn value(value: impl serde::Serialize) -> Answer {
    Answer::value(value).unwrap()
}

#[tokio::test]
async fn t7_a_tool_asks_one_question_after_the_other_and_is_entered_again_with_the_answers() {
    let log = Log::default();
    let shop = shop(&log, model("order", json!({ "model": "Runner" }))).await;
    let first = paused(shop.run("go").await);
    let [question] = first.questions() else { panic!("{first:?}") };
    assert_eq!((question.kind(), question.text()), (&QuestionKind::Question, Some("Which size of Runner?")));
    assert_eq!((question.arguments(), question.tool_name()), (&json!({ "model": "Runner" }), "order"));
    assert_eq!(question.answer_schema()["type"], "integer");

    let wrong = shop.resume(&first).answer(question.key(), value("large")).run().await.unwrap_err();
    let RunError::Answer { source: AnswerError::Invalid { problems, .. }, .. } = &wrong else {
        panic!("{wrong}")
    };
    assert!(problems.contains("integer"), "{problems}");

    assert!(!wrong.to_string().contains("turn 1"), "{wrong}");

    // Read as arguments are: what is exact is converted, and no key is dropped.
    let second = paused(shop.resume(&first).answer(question.key(), value("41")).run().await);
    let [question] = second.questions() else { panic!("{second:?}") };
    assert_eq!(question.text(), Some("Where to?"));
    let more = value(json!({ "street": "Lane", "number": 5, "floor": 3 }));
    let wrong = shop.resume(&second).answer(question.key(), more).run().await.unwrap_err();
    assert!(wrong.to_string().contains("`floor`: unknown key; it takes `street`, `number`"), "{wrong}");
    let answer = value(json!({ "street": "Lane", "number": "5.0" }));
    let output = shop.resume(&second).answer(question.key(), answer).run().await.unwrap();
    assert_eq!(output.text, "ordered Runner 41");
    assert_eq!(log.take(), ["Runner begins", "Runner begins", "Runner begins", "Runner 41 to Lane 5"]);
}

#[tokio::test]
async fn t7_a_declined_question_is_an_error_of_the_tool() {
    let log = Log::default();
    let shop = shop(&log, model("order", json!({ "model": "Runner" }))).await;
    let first = paused(shop.run("go").await);
    let declined = Answer::declined("I do not know");
    let output = shop.resume(&first).answer(first.questions()[0].key(), declined).run().await.unwrap();
    assert_eq!(output.text, "the question was declined: I do not know");
}

#[tokio::test]
async fn t7_questions_with_names_are_open_at_once() {
    let log = Log::default();
    let shop = shop(&log, model("both", json!({}))).await;
    let first = paused(shop.run("go").await);
    let texts: Vec<_> = first.questions().iter().filter_map(Question::text).collect();
    assert_eq!(texts, ["One?", "Other?"]);
    let other = first.questions()[1].key();
    let second = paused(shop.resume(&first).answer(other, value("b")).run().await);
    assert_eq!(second.questions().len(), 1);
    let output = shop.resume(&second).answer(second.questions()[0].key(), value("a")).run().await.unwrap();
    assert_eq!(output.text, "a b");
}

#[tokio::test]
async fn t7_a_call_that_only_waited_is_not_in_doubt_and_one_that_went_on_is() {
    /// Works after its question.
    #[tool(asks, effect = once)]
    async fn work(cx: &ToolContext, log: Provided<Log>) -> Result<String, AskError> {
        let word: String = cx.ask("Which?").await?;
        log.push(format!("works on {word}"));
        if word == "it" {
            std::future::pending::<()>().await;
        }
        Ok(word)
    }

    agent! { Worker { instruction: "Work.", function_tools: [work] } }

    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let worker = async || {
        let worker = Worker::builder().model(model("work", json!({}))).provide(log.clone());
        worker.journal(Arc::clone(&journal)).build().await.unwrap()
    };
    let first = paused(worker().await.request("go").run_id("a").run().await);
    let answered = worker().await.resume(&first).answer(first.questions()[0].key(), value("it"));
    // The process dies while the tool works.
    tokio::time::timeout(Duration::from_millis(50), answered.run()).await.unwrap_err();
    assert_eq!(log.take(), ["works on it"]);
    let output = worker().await.request("go").run_id("a").run().await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(onionskin::event::CallOutcome::Error(ErrorKind::InDoubt)));
    assert!(log.take().is_empty());

    let first = paused(worker().await.request("go").run_id("b").run().await);
    let again = paused(worker().await.request("go").run_id("b").run().await);
    assert_eq!(first, again);
    let answered = worker().await.resume(&again).answer(again.questions()[0].key(), value("that"));
    assert_eq!(answered.run().await.unwrap().text, "that");
    assert_eq!(log.take(), ["works on that"]);
}

/// Asks on a thread of its own.
#[tool(blocking)]
fn on_a_thread(cx: &ToolContext) -> Result<String, AskError> {
    tokio::runtime::Handle::current().block_on(cx.ask("What?"))
}

/// Asks before each call.
#[tool_hook]
async fn asks_first(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    if ctx.ask::<bool>("Go on?").await.unwrap_or(true) { next.run(args).await } else { Err("no".into()) }
}

/// Goes on without an answer.
#[tool]
async fn goes_on(cx: &ToolContext) -> String {
    cx.ask("What?").await.unwrap_or_else(|_| "nothing".to_owned())
}

/// Does not ask.
#[tool]
fn quiet() -> &'static str {
    "quiet"
}

agent! {
    Mistaken { description: "Goes.", instruction: "Go.", function_tools: [undeclared, goes_on] }
    Threaded { instruction: "Go.", function_tools: [both, on_a_thread] }
    Careful { instruction: "Go.", function_tools: [quiet], tool_hooks: [asks_first] }
    Head { instruction: "Lead.", agents: [Mistaken] }
}

#[tokio::test]
async fn t7_a_tool_that_does_not_say_that_it_asks_ends_its_run_with_what_to_write() {
    let model = model("undeclared", json!({}));
    let silent = Silent::builder().model(model).build().await.unwrap();
    let error = silent.run("go").await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(&error, RunError::CannotAsk { agent, .. } if &**agent == "Silent"), "{error:?}");
    assert!(text.contains("`undeclared`") && text.contains("#[tool(asks)]"), "{text}");
    // With somebody to ask it needs no declaration.
    let answerer = |_: Question| async { Answer::value("that").ok() };
    let output = silent.request("go").answerer(answerer).run().await.unwrap();
    assert_eq!(output.text, "that");
    // A direct call belongs to no run.
    let error = call!(undeclared::spec()).await.unwrap_err();
    assert!(error.to_string().contains("belongs to no run"), "{error}");
}

#[tokio::test]
async fn t7_a_question_without_a_way_to_an_answer_ends_the_run_whatever_the_code_does_with_the_error() {
    for (tool, advice) in [("goes_on", "#[tool(asks)]"), ("on_a_thread", "without `blocking`")] {
        let model = model(tool, json!({}));
        let run = match tool {
            "goes_on" => Mistaken::builder().model(model).run("go").await,
            _ => Threaded::builder().model(model).run("go").await,
        };
        let Err(error @ RunError::CannotAsk { .. }) = run else { panic!("{tool}: {run:?}") };
        let text = error.to_string();
        assert!(text.contains(&format!("`{tool}`")) && text.contains(advice), "{text}");
    }
    let error = Careful::builder().model(model("quiet", json!({}))).run("go").await.unwrap_err();
    assert!(error.to_string().contains(".answerer(..)"), "{error}");
    assert!(matches!(error, RunError::CannotAsk { .. }), "{error:?}");
}

agent! { OnThreads { instruction: "Go.", function_tools: [on_a_thread, quiet] } }

#[tokio::test]
async fn t7_the_error_of_a_blocking_tool_says_what_helps() {
    // No other tool of the agent asks, so its run keeps no records.
    let threads = OnThreads::builder().model(model("on_a_thread", json!({}))).build().await.unwrap();
    let open = |_: Question| async { None };
    for (run, problem) in [
        (threads.run("go").await, "has no answerer"),
        (threads.request("go").answerer(open).run().await, "the answerer left the question open"),
    ] {
        let text = run.unwrap_err().to_string();
        assert!(text.contains("without `blocking`") && text.contains(problem), "{text}");
        assert!(!text.contains("#[tool(asks)]"), "{text}");
    }
}

/// Asks when nobody waits for its call.
#[tool(blocking, timeout = "20ms")]
fn asks_late(cx: &ToolContext, late: Provided<Late>) -> String {
    let handle = tokio::runtime::Handle::current();
    handle.block_on(cx.cancellation().cancelled());
    let error = handle.block_on(cx.ask::<String>("What?")).unwrap_err();
    late.0.send(error.to_string()).unwrap();
    String::new()
}

struct Late(tokio::sync::mpsc::UnboundedSender<String>);

agent! { Later { instruction: "Go.", function_tools: [asks_late] } }

#[tokio::test]
async fn t7_a_question_after_the_end_of_its_call_reaches_no_person_and_does_not_end_the_run() {
    let (sender, mut errors) = tokio::sync::mpsc::unbounded_channel();
    let later = Later::builder().model(model("asks_late", json!({}))).provide(Late(sender));
    let later = later.answerer(|question: Question| async move { panic!("{question:?}") });
    let output = later.run("go").await.unwrap();
    assert!(output.text.contains("20 ms") || output.text.contains("20ms"), "{}", output.text);
    assert_eq!(
        errors.recv().await.unwrap(),
        "`asks_late` cannot ask: its call has ended, for example at its `timeout`, and nothing waits for the answer"
    );
}

#[tokio::test]
async fn t7_an_answerer_that_leaves_a_question_open_is_named() {
    let silent = Silent::builder().model(model("undeclared", json!({}))).build().await.unwrap();
    let error = silent.request("go").answerer(|_: Question| async { None }).run().await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the answerer left the question open") && text.contains("#[tool(asks)]"), "{text}");
    assert!(!text.contains("no answerer"), "{text}");
}

#[tokio::test]
async fn t7_a_question_without_a_way_to_an_answer_is_no_event_and_no_text_for_the_model() {
    let calls = ScriptedTurn::call("goes_on", json!({})).and_call("undeclared", json!({}));
    let model = Arc::new(ScriptedModel::turns([calls, ScriptedTurn::say("done")]));
    let mistaken = Mistaken::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = mistaken.session();
    let mut stream = mistaken.request("go").session(&session).stream();
    while let Some(event) = stream.next().await {
        assert!(!matches!(event.kind, EventKind::QuestionAsked { .. }), "{event:?}");
    }
    assert!(matches!(stream.output().await, Err(RunError::CannotAsk { .. })));
    mistaken.request("again").session(&session).run().await.unwrap();
    let sent = format!("{:?}", model.requests().last().unwrap().messages);
    assert!(sent.contains("a question could not be asked"), "{sent}");
    assert!(!sent.contains("#[tool(") && !sent.contains("cannot ask"), "{sent}");
}

/// Notes something.
#[tool]
fn note(text: String) -> String {
    text
}

agent! {
    Noter { instruction: "Note.", function_tools: [note], tool_hooks: [asks_first] }
}

#[tokio::test]
async fn t7_a_question_of_a_hook_shows_the_arguments_of_the_call() {
    let model = || model("note", json!({ "text": "the key is hunter2" }));
    let shown = Arc::new(std::sync::Mutex::new(Vec::new()));
    let asked = Arc::clone(&shown);
    let answerer = move |question: Question| {
        asked.lock().unwrap().push(question.arguments().clone());
        async { Answer::value(true).ok() }
    };
    let noter = Noter::builder().model(model()).answerer(answerer).build().await.unwrap();
    let session = noter.session();
    session.state().set_secret("key", onionskin::Secret::new("hunter2".to_owned()));
    noter.request("go").session(&session).run().await.unwrap();
    assert_eq!(*shown.lock().unwrap(), [json!({ "text": "the key is [secret]" })]);

    // A paused run shows them too, and goes on with the answer.
    let noter = Noter::builder().model(model()).journal(MemoryJournal::default()).build().await.unwrap();
    let first = paused(noter.run("go").await);
    let question = &first.questions()[0];
    assert_eq!(question.arguments(), &json!({ "text": "the key is hunter2" }));
    let output = noter.resume(&first).answer(question.key(), value(true)).run().await.unwrap();
    assert_eq!(output.text, "the key is hunter2");
}

#[tokio::test]
async fn t7_a_question_of_a_child_without_a_way_to_an_answer_ends_the_runs_above_it() {
    let asks = ScriptedTurn::call("agent__Mistaken", json!({ "input": "go" }));
    let model = ScriptedModel::new()
        .agent("Head", [asks, ScriptedTurn::say("{last}")])
        .agent("Mistaken", [ScriptedTurn::call("undeclared", json!({}))]);
    let error = Head::builder().model(model).run("go").await.unwrap_err();
    assert!(matches!(&error, RunError::CannotAsk { agent, .. } if &**agent == "Mistaken"), "{error:?}");
}

#[tokio::test]
async fn t7_the_wait_for_an_answer_is_no_part_of_the_timeout() {
    let log = Log::default();
    let shop = shop(&log, model("patient", json!({}))).await;
    let slow = |answer: &'static str| {
        move |_: Question| async move {
            tokio::time::sleep(Duration::from_millis(120)).await;
            Answer::value(answer).ok()
        }
    };
    assert_eq!(shop.request("go").answerer(slow("yes")).run().await.unwrap().text, "yes");
    let late = shop.request("go").answerer(slow("sleep")).run().await.unwrap();
    assert!(late.text.contains("took longer than 30ms"), "{}", late.text);
}

#[tokio::test]
async fn t7_a_hook_asks_too_and_is_not_asked_again_after_its_answer() {
    /// Looks.
    #[tool]
    fn look(log: Provided<Log>) -> String {
        log.push("looked");
        "seen".to_owned()
    }

    #[tool_hook]
    async fn confirms(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
        if ctx.ask::<bool>("Look?").await? { next.run(args).await } else { Err("no".into()) }
    }

    agent! { Looker { instruction: "Look.", function_tools: [look], tool_hooks: [confirms] } }

    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let looker = Looker::builder().model(model("look", json!({}))).provide(log.clone()).journal(journal);
    let looker = looker.build().await.unwrap();
    let first = paused(looker.run("go").await);
    let output = looker.resume(&first).answer(first.questions()[0].key(), value(true)).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("seen", vec!["looked".to_owned()]));
}

#[tokio::test]
async fn t7_a_panic_of_the_answerer_is_an_error_of_the_tool() {
    let log = Log::default();
    let shop = shop(&log, model("patient", json!({}))).await;
    let broken = |_: Question| async { panic!("nobody expected that") };
    let output = shop.request("go").answerer(broken).run().await.unwrap();
    assert!(output.text.contains("the answerer panicked"), "{}", output.text);
}
