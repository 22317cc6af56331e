//! Requests to models spend tokens, money and time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::budget::{Budget, BudgetError, BudgetScope, Resource};
use onionskin::declaration::Limits;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Price, Prices, Usage,
};
use onionskin::turn_hooks::TurnRequest;
use onionskin::{RunError, agent, turn_hook};
use serde::{Deserialize, Serialize};

use crate::answers::answers;
use crate::support::{Clerk, calls, exceeded, looks, says, spent, store, tokens};

#[tokio::test]
async fn a13_a_request_that_does_not_fit_is_not_sent() {
    let (asked, store) = (Arc::new(AtomicU32::new(0)), store());
    let counted = Arc::clone(&asked);
    let model = answers(move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(says("Yes.", 100, 10))
    });
    let clerk = Clerk::builder().model(model).budget(tokens(300)).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    clerk.run("Hello?").await.unwrap();
    clerk.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &tokens(300)).await.tokens, 220);
    let end = clerk.run("Hello?").await;
    let text = end.as_ref().unwrap_err().to_string();
    let exceeded = exceeded(end);
    assert_eq!((exceeded.budget(), exceeded.resource()), ("tokens", Resource::Tokens));
    assert_eq!((exceeded.max(), exceeded.spent(), exceeded.retry_after()), (300, 220, None));
    let needed = exceeded.needed();
    assert!(needed > 80, "{needed}");
    assert_eq!(
        text,
        format!(
            "the agent `clerk` reached its limit of 300 tokens of the budget `tokens` (220 spent, {needed} needed)"
        )
    );
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    assert_eq!(spent(&store, &tokens(300)).await.tokens, 220, "nothing was reserved");
}

#[tokio::test]
async fn a13_the_estimate_is_the_size_of_the_request_and_the_most_that_it_may_answer() {
    let clerk = |budget| Clerk::builder().model(looks(0)).budget(budget);
    let long = "word ".repeat(4_000);
    let needed = exceeded(clerk(tokens(1_000)).run(long.as_str()).await).needed();
    assert!((5_000..5_200).contains(&needed), "{needed}");

    agent! { Brief { name: "clerk", instruction: "Answer.", request_params: { max_tokens: 700 } } }
    let brief = Brief::builder().model(looks(0)).budget(tokens(100));
    let needed = exceeded(brief.run("Hello?").await).needed();
    assert!((700..800).contains(&needed), "{needed}");
    clerk(tokens(120)).run("Hello?").await.unwrap();
}

