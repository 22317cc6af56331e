//! Questions of tools that a hook runs again.

use std::time::Duration;

use onionskin::hooks;
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, Question};
use onionskin::{
    Args, Next, Provided, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

use crate::support::{Log, paused};

/// Asks, and fails at first.
#[tool(asks, effect = idempotent, timeout = "40ms", hooks = [hooks::retry(3)])]
async fn flaky(cx: &ToolContext, log: Provided<Log>) -> Result<String, String> {
    flake(cx, &log).await
}

/// Asks, and fails at first.
#[tool(asks, effect = idempotent)]
async fn bare(cx: &ToolContext, log: Provided<Log>) -> Result<String, String> {
    flake(cx, &log).await
}

async fn flake(cx: &ToolContext, log: &Log) -> Result<String, String> {
    let size: u8 = cx.ask("Which size?").await.map_err(|error| error.to_string())?;
    let colour: String = cx.ask("Which colour?").await.map_err(|error| error.to_string())?;
    log.push(format!("{colour} {size}"));
    if log.len() < 2 { Err("not yet".to_owned()) } else { Ok(format!("{colour} {size}")) }
}

agent! {
    Flaky { instruction: "Go.", function_tools: [flaky] }
    Retried { instruction: "Go.", function_tools: [bare], tool_hooks: [hooks::retry(3)] }
}

#[tokio::test]
async fn a7_a_retry_does_not_ask_again() {
    let model =
        |tool: &str| ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
    for tool in ["flaky", "bare"] {
        let log = Log::default();
        let agent = async || match tool {
            "flaky" => Flaky::builder().model(model(tool)).provide(log.clone()).build().await.unwrap(),
            _ => Retried::builder().model(model(tool)).provide(log.clone()).build().await.unwrap(),
        };
        let first = paused(agent().await.run("go").await);
        tokio::time::sleep(Duration::from_millis(60)).await;
        let size = agent().await.resume(&first).answer(first.questions()[0].key(), json!(41)).run().await;
        let second = paused(size);
        assert_eq!(second.questions()[0].text(), Some("Which colour?"));
        let end = agent().await.resume(&second).answer(second.questions()[0].key(), json!("red")).run().await;
        assert_eq!(end.unwrap().text, "red 41", "{tool}");
        assert_eq!(log.take(), ["red 41", "red 41"], "{tool}");
    }
}

#[tokio::test]
async fn a7_a_retry_after_a_replayed_attempt_does_not_ask_again() {
    /// Asks, and then asks something else if it failed before.
    #[tool(asks, effect = idempotent)]
    async fn sold_out(cx: &ToolContext, log: Provided<Log>) -> Result<String, String> {
        let size: u8 = cx.ask("Which size?").await.map_err(|error| error.to_string())?;
        log.push(format!("tried {size}"));
        if cx.attempt() < 2 {
            return Err("sold out".to_owned());
        }
        let other: u8 = cx.ask("Which other size?").await.map_err(|error| error.to_string())?;
        Ok(format!("{size} or {other}"))
    }

    agent! { Shop { instruction: "Go.", function_tools: [sold_out], tool_hooks: [hooks::retry(3)] } }

    let log = Log::default();
    let shop = async || {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("sold_out", json!({})), ScriptedTurn::say("{last}")]);
        Shop::builder().model(model).provide(log.clone()).build().await.unwrap()
    };
    let first = paused(shop().await.run("go").await);
    let end = shop().await.resume(&first).answer(first.questions()[0].key(), json!(41)).run().await;
    // The first attempt is recorded now, and the second one waits.
    let second = paused(end);
    assert_eq!((second.questions()[0].text(), log.take().len()), (Some("Which other size?"), 2));
    let end = shop().await.resume(&second).answer(second.questions()[0].key(), json!(42)).run().await;
    assert_eq!(end.unwrap().text, "41 or 42");
    assert_eq!(log.take(), ["tried 41"]);
}

#[tokio::test]
async fn a7_a_hook_that_asks_about_a_repetition_asks_each_time() {
    /// Fails twice.
    #[tool]
    fn stubborn(cx: &ToolContext) -> Result<String, String> {
        if cx.attempt() < 3 { Err("no".to_owned()) } else { Ok("yes".to_owned()) }
    }

    #[tool_hook]
    async fn again(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
        loop {
            let result = next.run(&mut args.clone()).await;
            if result.is_ok() || !ctx.ask::<bool>("It failed. Again?").await? {
                return result;
            }
        }
    }

    agent! { Patient { instruction: "Go.", function_tools: [stubborn], tool_hooks: [again] } }

    let log = Log::default();
    let seen = log.clone();
    let answerer = move |question: Question| {
        seen.push(question.text().unwrap());
        async { Answer::value(true).ok() }
    };
    let model =
        ScriptedModel::turns([ScriptedTurn::call("stubborn", json!({})), ScriptedTurn::say("{last}")]);
    let patient = Patient::builder().model(model).answerer(answerer).journal(MemoryJournal::default());
    assert_eq!(patient.run("go").await.unwrap().text, "yes");
    assert_eq!(log.take().len(), 2);
}
