//! Runs that are resumed with something that changed, or in a way that cannot work: nothing is done twice or for a question that no person
//! saw, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use onionskin::approval::{Always, Approval};
use onionskin::event::EventKind;
use onionskin::journal::{JournalErrorKind, MemoryJournal};
use onionskin::model::{Model, ModelResponse, ToolCall};
use onionskin::question::{Answer, AnswerError, AskError, Paused, Question, SealError, SealKey};
use onionskin::run::SavedSession;
use onionskin::{
    AgentHandle, Provided, RunError, ScriptedModel, ScriptedTurn, Secret, SessionState, State, ToolContext,
    agent, run_hook, tool,
};
use serde_json::{Value, json};

use crate::answers::answers;
use crate::support::{Log, open, paused};

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

/// Looks.
#[tool]
fn look(log: Provided<Log>) -> &'static str {
    log.push("looked");
    "seen"
}

/// What a thing costs now.
#[derive(Default)]
struct Price(AtomicU32);

/// Buys a thing at the price of the day.
#[tool(asks, effect = once)]
async fn buy(cx: &ToolContext, price: Provided<Price>, log: Provided<Log>) -> Result<String, AskError> {
    let price = price.0.load(Ordering::Relaxed);
    if cx.ask::<bool>(format!("Buy it for {price}?")).await? {
        log.push(format!("bought for {price}"));
    }
    Ok("done".to_owned())
}

agent! {
    Payer { instruction: "Pay.", function_tools: [pay, look] }
    Buyer { instruction: "Buy.", function_tools: [buy] }
}

fn pays() -> ScriptedModel {
    let look = ScriptedTurn::call("look", json!({}));
    ScriptedModel::turns([
        look,
        ScriptedTurn::call("pay", json!({ "cents": 5 })),
        ScriptedTurn::say("{last}"),
    ])
}

async fn payer(log: &Log) -> AgentHandle {
    Payer::builder().model(pays()).provide(log.clone()).build().await.unwrap()
}

async fn buyer(log: &Log, price: u32) -> AgentHandle {
    let model = ScriptedModel::turns([ScriptedTurn::call("buy", json!({})), ScriptedTurn::say("{last}")]);
    let buyer = Buyer::builder().model(model).provide(log.clone());
    buyer.provide(Price(price.into())).build().await.unwrap()
}

/// The value as another process reads it.
fn stored_again(paused: &Paused) -> Paused {
    serde_json::from_value(serde_json::to_value(paused).unwrap()).unwrap()
}

fn yes() -> Answer {
    Answer::value(true).unwrap()
}

#[tokio::test]
async fn a7_an_answer_is_for_the_question_that_was_shown() {
    let log = Log::default();
    let first = paused(buyer(&log, 5).await.run("go").await);
    let question = &first.questions()[0];
    assert_eq!(question.text(), Some("Buy it for 5?"));
    // The price went up since the person saw the question.
    let dear = buyer(&log, 900).await;
    let again = paused(dear.resume(&first).answer(question.key(), yes()).run().await);
    assert_eq!((again.questions()[0].text(), log.take().len()), (Some("Buy it for 900?"), 0));
    dear.resume(&again).answer(again.questions()[0].key(), yes()).run().await.unwrap();
    assert_eq!(log.take(), ["bought for 900"]);
}

#[tokio::test]
async fn a7_an_answer_is_for_the_question_that_was_shown_with_a_journal_too() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let model = || ScriptedModel::turns([ScriptedTurn::call("buy", json!({})), ScriptedTurn::say("{last}")]);
    let buyer = async |price: u32| {
        let buyer = Buyer::builder().model(model()).provide(log.clone()).provide(Price(price.into()));
        buyer.journal(Arc::clone(&journal)).build().await.unwrap()
    };
    let first = paused(buyer(5).await.request("go").run_id("a").run().await);
    let dear = buyer(900).await;
    let again = paused(dear.resume(&first).answer(first.questions()[0].key(), yes()).run().await);
    assert_eq!((again.questions()[0].text(), log.take().len()), (Some("Buy it for 900?"), 0));
}

