//! Pauses between other parts of a run: sources of tools, turn hooks, caches, limits, cancellation, and calls of other agents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use onionskin::approval::{Always, Approval};
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, AskError, Question, QuestionKind};
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::ui::ui_tool;
use onionskin::{
    AgentHandle, CancellationToken, DynTool, Provided, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolSpec, agent, tool, turn_hook,
};
use serde_json::json;

use crate::support::{Log, key, open, paused};

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, log: Provided<Log>) -> String {
    log.push(format!("paid {cents}"));
    format!("paid {cents}")
}

fn pays(cents: &[i64]) -> ScriptedModel {
    let turn = cents
        .iter()
        .fold(ScriptedTurn::default(), |turn, cents| turn.and_call("pay", json!({ "cents": cents })));
    ScriptedModel::turns([turn, ScriptedTurn::say("{last}")])
}

/// A source whose tools change.
struct Shelf {
    generation: Arc<AtomicU64>,
    prefix: String,
}

struct Shelves(Arc<AtomicU64>);

impl ToolServer for Shelves {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Shelf { generation: Arc::clone(&self.0), prefix: request.tool_name("") }))
    }
}

impl ToolProvider for Shelf {
    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let mut open =
            ToolSpec::from_fn(&format!("{}open", self.prefix), "Opens.", |(): (), _| async { Ok("opened") });
        open.approval();
        let close = ToolSpec::from_fn(&format!("{}close", self.prefix), "Closes.", |(): (), _| async {
            Ok("closed")
        });
        let mut tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(close)];
        if self.generation.load(Ordering::Relaxed) > 0 {
            tools.push(Arc::new(open));
        }
        tools
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }
}

agent! {
    Keeper { instruction: "Keep.", servers: [shelf] }
    Payer { description: "Pays.", instruction: "Pay.", function_tools: [pay] }
    Boss { instruction: "Have it paid.", agents: [Payer], max_parallel: 1, child_timeout_sec: 5 }
}

async fn keeper(generation: u64) -> (AgentHandle, Arc<AtomicU64>) {
    let shelf = Arc::new(AtomicU64::new(generation));
    let model =
        ScriptedModel::turns([ScriptedTurn::call("shelf__open", json!({})), ScriptedTurn::say("{last}")]);
    let keeper =
        Keeper::builder().model(model).server("shelf", Shelves(Arc::clone(&shelf))).build().await.unwrap();
    (keeper, shelf)
}

#[tokio::test]
async fn a7_a_tool_of_a_source_pauses_its_run() {
    let (keeper, _) = keeper(1).await;
    let first = paused(keeper.run("go").await);
    assert_eq!(open(&first), ["shelf__open {}"]);
    let output = crate::support::allowed(&keeper, &first).await;
    assert_eq!(output.text, "opened");
}

#[tokio::test]
async fn a7_a_tool_that_a_source_lists_later_pauses_its_run_too() {
    let (keeper, shelf) = keeper(0).await;
    shelf.store(1, Ordering::Relaxed);
    let first = paused(keeper.run("go").await);
    let output = crate::support::allowed(&keeper, &first).await;
    assert_eq!(output.text, "opened");
}

