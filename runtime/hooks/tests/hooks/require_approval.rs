//! The hook `require_approval`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use onionskin::approval::{Always, Approval, ApprovalRequest, RequireApproval};
use onionskin::hooks::{require_approval, timeout};
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, Paused};
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::spec::Transform;
use onionskin::{
    AgentHandle, Args, DynTool, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, Secret, ToolContext,
    ToolOutput, ToolResult, ToolSpec, agent, call, tool, tool_hook,
};
use serde_json::{Value, json};

/// Pays.
#[tool(effect = once)]
fn pay(cents: u64, ctx: &ToolContext) -> String {
    PAID.fetch_add(u32::from(ctx.run().user() == Some("counted")), Ordering::Relaxed);
    format!("paid {cents}")
}

static PAID: AtomicU32 = AtomicU32::new(0);

fn is_large(_: &ToolContext, args: &Args) -> bool {
    args["cents"].as_u64().is_none_or(|cents| cents > 1_000)
}

#[tool_hook]
async fn ten_times(args: &mut Args, next: impl Next) -> ToolResult {
    args["cents"] = (args["cents"].as_u64().unwrap_or(0) * 10).into();
    next.run(args).await
}

/// Answers, whatever came of the call.
#[tool_hook]
async fn swallowed(args: &mut Args, next: impl Next) -> ToolResult {
    let inner = next.run(args).await;
    Ok(ToolOutput::text(format!("all is well: {}", inner.is_ok())))
}

agent! {
    Payer { instruction: "Pay.", function_tools: [pay], tool_hooks: [require_approval(is_large) for [pay]] }
    Raised { instruction: "Pay.", function_tools: [pay], tool_hooks: [swallowed, require_approval(is_large), ten_times] }
    Panics {
        instruction: "Pay.",
        function_tools: [pay],
        tool_hooks: [require_approval(|_, args| args["euros"].as_u64().is_some())],
    }
    Free { instruction: "Pay.", description: "Pays.", function_tools: [pay] }
    Boss {
        instruction: "Ask.",
        agents: [Free],
        servers: [files],
        tool_hooks: [require_approval(|call, args| call.server_name() == Some("files") || call.tool_name() == "pay" && is_large(call, args)) for [everywhere]],
    }
}

fn pays(cents: &[u64]) -> ScriptedModel {
    let calls = cents.iter().map(|cents| ("pay", json!({ "cents": cents })));
    script(calls)
}