#[tokio::test]
async fn a7_a_resumed_run_keeps_its_id() {
    let log = Log::default();
    let payer = payer(&log).await;
    let first = paused(payer.run("go").await);
    log.take();
    let key = first.questions()[0].key();
    let other = payer.resume(&first).run_id("another").answer(key, Answer::allow()).run().await.unwrap_err();
    let RunError::Answer { source, .. } = &other else { panic!("{other}") };
    assert!(source.to_string().contains("another"), "{source}");
    assert!(log.take().is_empty());
    let same = payer.resume(&first).run_id(first.run_id()).answer(key, Answer::allow()).run().await;
    assert_eq!(same.unwrap().text, "paid 5");
}

#[tokio::test]
async fn a7_a_paused_run_whose_questions_were_edited_is_refused() {
    let log = Log::default();
    let first = paused(payer(&log).await.run("go").await);
    let stored = serde_json::to_value(&first).unwrap();
    let edited = |change: fn(&mut Value)| {
        let mut stored = stored.clone();
        change(&mut stored);
        serde_json::from_value::<Paused>(stored).unwrap_err().to_string()
    };
    let problem = edited(|stored| stored["questions"][0]["key"] = json!("x: turn 1/ask pay"));
    assert!(problem.contains("x: turn 1/ask pay"), "{problem}");
    let problem = edited(|stored| stored["run_id"] = json!("other"));
    assert!(problem.contains("other"), "{problem}");
    let problem = edited(|stored| stored["questions"] = json!([]));
    assert!(problem.contains("no question"), "{problem}");
    let problem = edited(|stored| {
        let twice = stored["questions"][0].clone();
        stored["questions"].as_array_mut().unwrap().push(twice);
    });
    assert!(problem.contains("twice"), "{problem}");
    let problem = edited(|stored| stored["note"] = json!(1));
    assert!(problem.contains("does not know the field `.note`"), "{problem}");
    let problem = edited(|stored| stored["questions"][0]["note"] = json!(1));
    assert!(problem.contains("expected one of `key`"), "{problem}");
    let problem = edited(|stored| drop(stored.as_object_mut().unwrap().remove("agent")));
    assert!(problem.contains("missing field `agent`"), "{problem}");
    // A later version may have fields that this one does not know.
    let problem = edited(|stored| (stored["version"], stored["mood"]) = (json!(9), json!(1)));
    assert!(problem.contains("version 9"), "{problem}");
    // What is stored can be long, and secret.
    let problem = edited(|stored| stored["questions"] = json!("sk-secret-123".repeat(10_000)));
    assert!(!problem.contains("sk-secret") && problem.len() < 300, "{problem}");
}

#[tokio::test]
async fn a7_a_stored_trace_that_cannot_be_read_is_none() {
    let log = Log::default();
    let payer = payer(&log).await;
    let first = paused(payer.run("go").await);
    let stored = serde_json::to_value(&first).unwrap();
    assert!(stored.get("traceparent").is_none() && first.traceparent().is_none());
    let with = |traceparent: Value| {
        let mut stored = stored.clone();
        stored["traceparent"] = traceparent;
        serde_json::from_value::<Paused>(stored).unwrap()
    };
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let good = format!("00-{trace}-{span}-01");
    assert_eq!(with(json!(good)).traceparent().unwrap().as_str(), good);
    let zeros = ["0".repeat(32), "0".repeat(16)];
    let bad = [
        String::new(),
        good.to_uppercase(),
        format!("{good}-more"),
        format!("{good}\r\nx: y"),
        format!("01-{trace}-{span}-01"),
        format!("00-{}-{span}-01", zeros[0]),
        format!("00-{trace}-{}-01", zeros[1]),
        format!("00-{trace}-{span}-1"),
        format!("00-{trace}{span}-01"),
        good.replace('4', "é"),
        "0-".repeat(100_000),
    ];
    for traceparent in bad.map(Value::from).into_iter().chain([json!(1), json!(null), json!({ "a": 1 })]) {
        assert_eq!(with(traceparent), first);
    }
    // It is kept where no span has ids.
    let key = first.questions()[0].key();
    let kept = with(json!(good));
    let again = paused(payer.resume(&kept).run().await);
    assert_eq!(again.traceparent(), kept.traceparent());
    assert_eq!(payer.resume(&again).answer(key, Answer::allow()).run().await.unwrap().text, "paid 5");
}

