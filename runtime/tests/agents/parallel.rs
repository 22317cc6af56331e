//! A7: bounds hold for agents that are written by hand too.

use std::time::Duration;

use futures_util::future::join_all;
use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::run::{AgentRun, Limit};
use onionskin::{Agent, RunError, ScriptedModel, ScriptedTurn, State, agent, tool};
use serde_json::json;

/// How many calls go on at once, and how many did at most.
#[derive(Clone, Default)]
struct Gauge(std::sync::Arc<std::sync::Mutex<(u32, u32)>>);

impl Gauge {
    fn change(&self, by: i32) {
        let mut at = self.0.lock().unwrap();
        at.0 = at.0.checked_add_signed(by).unwrap();
        at.1 = at.1.max(at.0);
    }

    fn most(&self) -> u32 {
        self.0.lock().unwrap().1
    }
}

/// Waits.
#[tool]
async fn wait(ms: u64, gauge: State<Gauge>) -> u64 {
    gauge.change(1);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    gauge.change(-1);
    ms
}

/// Makes four calls at once, as many as it may.
struct Hasty<const MOST: usize>;

impl<const MOST: usize> Agent for Hasty<MOST> {
    const NAME: &'static str = "hasty";
    type State = Gauge;

    fn declare() -> AgentDeclaration {
        let agent = AgentDeclaration::new().tool(wait::default());
        if MOST == usize::MAX { agent } else { agent.max_parallel(MOST) }
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        if input == "and the loop" {
            let call = run.call_tool("wait", json!({ "ms": 30 }).to_string());
            let (_, answer) = tokio::join!(call, run.converse("go".to_owned()));
            return answer;
        }
        let calls = [40, 30, 20, 10].map(|ms| run.call_tool("wait", json!({ "ms": ms }).to_string()));
        let results = join_all(calls).await;
        let texts: Vec<_> =
            results.into_iter().map(|result| result.unwrap().to_text().into_owned()).collect();
        Ok(texts.join(" "))
    }
}

async fn most_at_once<const MOST: usize>(input: &str) -> u32 {
    let gauge = Gauge::default();
    let calls = ScriptedTurn::call("wait", json!({ "ms": 10 })).and_call("wait", json!({ "ms": 10 }));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("40 30 20 10")]);
    let builder = Hasty::<MOST>::builder().state(gauge.clone()).model(model);
    let output = tokio::time::timeout(Duration::from_secs(10), builder.run(input)).await.unwrap().unwrap();
    assert_eq!(output.text, "40 30 20 10");
    gauge.most()
}

#[tokio::test(start_paused = true)]
async fn a7_max_parallel_bounds_the_calls_of_an_agent_by_hand() {
    assert_eq!(most_at_once::<1>("go").await, 1);
    assert_eq!(most_at_once::<2>("go").await, 2);
    assert_eq!(most_at_once::<{ usize::MAX }>("go").await, 4);
    assert_eq!(most_at_once::<1>("and the loop").await, 1, "with the calls of the loop beside it");
    assert_eq!(most_at_once::<2>("and the loop").await, 2);
}

#[tokio::test(start_paused = true)]
async fn a7_a_call_that_is_given_up_gives_its_place_up() {
    struct GivesUp;
    impl Agent for GivesUp {
        const NAME: &'static str = "gives_up";
        type State = Gauge;
        fn declare() -> AgentDeclaration {
            AgentDeclaration::new().tool(wait::default()).max_parallel(1)
        }
        async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
            let long = run.call_tool("wait", json!({ "ms": 1_000_000 }).to_string());
            assert!(tokio::time::timeout(Duration::from_millis(5), long).await.is_err());
            Ok(run.call_tool("wait", r#"{"ms":1}"#).await.unwrap().to_text().into_owned())
        }
    }
    let builder = GivesUp::builder().state(Gauge::default()).model(ScriptedModel::new());
    let output = tokio::time::timeout(Duration::from_secs(10), builder.run("go")).await.unwrap();
    assert_eq!(output.unwrap().text, "1");
}

agent! {
    Waiter { name: "waiter", instruction: "Wait.", state: Gauge, function_tools: [wait], limits: { tokens: 30 } }
}

#[tokio::test(start_paused = true)]
async fn a7_the_token_limit_ends_a_run_before_the_turn_that_would_pass_it() {
    let turns = |count: usize| {
        let call = || ScriptedTurn::say("let me see").and_call("wait", json!({ "ms": 1 }));
        ScriptedModel::turns((0..count).map(|_| call()).chain([ScriptedTurn::say("done")]))
    };
    // A script counts words: three and the ones that it read.
    let few = Waiter::builder().state(Gauge::default()).model(turns(1)).run("go").await.unwrap();
    assert!(few.usage.total() < 30, "{:?}", few.usage);

    let handle = Waiter::builder().state(Gauge::default()).model(turns(20)).build().await.unwrap();
    let mut stream = handle.stream("go");
    let mut spent = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::TurnFinished { usage, .. } = event.kind {
            spent.push(usage.total());
        }
    }
    let error = stream.output().await.unwrap_err();
    assert!(
        matches!(&error, RunError::Limit { agent, limit: Limit::Tokens(30) , .. } if &**agent == "waiter"),
        "{error}"
    );
    assert!(spent.iter().sum::<u64>() >= 30, "{spent:?}");
    assert!(
        spent[..spent.len() - 1].iter().sum::<u64>() < 30,
        "no turn begins once they are spent: {spent:?}"
    );
}