fn script(calls: impl Iterator<Item = (&'static str, Value)>) -> ScriptedModel {
    let turn = calls.fold(None, |turn: Option<ScriptedTurn>, (tool, args)| {
        Some(match turn {
            None => ScriptedTurn::call(tool, args),
            Some(turn) => turn.and_call(tool, args),
        })
    });
    ScriptedModel::turns([turn.unwrap(), ScriptedTurn::say("{last}")])
}

fn results(output: &RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

fn paused(result: Result<RunOutput, RunError>) -> Paused {
    match result {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("it pauses: {other:?}"),
    }
}

/// The tool and the arguments of each open question, with its reason.
fn open(paused: &Paused) -> Vec<String> {
    let shown = |question: &onionskin::question::Question| {
        let reason = question.text().map(|text| format!(" ({text})")).unwrap_or_default();
        format!("{} {}{reason}", question.tool_name(), question.arguments())
    };
    paused.questions().iter().map(shown).collect()
}

async fn answered(agent: &AgentHandle, paused: &Paused, answer: Answer) -> RunOutput {
    let answers = paused.questions().iter().map(|question| question.key().to_owned());
    let request = answers.fold(agent.resume(paused), |request, key| request.answer(&key, answer.clone()));
    request.run().await.unwrap()
}

#[derive(Debug, Clone, Default)]
struct Requests(Arc<Mutex<Vec<String>>>);

impl Requests {
    fn into_all(self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn approver(
        &self,
        answer: Approval,
    ) -> impl Fn(ApprovalRequest) -> std::future::Ready<Approval> + Send + Sync + 'static {
        let asked = Arc::clone(&self.0);
        move |request| {
            asked.lock().unwrap().push(format!("{} {}", request.tool_name(), request.args().text()));
            std::future::ready(answer.clone())
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[tokio::test]
async fn h9_a_person_decides_about_the_calls_for_which_the_condition_holds() {
    let asked = Requests::default();
    for (answer, results_are) in [
        (Approval::Allow, ["paid 5", "paid 5000"]),
        (Approval::deny("no"), ["paid 5", "Tool execution was not approved: no"]),
    ] {
        let payer = Payer::builder().model(pays(&[5, 5_000])).approver(asked.approver(answer));
        assert_eq!(results(&payer.run("Go.").await.unwrap()), results_are);
        assert_eq!(asked.take(), [r#"pay {"cents":5000}"#]);
    }
    let with = json!({ "cents": 7 }).as_object().unwrap().clone();
    let payer = Payer::builder().model(pays(&[5_000])).approver(asked.approver(Approval::AllowWith(with)));
    assert_eq!(results(&payer.run("Go.").await.unwrap()), ["paid 7"]);
}

#[tokio::test]
async fn u2_without_an_approver_a_call_of_the_hook_pauses_the_run_and_the_others_go_on() {
    for journal in [false, true] {
        let builder = Payer::builder().model(pays(&[5, 5_000, 6_000]));
        let builder = if journal { builder.journal(MemoryJournal::default()) } else { builder };
        let payer = builder.build().await.unwrap();
        let first = paused(payer.run("Go.").await);
        assert_eq!(open(&first), [r#"pay {"cents":5000}"#, r#"pay {"cents":6000}"#]);
        let output = answered(&payer, &first, Answer::allow()).await;
        assert_eq!(results(&output), ["paid 5", "paid 5000", "paid 6000"]);
        let output = answered(&payer, &paused(payer.run("Go.").await), Answer::deny("no")).await;
        assert_eq!(results(&output)[2], "Tool execution was not approved: no");
    }
}

#[tokio::test]
async fn u2_the_final_arguments_are_approved_and_no_other_hook_lets_the_call_through() {
    // Without approval of the 500 that the model wrote.
    let asked = Requests::default();
    let raised = Raised::builder().model(pays(&[50, 500])).approver(asked.approver(Approval::deny("no")));
    let raised = raised.build().await.unwrap();
    let output = raised.request("Go.").user("counted").run().await.unwrap();
    assert_eq!(asked.take(), [r#"pay {"cents":5000}"#]);
    assert_eq!(results(&output), ["all is well: true", "all is well: false"]);
    assert_eq!(PAID.load(Ordering::Relaxed), 1, "the refused call did not run");
    let first = paused(Raised::builder().model(pays(&[500])).run("Go.").await);
    assert_eq!(open(&first), [r#"pay {"cents":5000}"#]);
}

#[tokio::test]
async fn h9_a_condition_that_panics_refuses_the_call() {
    let panics = Panics::builder().model(pays(&[5])).run("Go.").await.unwrap();
    assert!(panics.text.starts_with("the approval rule of `pay` panicked: "), "{}", panics.text);
}

struct Files;

impl ToolServer for Files {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let read = ToolSpec::from_fn(&request.tool_name("read"), "Reads.", |(): (), _| async { Ok("read") });
        let tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(read)];
        Ok(Arc::new(tools))
    }
}

#[tokio::test]
async fn u2_tools_of_servers_and_the_calls_of_children_are_asked_for() {
    let model = || {
        let calls = [("files__read", json!({})), ("agent__Free", json!({ "input": "5000" }))];
        let [(read, none), (free, input)] = calls;
        ScriptedModel::new()
            .agent(
                "Boss",
                [ScriptedTurn::call(read, none).and_call(free, input), ScriptedTurn::say("{last}")],
            )
            .agent(
                "Free",
                [ScriptedTurn::call("pay", json!({ "cents": 5_000 })), ScriptedTurn::say("{last}")],
            )
    };
    let boss = Boss::builder().model(model()).server("files", Files).build().await.unwrap();
    let first = paused(boss.run("Go.").await);
    assert_eq!(open(&first), ["files__read {}", r#"pay {"cents":5000}"#]);
    let output = answered(&boss, &first, Answer::allow()).await;
    assert_eq!(results(&output), ["read", "paid 5000", "paid 5000"], "the last one is that of the child");
    let refused = answered(&boss, &paused(boss.run("Go.").await), Answer::deny("no")).await;
    assert_eq!(results(&refused)[0], "Tool execution was not approved: no");
    // Alone, the child has no such hook.
    assert_eq!(results(&Free::builder().model(pays(&[5_000])).run("Go.").await.unwrap()), ["paid 5000"]);
}

/// Is done elsewhere.
#[tool(external)]
fn elsewhere(cents: u64) -> String;

agent! {
    Outside { instruction: "Pay.", function_tools: [elsewhere], tool_hooks: [require_approval(is_large)] }
}

#[tokio::test]
async fn u2_a_call_that_another_program_executes_is_approved_first() {
    let model = script([("elsewhere", json!({ "cents": 5_000 }))].into_iter());
    let outside = Outside::builder().model(model).build().await.unwrap();
    let first = paused(outside.run("Go.").await);
    assert!(
        matches!(first.questions(), [question] if matches!(question.kind(), onionskin::question::QuestionKind::Approval))
    );
    let key = first.questions()[0].key();
    let second = paused(outside.resume(&first).answer(key, Answer::allow()).run().await);
    assert!(matches!(second.questions()[0].kind(), onionskin::question::QuestionKind::External));
    let key = second.questions()[0].key();
    let done = outside.resume(&second).answer(key, Answer::value("paid").unwrap()).run().await.unwrap();
    assert_eq!(done.text, "paid");
    let refused =
        outside.resume(&first).answer(first.questions()[0].key(), Answer::deny("no")).run().await.unwrap();
    assert_eq!(refused.text, "Tool execution was not approved: no");
}

#[tokio::test]
async fn u2_what_is_allowed_always_needs_no_other_approval_in_the_session() {
    let asked = Requests::default();
    for (which, count) in [(Always::Tool, 1), (Always::Arguments, 2)] {
        let turns = [5_000, 5_000, 6_000].into_iter().flat_map(|cents| {
            [ScriptedTurn::call("pay", json!({ "cents": cents })), ScriptedTurn::say("{last}")]
        });
        let payer = Payer::builder()
            .model(ScriptedModel::turns(turns))
            .approver(asked.approver(Approval::AllowAlways(which)))
            .build()
            .await
            .unwrap();
        let session = payer.session();
        for text in ["paid 5000", "paid 5000", "paid 6000"] {
            assert_eq!(payer.request("Go.").session(&session).run().await.unwrap().text, text);
        }
        assert_eq!(asked.take().len(), count, "{which:?}");
    }
}

/// Sends a text.
#[tool]
fn send(text: &str) -> String {
    format!("sent {} bytes", text.len())
}

agent! {
    Sender { instruction: "Send.", function_tools: [send], tool_hooks: [require_approval(|_, _| true)] }
}

#[tokio::test]
async fn u2_secrets_of_the_session_are_masked_in_the_question() {
    let secret = Secret::new("the-secret-of-the-session".to_owned());
    let model = script([("send", json!({ "text": "it is the-secret-of-the-session" }))].into_iter());
    let sender = Sender::builder().model(model).conceal(&secret).build().await.unwrap();
    let first = paused(sender.run("Go.").await);
    assert!(
        !open(&first)[0].contains("the-secret") && open(&first)[0].contains("send"),
        "{:?}",
        open(&first)
    );
}

#[tokio::test(start_paused = true)]
async fn h9_a_call_that_ends_while_it_waits_does_not_run() {
    let waits = |_: ApprovalRequest| async {
        std::future::pending::<()>().await;
        Approval::Allow
    };
    let hook = timeout::new(std::time::Duration::from_secs(5));
    let output = Payer::builder().hook(hook).model(pays(&[5_000])).approver(waits).run("Go.").await.unwrap();
    assert!(output.text.contains("5s"), "{}", output.text);
}

#[tokio::test]
async fn u2_a_hook_of_a_tool_value_asks_with_and_without_an_agent() {
    let hooked = || {
        let reason =
            |_: &ToolContext, args: &Args| is_large(&ToolContext::detached("pay"), args).then_some("much");
        pay::spec().hook(require_approval::new(reason)).hook(ten_times::new())
    };
    assert_eq!(call!(hooked(), cents = 5).await.unwrap(), "paid 50");
    let refused = call!(hooked(), cents = 500).await.unwrap_err();
    assert_eq!(refused.to_string(), "Tool execution was not approved.");
    let mut allowed = hooked();
    allowed.approver(|_: ApprovalRequest| async { Approval::Allow });
    assert_eq!(call!(allowed, cents = 500).await.unwrap(), "paid 5000");

    let declared = Hooked::builder().model(pays_by("pay_hooked")).build().await.unwrap();
    let first = paused(declared.run("Go.").await);
    assert_eq!(open(&first), [r#"pay_hooked {"cents":5000}"#]);
    assert_eq!(answered(&declared, &first, Answer::allow()).await.text, "paid 5000");

    let agent = Nothing::builder().tool(hooked()).model(pays(&[500])).build().await.unwrap();
    let first = paused(agent.run("Go.").await);
    assert_eq!(open(&first), [r#"pay {"cents":5000} (much)"#]);
    assert_eq!(answered(&agent, &first, Answer::allow()).await.text, "paid 5000");
}

/// Pays, inside hooks of its own.
#[tool(hooks = [require_approval(is_large), ten_times])]
fn pay_hooked(cents: u64) -> String {
    format!("paid {cents}")
}

agent! {
    Nothing { instruction: "Pay." }
    Hooked { instruction: "Pay.", function_tools: [pay_hooked] }
}

fn pays_by(tool: &'static str) -> ScriptedModel {
    script([(tool, json!({ "cents": 500 }))].into_iter())
}

/// Repeats a call, and asks a person before the second time.
#[tool_hook]
async fn twice(#[inject] approval: RequireApproval<'_>, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    approval.run(args, next, |_, _| true).await
}

agent! { Twice { instruction: "Pay.", function_tools: [pay], tool_hooks: [twice] } }

#[tokio::test]
async fn u2_a_rule_cannot_come_after_the_part_of_the_call_that_it_is_about() {
    let asked = Requests::default();
    let twice = Twice::builder().model(pays(&[5])).approver(asked.approver(Approval::deny("once")));
    let output = twice.run("Go.").await.unwrap();
    assert_eq!(
        (output.text.as_str(), asked.0.lock().unwrap().len()),
        ("`pay` has run; its result is withheld: Tool execution was not approved: once", 1)
    );
}

/// Whether the amount is large, by the name that the model writes.
fn is_large_amount(_: &ToolContext, args: &Args) -> Option<String> {
    args["amount"].as_u64().is_none_or(|amount| amount > 1_000).then(|| "large".to_owned())
}

/// A tool with another name for a parameter.
fn renamed(mut tool: ToolSpec, from: &str, to: &str) -> ToolSpec {
    tool.transform(Transform::new().rename(from, to)).unwrap();
    tool
}

/// What an agent asks about calls with these amounts. All are allowed.
async fn questions_about(tool: ToolSpec, amounts: &[u64]) -> Vec<String> {
    let (name, asked) = (tool.name().to_owned().leak(), Requests::default());
    let agent = Nothing::builder()
        .model(script(amounts.iter().map(|amount| (&*name, json!({ "amount": amount })))))
        .tool(tool)
        .hook(require_approval::new(is_large_amount))
        .approver(asked.approver(Approval::Allow));
    let output = agent.run("Go.").await.unwrap();
    assert!(results(&output).iter().all(|result| result.starts_with("paid ")), "{:?}", results(&output));
    asked.into_all()
}

#[tokio::test]
async fn u2_a_rule_sees_the_names_of_its_hook_whatever_layers_the_tool_has() {
    let plain = questions_about(renamed(pay::spec(), "cents", "amount"), &[5, 500, 5_000]).await;
    assert_eq!(plain, [r#"pay {"amount":5000}"#]);
    // The rule of the tool's own hook sees `cents`, that of the agent's hook `amount`.
    let declared = questions_about(renamed(pay_hooked::spec(), "cents", "amount"), &[5, 500]).await;
    assert_eq!(declared, [r#"pay_hooked {"cents":5000}"#]);
    // A value inside of a value: its hook sees `euros`.
    let euros = |_: &ToolContext, args: &Args| args["euros"].as_u64().is_none_or(|euros| euros > 1_000);
    let inner = renamed(pay::spec(), "cents", "euros");
    let inner = inner.hook(require_approval::new(euros)).hook(ten_euros::new());
    let outer = renamed(ToolSpec::from_dyn(Arc::new(inner)), "euros", "amount");
    assert_eq!(questions_about(outer, &[5, 500]).await, [r#"pay {"euros":5000}"#]);
}

#[tool_hook]
async fn ten_euros(args: &mut Args, next: impl Next) -> ToolResult {
    args["euros"] = (args["euros"].as_u64().unwrap_or(0) * 10).into();
    next.run(args).await
}