#[tokio::test]
async fn a7_a_once_call_whose_record_was_removed_is_in_doubt() {
    let log = Log::default();
    let two = || {
        let pay = |cents: i64| ScriptedTurn::call("pay", json!({ "cents": cents }));
        ScriptedModel::turns([pay(1), pay(2), ScriptedTurn::say("{last}")])
    };
    let payer = async || Payer::builder().model(two()).provide(log.clone()).build().await.unwrap();
    let first = paused(payer().await.run("go").await);
    let second =
        paused(payer().await.resume(&first).answer(first.questions()[0].key(), Answer::allow()).run().await);
    assert_eq!(log.take(), ["paid 1"]);
    let mut stored = serde_json::to_value(&second).unwrap();
    stored["records"]
        .as_array_mut()
        .unwrap()
        .retain(|record| record[0] != "turn 1/call 1/tool pay#1" && record[0] != "turn 1/call 1/tool pay");
    let edited: Paused = serde_json::from_value(stored).unwrap();
    assert_ne!(edited, second);
    let end = payer().await.resume(&edited).answer(second.questions()[0].key(), Answer::allow()).run().await;
    assert!(!log.take().contains(&"paid 1".to_owned()), "{end:?}");
}

#[tokio::test]
async fn a7_an_agent_whose_tools_changed_ends_the_replay_and_loses_nothing() {
    /// Pays.
    #[tool(name = "pay", approval, effect = once)]
    fn pay_in(cents: i64, currency: &str, log: Provided<Log>) -> String {
        log.push(format!("paid {cents} {currency}"));
        String::new()
    }

    agent! {
        Removed { name: "Payer", instruction: "Pay.", function_tools: [look] }
        Changed { name: "Payer", instruction: "Pay.", function_tools: [pay_in, look] }
        Reworded { name: "Payer", instruction: "Pay less.", function_tools: [pay, look] }
    }

    let log = Log::default();
    let first = paused(payer(&log).await.run("go").await);
    log.take();
    let key = first.questions()[0].key();
    for changed in [
        Removed::builder().model(pays()).provide(log.clone()).build().await.unwrap(),
        Changed::builder().model(pays()).provide(log.clone()).build().await.unwrap(),
        Reworded::builder().model(pays()).provide(log.clone()).build().await.unwrap(),
    ] {
        let error = changed.resume(&first).answer(key, Answer::allow()).run().await.unwrap_err();
        let RunError::Journal { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), JournalErrorKind::Diverged, "{error}");
    }
    assert!(log.take().is_empty());
    let output = payer(&log).await.resume(&first).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("paid 5", vec!["paid 5".to_owned()]));
}

/// What the input becomes.
struct Suffix(&'static str);

#[run_hook(pre)]
fn rewrites(input: &mut onionskin::run_hooks::RunInput, suffix: Provided<Suffix>) {
    let text = format!("{}{}", input.text(), suffix.0);
    input.set_text(text);
}

#[tokio::test]
async fn a7_a_run_hook_that_changes_the_input_otherwise_ends_the_replay() {
    agent! { Hooked { instruction: "Pay.", function_tools: [pay], run_hooks: [rewrites] } }

    let log = Log::default();
    let hooked = async |suffix| {
        let model = ScriptedModel::turns([
            ScriptedTurn::call("pay", json!({ "cents": 5 })),
            ScriptedTurn::say("{input}: {last}"),
        ]);
        Hooked::builder().model(model).provide(log.clone()).provide(Suffix(suffix)).build().await.unwrap()
    };
    let first = paused(hooked(" now").await.run("go").await);
    assert_eq!(first.input(), "go");
    let key = first.questions()[0].key();
    let error = hooked(" later").await.resume(&first).answer(key, Answer::allow()).run().await.unwrap_err();
    assert!(
        matches!(&error, RunError::Journal { source, .. } if source.kind() == JournalErrorKind::Diverged),
        "{error}"
    );
    assert!(log.take().is_empty());
    let output = hooked(" now").await.resume(&first).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take().len()), ("go now: paid 5", 1));
}

