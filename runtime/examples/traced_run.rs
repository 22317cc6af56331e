//! Runs a desk with a child, hooks, approvals and failures, and exports its spans and metrics: what the judge of
//! `judges/otel` reads. The collector is that of OpenTelemetry's environment variables.
//!
//! usage: `traced_run [--content]`
//!        `traced_run --paused FILE`      without an approver: pauses into the file, or continues from it with one answer

use std::error::Error;
use std::fs;
use std::path::Path;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::declaration::AppBuilder;
use onionskin::otel::Otel;
use onionskin::question::{Answer, Paused};
use onionskin::{App, RunError, ScriptedModel, ScriptedTurn, Secret, agent, hooks, tool};
use serde_json::json;

/// What must be in no span. The desk's customers write it.
const SECRET: &str = "s3cr3t-token-of-the-desk";

/// Looks an order up.
#[tool]
fn look_up(order: &str) -> Result<String, String> {
    match order {
        "lamp" => Ok(format!("the lamp costs 20, and the token is {SECRET}")),
        other => Err(format!("there is no order of {other}")),
    }
}

/// Pays an amount back.
#[tool(approval)]
fn refund(amount: u32) -> String {
    format!("{amount} paid back")
}

agent! {
    Clerk {
        description: "Knows the orders.", instruction: "Look orders up.", model: "clerk-1",
        function_tools: [look_up],
    }
    Desk {
        default: true, description: "Talks with customers.", instruction: "Serve customers.", model: "desk-1",
        function_tools: [refund], agents: [Clerk], tool_hooks: [hooks::log, hooks::timing],
        request_params: { temperature: 0.5, max_tokens: 200, stop_sequences: ["END"] },
    }
}

fn script() -> ScriptedModel {
    let ask = |order: &str| ScriptedTurn::call("agent__Clerk", json!({ "input": order }));
    let both = ask("the lamp").and_call("agent__Clerk", json!({ "input": "the chair" }));
    let refunds =
        ScriptedTurn::call("refund", json!({ "amount": 20 })).and_call("refund", json!({ "amount": 999 }));
    let look_up = ScriptedTurn::call("look_up", json!({ "order": "lamp" }));
    let fail = ScriptedTurn::call("look_up", json!({ "order": SECRET }));
    ScriptedModel::new()
        .agent("Desk", [both, refunds, ScriptedTurn::say(format!("Done, says {SECRET}."))])
        .agent("Clerk", [look_up, fail, ScriptedTurn::say("{last}")])
}

/// Begins a run that pauses, or continues it with an answer to its first question. The file is there while the run waits.
async fn paused(app: AppBuilder, file: &Path) -> Result<(), Box<dyn Error>> {
    let desk = app.build().await?;
    let request = if file.exists() {
        let paused: Paused = serde_json::from_slice(&fs::read(file)?)?;
        let question = &paused.questions()[0];
        let answer = match question.arguments()["amount"].as_u64() {
            Some(0..=100) => Answer::allow(),
            _ => Answer::deny("that is too much"),
        };
        desk.entry().resume(&paused).answer(question.key(), answer)
    } else {
        desk.entry().request("Refund the lamp.").correlation_id("order-8")
    };
    match request.run().await {
        Err(RunError::Paused(paused)) => fs::write(file, serde_json::to_vec(&paused)?)?,
        end => {
            end?;
            fs::remove_file(file)?;
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let otel = Otel::from_env().filter("info,onionskin::hook=trace").install()?;
    let app = App::builder().agent::<Desk>().model(script()).conceal(&Secret::new(SECRET.to_owned()));
    if let [option, file] = &args[..]
        && option == "--paused"
    {
        paused(app, Path::new(file)).await?;
        otel.shutdown()?;
        return Ok(());
    }
    let approver = async |request: ApprovalRequest| match request.args()["amount"].as_u64() {
        Some(0..=100) => Approval::Allow,
        _ => Approval::deny("that is too much"),
    };
    let app = app.approver(approver);
    let app = if args == ["--content"] { app.trace_content() } else { app };
    let app = app.build().await?;
    let request =
        app.entry().request(format!("Refund the lamp. My token is {SECRET}.")).correlation_id("order-7");
    println!("{}", request.run().await?.text.replace(SECRET, "?"));
    otel.shutdown()?;
    Ok(())
}