#[tokio::test]
async fn u2_always_holds_for_the_later_calls_of_the_same_turn() {
    let log = Log::default();
    let payer = Payer::builder().model(pays(&[5, 5, 5, 6])).provide(log.clone()).build().await.unwrap();
    let first = paused(payer.run("go").await);
    assert_eq!(first.questions().len(), 4);
    let always = Approval::AllowAlways(Always::Arguments);
    let next = paused(payer.resume(&first).answer(first.questions()[1].key(), always).run().await);
    // The first call was asked about before, and what has no answer stays open.
    assert_eq!(open(&next), [r#"pay {"cents":5}"#, r#"pay {"cents":6}"#]);
    assert_eq!(log.take(), ["paid 5", "paid 5"]);
}

#[tokio::test]
async fn a7_a_cancelled_run_does_not_pause_and_can_be_begun_again() {
    let log = Log::default();
    let token = CancellationToken::new();
    let cancels = token.clone();
    let answerer = move |_: Question| {
        cancels.cancel();
        std::future::pending::<Option<Answer>>()
    };
    let payer = Payer::builder().model(pays(&[5])).provide(log.clone()).build().await.unwrap();
    let end = payer.request("go").answerer(answerer).cancellation(token).run().await;
    assert!(matches!(&end, Err(RunError::Cancelled { .. })), "{end:?}");
    assert!(log.take().is_empty());
    // Cancelled before it is resumed.
    let first = paused(payer.run("go").await);
    let token = CancellationToken::new();
    token.cancel();
    let key = first.questions()[0].key();
    let end = payer.resume(&first).cancellation(token).answer(key, Answer::allow()).run().await;
    assert!(matches!(&end, Err(RunError::Cancelled { .. })), "{end:?}");
    assert!(log.take().is_empty());
    assert_eq!(payer.resume(&first).answer(key, Answer::allow()).run().await.unwrap().text, "paid 5");
}

#[tokio::test]
async fn a7_children_one_at_a_time_pause_with_all_their_questions() {
    let log = Log::default();
    let ask = |cents: i64| ("agent__Payer", json!({ "input": cents.to_string() }));
    let boss = [ask(1), ask(2), ask(3)]
        .into_iter()
        .fold(ScriptedTurn::default(), |turn, (tool, args)| turn.and_call(tool, args));
    let model = ScriptedModel::new().agent("Boss", [boss, ScriptedTurn::say("{last}")]).agent(
        "Payer",
        [ScriptedTurn::call("pay", json!({ "cents": "{input}" })), ScriptedTurn::say("child: {last}")],
    );
    let boss = Boss::builder().model(model).provide(log.clone()).build().await.unwrap();
    let first = paused(boss.run("go").await);
    assert_eq!(first.questions().len(), 3);
    let two = key(&first, &json!({ "cents": 2 }));
    let next = paused(boss.resume(&first).answer(two, Answer::deny("no")).run().await);
    assert_eq!((next.questions().len(), log.take().len()), (2, 0));
    let all = next
        .questions()
        .iter()
        .fold(boss.resume(&next), |resumed, each| resumed.answer(each.key(), Answer::allow()));
    let output = all.run().await.unwrap();
    let mut paid = log.take();
    paid.sort();
    assert_eq!(paid, ["paid 1", "paid 3"]);
    assert!(output.tool_calls.iter().any(|call| call.to_text().contains("not approved: no")), "{output:?}");
}

#[tokio::test]
async fn a7_a_child_with_an_external_tool_pauses_its_parent() {
    /// Takes a photo.
    #[tool(external)]
    fn photo(of: &str) -> String;

    agent! {
        Camera { description: "Takes photos.", instruction: "Go.", function_tools: [photo] }
        Studio { instruction: "Go.", agents: [Camera] }
    }

    let studio = async || {
        let model = ScriptedModel::new()
            .agent(
                "Studio",
                [ScriptedTurn::call("agent__Camera", json!({ "input": "Ada" })), ScriptedTurn::say("{last}")],
            )
            .agent(
                "Camera",
                [ScriptedTurn::call("photo", json!({ "of": "{input}" })), ScriptedTurn::say("got {last}")],
            );
        Studio::builder().model(model).build().await.unwrap()
    };
    let first = paused(studio().await.run("go").await);
    assert_eq!(
        (first.questions()[0].kind(), first.questions()[0].arguments()),
        (&QuestionKind::External, &json!({ "of": "Ada" }))
    );
    let output = studio()
        .await
        .resume(&first)
        .answer(first.questions()[0].key(), json!("ada.png"))
        .run()
        .await
        .unwrap();
    assert_eq!(output.text, "got ada.png");
}

/// Asks, in a loop of its own with a time limit.
async fn hasty(run: &AgentRun, input: String) -> Result<String, RunError> {
    match tokio::time::timeout(Duration::from_millis(20), run.converse(input)).await {
        Ok(end) => end,
        Err(_) => Ok("too late".to_owned()),
    }
}

agent! { Hasty { instruction: "Go.", run: hasty } }

#[tokio::test]
async fn a7_a_loop_by_hand_cannot_take_a_pause_for_an_answer() {
    let log = Log::default();
    let hasty = Hasty::builder()
        .model(pays(&[5]))
        .tool(ToolSpec::from(pay::default()))
        .provide(log.clone())
        .build()
        .await
        .unwrap();
    let first = paused(hasty.run("go").await);
    let output = crate::support::allowed(&hasty, &first).await;
    assert_eq!(output.text, "paid 5");
}

#[tokio::test]
async fn a7_a_cached_call_that_asks_is_asked_about_once_and_kept() {
    static STARTS: AtomicUsize = AtomicUsize::new(0);

    /// Looks up.
    #[tool(asks, cache)]
    async fn look_up(cx: &ToolContext, word: String) -> Result<String, AskError> {
        STARTS.fetch_add(1, Ordering::Relaxed);
        let meaning: String = cx.ask(format!("What is {word}?")).await?;
        Ok(format!("{word}: {meaning}"))
    }

    agent! { Reader { instruction: "Read.", function_tools: [look_up] } }

    let call = || ScriptedTurn::call("look_up", json!({ "word": "tide" }));
    let model = ScriptedModel::turns([call(), call(), ScriptedTurn::say("{last}")]);
    let reader = Reader::builder().model(model).build().await.unwrap();
    let first = paused(reader.run("go").await);
    let output =
        reader.resume(&first).answer(first.questions()[0].key(), json!("water")).run().await.unwrap();
    assert_eq!((output.text.as_str(), output.turns), ("tide: water", 3));
    assert_eq!(STARTS.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a7_a_once_call_is_approved_then_asks_twice_over_four_processes() {
    /// Orders.
    #[tool(approval, asks, effect = once)]
    async fn order(cx: &ToolContext, what: String, log: Provided<Log>) -> Result<String, AskError> {
        let size: u8 = cx.ask("Which size?").await?;
        let gift: bool = cx.ask("Is it a gift?").await?;
        log.push(format!("{what} {size} {gift}"));
        Ok("ordered".to_owned())
    }

    agent! { Shop { instruction: "Sell.", function_tools: [order] } }

    for journal in [None, Some(Arc::new(MemoryJournal::default()))] {
        let log = Log::default();
        let shop = async || {
            let call = ScriptedTurn::call("order", json!({ "what": "shoes" }));
            let model = ScriptedModel::turns([
                call.and_call("order", json!({ "what": "hats" })),
                ScriptedTurn::say("{last}"),
            ]);
            let shop = Shop::builder().model(model).provide(log.clone());
            match &journal {
                Some(journal) => shop.journal(Arc::clone(journal)).build().await.unwrap(),
                None => shop.build().await.unwrap(),
            }
        };
        let mut now = paused(shop().await.run("go").await);
        let mut rounds = Vec::new();
        let output = loop {
            rounds.push(now.questions().iter().filter_map(Question::text).collect::<Vec<_>>().join(" "));
            let resumed = now.questions().iter().fold(shop().await.resume(&now), |resumed, question| {
                let answer = match (question.kind(), question.text()) {
                    (QuestionKind::Approval, _) => Answer::allow(),
                    (_, Some("Which size?")) => json!(41).into(),
                    _ => json!(true).into(),
                };
                resumed.answer(question.key(), answer)
            });
            match resumed.run().await {
                Ok(output) => break output,
                end => now = paused(end),
            }
        };
        assert_eq!(rounds, ["", "Which size? Which size?", "Is it a gift? Is it a gift?"]);
        assert_eq!(
            (output.text.as_str(), log.take()),
            ("ordered\nordered", vec!["shoes 41 true".to_owned(), "hats 41 true".to_owned()])
        );
    }
}

#[tokio::test]
async fn a7_a_question_shows_no_secret_in_any_of_its_parts() {
    /// Asks.
    #[ui_tool(component = "Form")]
    async fn form(cx: &ToolContext, choice: String) -> Result<String, AskError> {
        let shown: String = cx.ui().use_ui_tool(&choice, &choice, json!({ "choice": choice })).await?;
        let schema = json!({ "type": "string", "enum": [choice, "none"] });
        Ok(format!("{shown} {}", cx.ask_json(format!("Is it {choice}?"), schema).await?))
    }

    agent! { Front { instruction: "Go.", function_tools: [form] } }

    let secret = onionskin::Secret::new("hunter-22-rabbit".to_owned());
    let model = ScriptedModel::turns([
        ScriptedTurn::call("form", json!({ "choice": "hunter-22-rabbit" })),
        ScriptedTurn::say("{last}"),
    ]);
    let front = Front::builder().model(model).conceal(&secret).build().await.unwrap();
    let first = paused(front.run("go").await);
    let next = paused(front.resume(&first).answer(first.questions()[0].key(), json!("a")).run().await);
    for paused in [&first, &next] {
        let text = serde_json::to_string(paused).unwrap();
        assert!(!text.contains("hunter-22"), "{text}");
    }
    let end = front.resume(&next).answer(next.questions()[0].key(), json!("none")).run().await;
    assert_eq!(end.unwrap().text, "a \"none\"");
}

#[tokio::test]
async fn a7_a_turn_hook_that_changes_the_arguments_on_resume_asks_again() {
    /// By how much the hook raises.
    struct Raise(i64);

    #[turn_hook(before_tool_call)]
    fn raises(call: &mut onionskin::turn_hooks::TurnToolCall, raise: Provided<Raise>) {
        call.set_arguments(&json!({ "cents": 5 + raise.0 }));
    }

    agent! { Raised { instruction: "Pay.", function_tools: [pay], turn_hooks: [raises] } }

    let log = Log::default();
    let raised = async |by| {
        Raised::builder().model(pays(&[5])).provide(log.clone()).provide(Raise(by)).build().await.unwrap()
    };
    let first = paused(raised(0).await.run("go").await);
    assert_eq!(open(&first), [r#"pay {"cents":5}"#]);
    let allowed =
        raised(900).await.resume(&first).answer(first.questions()[0].key(), Answer::allow()).run().await;
    assert_eq!((open(&paused(allowed)), log.take().len()), (vec![r#"pay {"cents":905}"#.to_owned()], 0));
}