#[tokio::test]
async fn a7_a_session_that_is_saved_while_its_run_is_paused_is_the_one_before_the_run() {
    agent! { Chatty { instruction: "Pay.", function_tools: [pay] } }

    let log = Log::default();
    let chatty = async || {
        let turns = [
            ScriptedTurn::say("hello"),
            ScriptedTurn::call("pay", json!({ "cents": 5 })),
            ScriptedTurn::say("done: {last}"),
            ScriptedTurn::say("bye"),
        ];
        Chatty::builder().model(ScriptedModel::turns(turns)).provide(log.clone()).build().await.unwrap()
    };
    let agent = chatty().await;
    let session = agent.session();
    agent.request("hi").session(&session).run().await.unwrap();
    session.state().set("user.name", "Ada");
    let first = paused(agent.request("pay").session(&session).run().await);
    let saved = serde_json::to_string(&session.save()).unwrap();

    // Another process.
    let agent = chatty().await;
    let session = agent.session();
    session.restore(SavedSession::from_json(&saved).unwrap()).unwrap();
    let key = first.questions()[0].key();
    // In another session the model was asked something else.
    let other = agent.session();
    let lost = agent.resume(&first).session(&other).answer(key, Answer::allow()).run().await.unwrap_err();
    assert!(matches!(&lost, RunError::Journal { .. }), "{lost}");
    assert!(log.take().is_empty());
    let output = agent.resume(&first).session(&session).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take().len()), ("done: paid 5", 1));
    assert_eq!(session.history().len(), 6);
    // The conversation went on, so the same pause does not fit any more.
    let first = stored_again(&first);
    let late = agent.resume(&first).session(&session).answer(key, Answer::allow()).run().await.unwrap_err();
    assert!(matches!(&late, RunError::Journal { .. }), "{late}");
    assert_eq!((session.history().len(), log.take().len()), (6, 0));
}

#[tokio::test]
async fn a7_a_resumed_run_streams_and_its_output_is_the_same() {
    let log = Log::default();
    let payer = payer(&log).await;
    let first = paused(payer.run("go").await);
    let key = first.questions()[0].key();
    let plain = payer.resume(&first).answer(key, Answer::allow()).run().await.unwrap();
    let mut stream = payer.resume(&stored_again(&first)).answer(key, Answer::allow()).stream();
    let mut kinds = Vec::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::RunStarted { .. } => kinds.push("started".to_owned()),
            EventKind::QuestionAsked { .. } => kinds.push("asked".to_owned()),
            EventKind::ToolStarted { tool, .. } => kinds.push(format!("calls {tool}")),
            EventKind::ToolFinished { outcome, .. } => kinds.push(format!("{outcome:?}")),
            EventKind::RunFinished { .. } => kinds.push("finished".to_owned()),
            _ => {}
        }
    }
    assert_eq!(kinds, ["started", "calls look", "Ok", "calls pay", "Ok", "finished"]);
    let streamed = stream.output().await.unwrap();
    assert_eq!((streamed.text, streamed.usage, streamed.turns), (plain.text, plain.usage, plain.turns));
}

agent! {
    Leaf { description: "Works.", instruction: "Work.", function_tools: [pay, size] }
    Mid { description: "Leads.", instruction: "Lead.", agents: [Leaf], function_tools: [size] }
    Top { instruction: "Lead all.", agents: [Mid], function_tools: [pay] }
}

/// Asks for a size.
#[tool(asks, effect = once)]
async fn size(cx: &ToolContext, of: &str, log: Provided<Log>) -> Result<String, AskError> {
    let size: u8 = cx.ask(format!("Which size of {of}?")).await?;
    log.push(format!("{of} in {size}"));
    Ok(format!("{of} {size}"))
}

fn deep() -> ScriptedModel {
    let input = |text: &str| json!({ "input": text });
    let top = ScriptedTurn::call("agent__Mid", input("a"))
        .and_call("pay", json!({ "cents": 1 }))
        .and_call("agent__Mid", input("b"));
    let mid = ScriptedTurn::call("agent__Leaf", input("{input}1"))
        .and_call("size", json!({ "of": "{input}" }))
        .and_call("agent__Leaf", input("{input}2"));
    let leaf = ScriptedTurn::call("size", json!({ "of": "{input}" })).and_call("pay", json!({ "cents": 7 }));
    ScriptedModel::new()
        .agent("Top", [top, ScriptedTurn::say("top")])
        .agent("Mid", [mid, ScriptedTurn::say("mid")])
        .agent("Leaf", [leaf, ScriptedTurn::say("leaf")])
}