#[tokio::test]
async fn a13_the_estimate_learns_from_the_last_answer() {
    // A token for each byte, as for texts in some languages.
    let model = answers(|request, _| {
        let bytes = u64::try_from(serde_json::to_string(request).unwrap().len()).unwrap();
        let is_first = request.messages.len() == 1;
        Ok(if is_first { calls(&[("look", r#"{"x": 1}"#)], bytes, 0) } else { says("Done.", bytes, 0) })
    });
    let sizes = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&sizes);
    let measured = answers(move |request, _| {
        noted.lock().unwrap().push(u64::try_from(serde_json::to_string(request).unwrap().len()).unwrap());
        Ok(if request.messages.len() == 1 {
            calls(&[("look", r#"{"x": 1}"#)], 0, 0)
        } else {
            says("Done.", 0, 0)
        })
    });
    let _ = Clerk::builder().model(measured).run("Hello?").await;
    let [first, second] = sizes.lock().unwrap()[..] else { panic!("two requests") };
    let end = Clerk::builder().model(model).budget(tokens(first + second - 1)).run("Hello?").await;
    let exceeded = exceeded(end);
    assert_eq!((exceeded.spent(), exceeded.needed()), (first, second));
}

#[tokio::test]
async fn a13_money_is_the_cost_by_the_prices_rounded_up() {
    // 100 tokens at 1.50 and 10 at 2 for a million are 170 micro-units; cached ones are cheaper.
    let prices = Prices::new().with("onionskin", Price::new(1_500_000, 2_000_000).cached_input(15_000));
    let budget = Budget::new("money", BudgetScope::All).money(400, prices);
    let model = answers(|request, _| {
        let mut answer = says("Done.", 100, 10);
        if request.messages[0].to_text() == "cached" {
            answer.usage.cached_input_tokens = 100;
        }
        Ok(answer)
    });
    let store = store();
    let clerk = Clerk::builder().model(model).budget(budget.clone()).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    clerk.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &budget).await.money, 170);
    clerk.run("cached").await.unwrap();
    assert_eq!(spent(&store, &budget).await.money, 170 + 22, "1.5 and 20");
    clerk.run("Hello?").await.unwrap();
    let exceeded = exceeded(clerk.run("Hello?").await);
    assert_eq!((exceeded.resource(), exceeded.max(), exceeded.spent()), (Resource::Money, 400, 362));
    let text = exceeded.to_string();
    assert!(text.starts_with("0.0004 in money of the budget `money` (0.000362 spent, 0.0"), "{text}");
}

#[tokio::test]
async fn a13_a_model_without_a_price_is_not_asked_under_a_money_budget() {
    let model = answers(|_, _| panic!("it is asked"));
    let prices = Prices::new().with("other", Price::new(1, 1));
    let budget = Budget::new("money", BudgetScope::All).money(400, prices);
    let error = Clerk::builder().model(model).budget(budget).run("Hello?").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the run of `clerk` was ended: the budget `money` limits money, and the model `onionskin` has no price: add it with \
         `Prices::with`, under this name"
    );
    assert!(matches!(error, RunError::Budget { source: BudgetError::Unpriced { .. }, .. }));
}

#[tokio::test]
async fn a13_an_answer_of_a_model_without_a_price_ends_the_run_and_leaves_the_estimate_spent() {
    let model = answers(|_, _| {
        let mut answer = says("Done.", 1, 1);
        answer.billed_as = Some("other".to_owned());
        Ok(answer)
    });
    let prices = Prices::new().with("onionskin", Price::new(1_000_000, 1_000_000));
    let (budget, store) = (Budget::new("money", BudgetScope::All).money(4_000, prices), store());
    let clerk = Clerk::builder().model(model).budget(budget.clone()).budget(tokens(4_000));
    let error = clerk.budget_store(Arc::clone(&store)).run("Hello?").await.unwrap_err();
    assert!(matches!(error, RunError::Budget { source: BudgetError::Unpriced { .. }, .. }), "{error}");
    assert!(spent(&store, &budget).await.money > 10);
    assert_eq!(spent(&store, &tokens(4_000)).await.tokens, 2, "the other budget has what was spent");
}

/// Takes a second for each answer.
struct Slow;

impl Model for Slow {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Ok(says("Done.", 1, 1))
    }
}

#[tokio::test(start_paused = true)]
async fn a13_time_is_that_of_the_requests_also_of_dropped_ones() {
    let (budget, store) = (Budget::new("time", BudgetScope::All).time(Duration::from_millis(3_500)), store());
    let clerk = Clerk::builder().model(Slow).budget(budget.clone()).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    for seconds in 1..=2 {
        clerk.run("Hello?").await.unwrap();
        assert_eq!(spent(&store, &budget).await.time, seconds * 1_000_000);
    }
    // The run ends itself and writes the time of its dropped request.
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_millis(500));
    clerk.request("Hello?").limits(limits).run().await.unwrap_err();
    assert_eq!(spent(&store, &budget).await.time, 2_500_000);
    clerk.run("Hello?").await.unwrap();
    let exceeded = exceeded(clerk.run("Hello?").await);
    assert_eq!((exceeded.resource(), exceeded.spent()), (Resource::Time, 3_500_000));
    let text = exceeded.to_string();
    assert!(text.starts_with("3.5s of the budget `time` (3.5s spent, 1µs needed)"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a13_each_attempt_is_reserved_and_a_failed_one_has_spent_what_it_reported() {
    let asked = AtomicU32::new(0);
    let model = answers(move |_, deltas| {
        if asked.fetch_add(1, Ordering::Relaxed) < 2 {
            deltas(ModelDelta::Usage(Usage::new(1_000, 0)));
            return Err(ModelError::status(503, "overloaded", None));
        }
        Ok(says("Done.", 100, 10))
    });
    let store = store();
    let clerk = Clerk::builder().model(model).budget(tokens(3_000)).budget_store(Arc::clone(&store));
    clerk.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &tokens(3_000)).await.tokens, 2_110);

    let model = answers(|_, deltas| {
        deltas(ModelDelta::Usage(Usage::new(1_000, 0)));
        Err(ModelError::status(503, "overloaded", None))
    });
    let exceeded = exceeded(Clerk::builder().model(model).budget(tokens(1_000)).run("Hello?").await);
    assert_eq!(exceeded.spent(), 1_000, "the second attempt was not sent");

    let model = answers(|_, _| Err(ModelError::setup("no key")));
    let store2 = store_of_failed(model).await;
    assert_eq!(store2, 0, "nothing is known of it");
}

async fn store_of_failed(model: impl Model) -> u64 {
    let store = store();
    let clerk = Clerk::builder().model(model).budget(tokens(1_000)).budget_store(Arc::clone(&store));
    clerk.run("Hello?").await.unwrap_err();
    spent(&store, &tokens(1_000)).await.tokens
}

#[tokio::test]
async fn a13_a_model_that_reports_no_tokens_has_spent_the_estimate() {
    let store = store();
    let clerk = Clerk::builder().model(answers(|_, _| Ok(ModelResponse::text("Done."))));
    clerk.budget(tokens(1_000)).budget_store(Arc::clone(&store)).run("Hello?").await.unwrap();
    assert!(spent(&store, &tokens(1_000)).await.tokens > 20);
}

/// Asks the model before each turn.
#[turn_hook(before_llm_call)]
async fn asks_first(request: &mut TurnRequest) -> Result<(), ModelError> {
    request.ask_model(ModelRequest::new([Message::user("What do you think?")])).await.map(drop)
}

agent! { Thinker { name: "thinker", instruction: "Answer.", turn_hooks: [asks_first] } }

#[tokio::test]
async fn a13_questions_of_turn_hooks_are_spent_and_end_the_run() {
    let store = store();
    let thinker = Thinker::builder().model(looks(0)).budget(tokens(1_000)).budget_store(Arc::clone(&store));
    thinker.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &tokens(1_000)).await.tokens, 220);
    // The question does not fit. The hook cannot go on without it.
    let exceeded = exceeded(Thinker::builder().model(looks(0)).budget(tokens(10)).run("Hello?").await);
    assert_eq!(exceeded.spent(), 0);
    // A model of a question has its own price.
    let prices = Prices::new().with("other", Price::new(1, 1));
    let budget = Budget::new("money", BudgetScope::All).money(400, prices);
    let error = Thinker::builder().model(looks(0)).budget(budget).run("Hello?").await.unwrap_err();
    assert!(matches!(error, RunError::Budget { .. }), "{error}");
}

#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
struct Sum {
    sum: u32,
}

#[tokio::test]
async fn a13_answers_that_do_not_fit_their_type_are_spent_too() {
    let asked = AtomicU32::new(0);
    let model = answers(move |request, _| {
        let answer = request.tools.iter().find(|tool| &*tool.name != "look").unwrap();
        let text =
            if asked.fetch_add(1, Ordering::Relaxed) == 0 { r#"{"sum": "x"}"# } else { r#"{"sum": 3}"# };
        Ok(calls(&[(&answer.name, text)], 100, 10))
    });
    let store = store();
    let clerk = Clerk::builder().model(model).budget(tokens(1_000)).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    assert_eq!(clerk.run_as::<Sum>("1 + 2?").await.unwrap().answer.sum, 3);
    assert_eq!(spent(&store, &tokens(1_000)).await.tokens, 220);
}