#[tokio::test]
async fn a7_children_two_deep_ask_in_parallel_and_each_answer_counts_once() {
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..12_usize {
        let log = Log::default();
        let top = async || Top::builder().model(deep()).provide(log.clone()).build().await.unwrap();
        let mut now = paused(top().await.run("go").await);
        // 1 of Top, 1 of each Mid, 2 of each Leaf.
        assert_eq!(now.questions().len(), 1 + 2 + 4 * 2);
        let keys: std::collections::BTreeSet<_> =
            now.questions().iter().map(|each| each.key().to_owned()).collect();
        assert_eq!(keys.len(), 11);
        let mut done = Vec::new();
        let output = loop {
            let at = (seed * 7 + done.len() * 5) % now.questions().len();
            let question = &now.questions()[at];
            assert!(keys.contains(question.key()), "a question has its key in each process");
            let answer = if question.text().is_some() { Answer::value(at).unwrap() } else { Answer::allow() };
            let end = top().await.resume(&now).answer(question.key(), answer).run().await;
            let new = log.take();
            assert_eq!(new.len(), 1, "{new:?}");
            done.extend(new);
            match end {
                Ok(output) => break output,
                end => now = paused(end),
            }
        };
        assert_eq!((output.text.as_str(), done.len()), ("top", 11));
        orders.insert(done);
    }
    assert!(orders.len() > 3, "{orders:?}");
}

#[tokio::test]
async fn u2_always_of_a_call_holds_for_these_arguments_and_no_others() {
    let log = Log::default();
    let model = |cents: [i64; 3]| {
        let pay = |cents: i64| ScriptedTurn::call("pay", json!({ "cents": cents }));
        ScriptedModel::turns(cents.map(pay).into_iter().chain([ScriptedTurn::say("{last}")]))
    };
    let payer = Payer::builder().model(model([5, 5, 6])).provide(log.clone()).build().await.unwrap();
    let session = payer.session();
    let first = paused(payer.request("go").session(&session).run().await);
    let always = Approval::AllowAlways(Always::Arguments);
    let next = payer.resume(&first).session(&session).answer(first.questions()[0].key(), always).run().await;
    assert_eq!((open(&paused(next)), log.take().len()), (vec![r#"pay {"cents":6}"#.to_owned()], 2));
}

#[tokio::test]
async fn a7_two_resumptions_of_one_run_at_the_same_time_are_refused() {
    /// Takes a while.
    #[tool(approval, effect = once)]
    async fn slow(log: Provided<Log>) -> &'static str {
        tokio::time::sleep(Duration::from_millis(20)).await;
        log.push("slow");
        "done"
    }

    agent! { Slow { instruction: "Go.", function_tools: [slow] } }

    let log = Log::default();
    let model = ScriptedModel::turns([ScriptedTurn::call("slow", json!({})), ScriptedTurn::say("{last}")]);
    let agent = Slow::builder().model(model).provide(log.clone()).build().await.unwrap();
    let first = paused(agent.run("go").await);
    let resume = || agent.resume(&first).answer(first.questions()[0].key(), Answer::allow()).run();
    let (one, other) = tokio::join!(resume(), resume());
    assert!(matches!((one, other), (Ok(_), Err(RunError::RunIdInUse { .. }))));
    assert_eq!(log.take().len(), 1);
}

#[tokio::test]
async fn a7_a_paused_run_has_no_secret_of_its_session() {
    /// Logs in.
    #[tool]
    fn log_in(password: &str) -> String {
        format!("logged in with {password}")
    }

    /// Asks with what it got.
    #[tool(asks)]
    async fn confirm(cx: &ToolContext, password: String) -> Result<String, AskError> {
        cx.ask(format!("Is {password} right?")).await
    }

    agent! { Guard { instruction: "Guard.", function_tools: [log_in, confirm, pay] } }

    let log = Log::default();
    let secret = onionskin::Secret::new("hunter-22-rabbit".to_owned());
    let guard = async || {
        let password = json!({ "password": "hunter-22-rabbit" });
        let turns = [
            ScriptedTurn::call("log_in", password.clone()),
            ScriptedTurn::call("confirm", password).and_call("pay", json!({ "cents": 5 })),
            ScriptedTurn::say("{last}"),
        ];
        let guard = Guard::builder().model(ScriptedModel::turns(turns)).provide(log.clone());
        guard.conceal(&secret).build().await.unwrap()
    };
    let first = paused(guard().await.run("my password is hunter-22-rabbit").await);
    let stored = serde_json::to_string(&first).unwrap();
    assert_eq!(first.questions().len(), 2);
    assert!(!stored.contains("hunter-22-rabbit"), "{stored}");
    assert!(!format!("{first:?} {first}").contains("hunter"));
    let answers = first.questions().iter().fold(guard().await.resume(&first), |resumed, question| {
        let answer = if question.text().is_some() { json!("yes").into() } else { Answer::allow() };
        resumed.answer(question.key(), answer)
    });
    assert_eq!(answers.run().await.unwrap().text, "yes\npaid 5");
    assert_eq!(log.take(), ["paid 5"]);
}

#[tokio::test]
async fn a7_a_typed_answer_is_asked_for_again_on_resume() {
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    struct Receipt {
        paid: i64,
    }

    let log = Log::default();
    let model = ScriptedModel::turns([
        ScriptedTurn::call("pay", json!({ "cents": 5 })),
        ScriptedTurn::say(r#"{"paid": 5}"#),
    ]);
    let payer = Payer::builder().model(model).provide(log.clone()).build().await.unwrap();
    let Err(RunError::Paused(first)) = payer.run_as::<Receipt>("go").await else { panic!("it pauses") };
    let key = first.questions()[0].key();
    // The model was asked for an answer of the type.
    let text = payer.resume(&first).answer(key, Answer::allow()).run().await.unwrap_err();
    assert!(matches!(&text, RunError::Journal { .. }), "{text}");
    assert!(log.take().is_empty());
    let output = payer.resume(&first).answer(key, Answer::allow()).run_as::<Receipt>().await.unwrap();
    assert_eq!((output.answer, log.take().len()), (Receipt { paid: 5 }, 1));
}

#[tokio::test]
async fn a7_an_answerer_whose_answer_does_not_fit_differs_from_none() {
    let log = Log::default();
    let agent = async || buyer(&log, 5).await;
    let wrong = |_: Question| async { Answer::value("perhaps").ok() };
    let text = agent().await.request("go").answerer(wrong).run().await.unwrap().text;
    assert_eq!(
        text,
        "the question of `buy` has no answer: the answer does not fit the question: expected true or false, found the string \"perhaps\""
    );
    // For an approval it is a refusal.
    let payer = payer(&log).await;
    let output = payer.request("go").answerer(wrong).run().await.unwrap();
    assert_eq!(output.text, "Tool execution was not approved: the question needs an approval, not a value");
    assert_eq!(log.take(), ["looked"]);
}

#[tokio::test]
async fn a7_a_run_that_learned_a_secret_of_its_own_records_ends_with_an_error_that_says_what_to_do() {
    /// Keeps the password.
    #[tool]
    fn learn(cx: &ToolContext) -> &'static str {
        cx.run().conceal(&onionskin::Secret::new("hunter-22-rabbit".to_owned()));
        "kept"
    }

    /// Reads a note.
    #[tool]
    fn read_note() -> &'static str {
        "the password is hunter-22-rabbit"
    }

    agent! { Learner { instruction: "Learn.", function_tools: [learn, pay, read_note] } }

    let log = Log::default();
    let learner = async |first: &'static str| {
        let turns = [
            ScriptedTurn::call(first, json!({})),
            ScriptedTurn::call("learn", json!({})),
            ScriptedTurn::call("pay", json!({ "cents": 5 })),
            ScriptedTurn::say("{last}"),
        ];
        Learner::builder().model(ScriptedModel::turns(turns)).provide(log.clone()).build().await.unwrap()
    };
    for (first, input, part) in
        [("learn", "keep hunter-22-rabbit", "the input"), ("read_note", "go", "read_note")]
    {
        let mut stream = learner(first).await.stream(input);
        let mut ends = Vec::new();
        while let Some(event) = stream.next().await {
            if let EventKind::RunFailed { error, .. } = event.kind {
                ends.push(error);
            }
        }
        let error = stream.output().await.unwrap_err();
        assert_eq!(ends, [error.to_string()]);
        let RunError::Journal { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), JournalErrorKind::Unrecordable);
        let text = error.to_string();
        assert!(text.contains(part) && text.contains("SessionState::set_secret"), "{text}");
        assert!(!text.contains("hunter"), "{text}");
    }
    // Known before the run, it is masked from the beginning.
    let agent = learner("read_note").await;
    let session = agent.session();
    session.state().set_secret("password", onionskin::Secret::new("hunter-22-rabbit".to_owned()));
    let first = paused(agent.request("keep hunter-22-rabbit").session(&session).run().await);
    assert!(!serde_json::to_string(&first).unwrap().contains("hunter-22"));
    let resumed = agent.resume(&first).session(&session).answer(first.questions()[0].key(), Answer::allow());
    assert_eq!((resumed.run().await.unwrap().text.as_str(), log.take().len()), ("paid 5", 1));
}

/// The value is not written anew, because programs of users have such files.
#[tokio::test]
async fn a7_a_run_that_an_earlier_build_paused_is_resumed() {
    let stored = include_str!("../data/stored/paused-1.json");
    let first: Paused = serde_json::from_str(stored).unwrap();
    let mut again = serde_json::to_value(&first).unwrap();
    // Earlier builds kept no hashes of what people are shown.
    again.as_object_mut().unwrap().remove("shown").unwrap();
    assert_eq!(again, serde_json::from_str::<Value>(stored).unwrap());
    let log = Log::default();
    let answer = Answer::Approval(Approval::Allow);
    let output =
        payer(&log).await.resume(&first).answer(first.questions()[0].key(), answer).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("paid 5", vec!["paid 5".to_owned()]));
}

/// What people are shown is what runs, also for somebody who knows the stored form and makes its hashes anew.
#[tokio::test]
async fn a7_a_question_that_was_changed_in_storage_is_not_answered() {
    let log = Log::default();
    let first = paused(payer(&log).await.run("go").await);
    log.take();
    let mut stored = serde_json::to_value(&first).unwrap();
    stored["questions"][0]["arguments"]["cents"] = json!(1);
    let problem = serde_json::from_value::<Paused>(stored.clone()).unwrap_err().to_string();
    assert!(problem.contains("was changed after it was stored"), "{problem}");
    stored.as_object_mut().unwrap().remove("shown");
    let forged: Paused = serde_json::from_value(stored).unwrap();
    let key = forged.questions()[0].key();
    let again = paused(payer(&log).await.resume(&forged).answer(key, Answer::allow()).run().await);
    assert_eq!((open(&again), log.take().len()), (vec![r#"pay {"cents":5}"#.to_owned()], 0));
}

#[tokio::test]
async fn a7_a_paused_run_goes_on_once_in_a_process() {
    let log = Log::default();
    let payer = payer(&log).await;
    let first = paused(payer.run("go").await);
    let (copy, key) = (first.clone(), first.questions()[0].key());
    // Nothing ran: the value can be resumed again.
    let wrong = payer.resume(&first).answer(key, Answer::value(1).unwrap()).run().await.unwrap_err();
    assert!(matches!(wrong, RunError::Answer { .. }), "{wrong}");
    paused(payer.resume(&first).run().await);
    log.take();
    payer.resume(&first).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!(log.take(), ["paid 5"]);
    for used in [&first, &copy] {
        let again = payer.resume(used).answer(key, Answer::allow()).run().await.unwrap_err();
        let RunError::Answer { source: AnswerError::Used { .. }, .. } = &again else { panic!("{again}") };
    }
    assert_eq!(log.len(), 0);
}

#[tokio::test]
async fn a7_a_run_of_a_session_is_resumed_in_a_session() {
    let log = Log::default();
    let payer = payer(&log).await;
    let session = payer.session();
    let first = paused(payer.request("go").session(&session).run().await);
    assert!(first.has_session());
    let key = first.questions()[0].key();
    let without = payer.resume(&first).answer(key, Answer::allow()).run().await.unwrap_err();
    let RunError::Answer { source: AnswerError::NoSession { .. }, .. } = &without else {
        panic!("{without}")
    };
    log.take();
    let output = payer.resume(&first).session(&session).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("paid 5", vec!["paid 5".to_owned()]));
}

/// A state without serde.
#[derive(Clone, Default)]
struct Opaque(u32);

/// Books, which cannot be recorded.
#[tool]
async fn book(cx: &ToolContext, st: State<Opaque>, log: Provided<Log>) {
    cx.sleep(Duration::from_millis(5)).await;
    st.update(|st| st.0 += 1);
    log.push("booked");
}

/// Logs in.
#[tool(effect = once)]
async fn login(cx: &ToolContext, session: &SessionState, log: Provided<Log>) {
    cx.sleep(Duration::from_millis(5)).await;
    session.set_secret("token", Secret::new("token-of-this-login".to_owned()));
    log.push("logged in");
}

agent! { Clerk { name: "clerk", instruction: "Book.", state: Opaque, function_tools: [book, pay, login] } }

/// The question opens before the other call changes what no record can hold: nobody is asked in vain, and nothing runs twice.
#[tokio::test(start_paused = true)]
async fn a7_a_run_that_could_not_go_on_does_not_pause() {
    for (other, said) in [("book", "cannot be recorded"), ("login", "registered a secret")] {
        let log = Log::default();
        let model = ScriptedModel::turns([
            ScriptedTurn::call("pay", json!({ "cents": 5 })).and_call(other, json!({})),
            ScriptedTurn::say("{last}"),
        ]);
        let clerk = Clerk::builder()
            .model(model)
            .state(Opaque::default())
            .provide(log.clone())
            .build()
            .await
            .unwrap();
        let end = clerk.run("go").await.unwrap_err();
        let RunError::Journal { source, .. } = &end else { panic!("{end}") };
        assert_eq!(source.kind(), JournalErrorKind::Unrecordable);
        assert!(source.to_string().contains(said), "{source}");
        assert_eq!(log.take().len(), 1);
    }
}

#[tokio::test]
async fn a7_a_sealed_run_is_used_as_it_was_sealed_and_in_time() {
    let log = Log::default();
    let payer = payer(&log).await;
    let first = paused(payer.run("go").await);
    let key = SealKey::new(*b"32 random bytes of this program!").unwrap();
    let soon = SystemTime::now() + Duration::from_mins(10);
    let sealed = first.seal(&key, soon).unwrap();
    let read = Paused::unseal(&sealed, &key).unwrap();
    assert_eq!(read, first);
    // Each byte counts: what still has the form of a sealed run has another seal.
    for at in 0..sealed.len() {
        let mut changed = sealed.clone().into_bytes();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        let end = Paused::unseal(&String::from_utf8(changed).unwrap(), &key).unwrap_err();
        assert!(matches!(end, SealError::Forged | SealError::Unreadable { .. }), "{at}: {end}");
    }
    let other = SealKey::new([1; 32]).unwrap();
    assert_eq!(Paused::unseal(&sealed, &other), Err(SealError::Forged));
    assert!(matches!(SealKey::new([1; 31]), Err(SealError::WeakKey { bytes: 31, .. })));
    let late = first.seal(&key, SystemTime::now() - Duration::from_secs(9)).unwrap();
    assert!(matches!(Paused::unseal(&late, &key), Err(SealError::Expired(ago)) if ago.as_secs() >= 9));
    let output = payer.resume(&read).answer(read.questions()[0].key(), Answer::allow()).run().await.unwrap();
    assert_eq!(output.text, "paid 5");
}

/// Keeps a value.
#[tool(approval, effect = once)]
fn keep(value: Value) -> String {
    value.to_string()
}

agent! { Keeper { instruction: "Keep.", function_tools: [keep] } }

/// What a model can write can be stored: the stored form has some levels more.
#[tokio::test]
async fn a7_a_paused_run_with_the_deepest_arguments_is_read_again() {
    for (levels, is_asked) in [(99, true), (100, false), (126, false)] {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let calls = ["1", "2"].map(|id| ToolCall::new(id, "keep", format!(r#"{{"value":{deep}}}"#)));
        let keeper = Keeper::builder().model(calling(calls.to_vec())).build().await.unwrap();
        match keeper.run("go").await {
            Err(RunError::Paused(first)) if is_asked => {
                let stored = serde_json::to_string(&first).unwrap();
                let read: Paused = serde_json::from_str(&stored).unwrap();
                let resumed = keeper.resume(&read);
                let answers = read.questions().iter().map(|question| (question.key(), Answer::allow()));
                let resumed = answers.fold(resumed, |resumed, (key, answer)| resumed.answer(key, answer));
                assert!(resumed.run().await.unwrap().text.contains(&deep));
            }
            Ok(refused) if !is_asked => assert!(refused.text.contains("deep"), "{}", refused.text),
            other => panic!("{levels}: {other:?}"),
        }
    }
}

/// Makes these calls, and says their results.
fn calling(calls: Vec<ToolCall>) -> impl Model {
    answers(move |request, _| match request.messages.last().map(|message| message.to_text().into_owned()) {
        Some(text) if request.messages.len() > 1 => Ok(ModelResponse::text(text)),
        _ => Ok(ModelResponse::tool_calls(calls.clone())),
    })
}
