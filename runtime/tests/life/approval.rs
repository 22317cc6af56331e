//! `approval`: who is asked, for which arguments, and that nothing runs without an answer.

use std::sync::{Arc, Mutex};

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::declaration::AgentBuilder;
use onionskin::{
    AgentTool, Args, Effect, ErrorKind, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, State,
    ToolContext, ToolDefinition, ToolResult, ToolSpec, agent, call, guardrail, tool, tool_hook,
};
use serde_json::json;

use crate::support::{Log, text_and_kind};

fn large(args: &Args) -> Option<String> {
    (args["cents"].as_i64() > Some(100)).then(|| "it is a lot".to_owned())
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: i64, log: State<Log>) -> String {
    log.push(format!("paid {cents}"));
    "paid".to_owned()
}

/// Pays, and asks for large sums only.
#[tool(approval = large)]
fn pay_small(cents: i64, log: State<Log>) -> String {
    log.push(format!("paid {cents}"));
    "paid".to_owned()
}

#[guardrail(input)]
fn doubles(args: &mut Args) {
    args["cents"] = (args["cents"].as_i64().unwrap_or(0) * 2).into();
}

/// Pays twice as much.
#[tool(approval, input_guardrails = [doubles])]
fn pay_double(cents: i64, log: State<Log>) -> String {
    log.push(format!("paid {cents}"));
    "paid".to_owned()
}

#[tool_hook]
async fn again(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    next.run(args).await
}

agent! {
    Payer {
        description: "Pays.",
        instruction: "Pay.",
        state: Log,
        function_tools: [pay, pay_small, pay_double],
    }
    Insistent {
        instruction: "Pay.",
        state: Log,
        function_tools: [pay],
        tool_hooks: [again],
    }
    Boss {
        instruction: "Have it paid.",
        state: Log,
        agents: [Payer],
    }
}

/// Remembers what it was asked, and says the same each time.
#[derive(Clone)]
struct Says {
    answer: Approval,
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl Says {
    fn new(answer: Approval) -> Self {
        Self { answer, asked: Arc::default() }
    }

    fn questions(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.iter().map(|request| request.args().text().to_string()).collect()
    }
}

impl Approver for Says {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        tokio::task::yield_now().await;
        self.asked.lock().unwrap().push(request);
        self.answer.clone()
    }
}

fn script(tool: &str, cents: i64) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "cents": cents })), ScriptedTurn::say("{last}")])
}

async fn run(log: &Log, tool: &str, cents: i64, approver: Option<Says>) -> RunOutput {
    let mut payer = Payer::builder().model(script(tool, cents)).state(log.clone());
    if let Some(approver) = approver {
        payer = payer.approver(approver);
    }
    payer.run("go").await.unwrap()
}

#[tokio::test]
async fn t4_approval_without_an_approver_pauses_the_run_and_is_refused_outside_of_one() {
    let log = Log::default();
    let payer = Payer::builder().model(script("pay", 5)).state(log.clone());
    assert!(matches!(payer.run("go").await, Err(RunError::Paused(_))));
    assert!(log.take().is_empty());
    let pay = pay::spec().with_state(log.clone());
    let refused = call!(pay, cents = 5).await.unwrap_err();
    assert_eq!(refused.as_tool_error().map(onionskin::ToolError::kind), Some(ErrorKind::Denied));
    assert!(log.take().is_empty());
}

#[tokio::test]
async fn t4_approval_is_asked_for_with_what_will_run() {
    let (log, yes) = (Log::default(), Says::new(Approval::Allow));
    assert_eq!(run(&log, "pay", 5, Some(yes.clone())).await.text, "paid");
    assert_eq!(log.take(), ["paid 5"]);
    let asked = yes.asked.lock().unwrap();
    let [request] = &**asked else { panic!("{asked:?}") };
    assert_eq!((request.tool_name(), request.agent_name()), ("pay", "Payer"));
    assert_eq!(
        (&request.args()["cents"], request.effect(), request.reason()),
        (&json!(5), Effect::Once, None)
    );
    assert!(!request.call_id().is_empty() && !request.correlation_id().is_empty());
}

#[tokio::test]
async fn t4_approval_denied_says_the_reason() {
    let log = Log::default();
    let output = run(&log, "pay", 5, Some(Says::new(Approval::deny("ask Ada")))).await;
    assert_eq!(output.text, "Tool execution was not approved: ask Ada");
    assert!(log.take().is_empty());
}

#[tokio::test]
async fn t4_approval_of_some_calls_only() {
    let (log, yes) = (Log::default(), Says::new(Approval::Allow));
    run(&log, "pay_small", 5, Some(yes.clone())).await;
    assert!(yes.questions().is_empty());
    run(&log, "pay_small", 500, Some(yes.clone())).await;
    assert_eq!(yes.asked.lock().unwrap()[0].reason(), Some("it is a lot"));
    assert_eq!(log.take(), ["paid 5", "paid 500"]);
}

#[tokio::test]
async fn u2_arguments_that_a_guardrail_changed_are_asked_for_again() {
    let (log, yes) = (Log::default(), Says::new(Approval::Allow));
    run(&log, "pay_double", 5, Some(yes.clone())).await;
    assert_eq!(yes.questions(), [r#"{"cents":5}"#, r#"{"cents":10}"#]);
    assert_eq!(log.take(), ["paid 10"]);
}

#[tokio::test]
async fn t4_approval_covers_another_try_with_the_same_arguments() {
    let (log, yes) = (Log::default(), Says::new(Approval::Allow));
    let payer = Insistent::builder().model(script("pay", 5)).state(log.clone()).approver(yes.clone());
    payer.run("go").await.unwrap();
    assert_eq!((yes.questions().len(), log.take().len()), (1, 2));
}

#[tokio::test]
async fn t4_approval_in_a_child_asks_the_same_and_a_run_may_bring_its_own() {
    let (log, yes, no) = (Log::default(), Says::new(Approval::Allow), Says::new(Approval::deny("no")));
    let model = ScriptedModel::new()
        .agent(
            "Boss",
            [ScriptedTurn::call("agent__Payer", json!({ "input": "5" })), ScriptedTurn::say("{last}")],
        )
        .agent("Payer", [ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
    let boss = Boss::builder().model(model).state(log.clone()).approver(yes.clone()).build().await.unwrap();
    assert_eq!(boss.run("go").await.unwrap().text, "paid");
    assert_eq!(yes.asked.lock().unwrap()[0].agent_name(), "Payer");
    let refused = boss.request("go").approver(no).run().await.unwrap();
    assert_eq!(refused.text, "Tool execution was not approved: no");
    assert_eq!(log.take(), ["paid 5"]);
}

#[tokio::test]
async fn l2_an_agent_as_a_tool_asks_its_own_approver_else_the_callers() {
    let (log, yes, no) = (Log::default(), Says::new(Approval::Allow), Says::new(Approval::deny("no")));
    let boss = async |payer: AgentBuilder<Payer>| {
        let payer = payer.model(script("pay", 5)).state(log.clone()).build().await.unwrap();
        let model = ScriptedModel::turns([
            ScriptedTurn::call("payer", json!({ "input": "5" })),
            ScriptedTurn::say("{last}"),
        ]);
        let boss = Boss::builder().model(model).state(log.clone()).approver(yes.clone());
        boss.tool(AgentTool::new(&payer).name("payer")).run("go").await.unwrap().text
    };
    assert_eq!(boss(Payer::builder().approver(no.clone())).await, "Tool execution was not approved: no");
    assert!(yes.questions().is_empty() && log.take().is_empty());
    assert_eq!(boss(Payer::builder()).await, "paid");
    assert_eq!((yes.questions().len(), no.questions().len()), (1, 1));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Payment {
    cents: i64,
    key: String,
}

#[tokio::test]
async fn t4_approval_fails_closed() {
    let mut spec = ToolSpec::from_fn("pay", "Pays.", |payment: Payment, _| async move {
        Ok(format!("{} by {}", payment.cents, payment.key))
    });
    spec.approval().approver(|_: ApprovalRequest| async move { panic!("gone") });
    let refused = spec.exec(json!({ "cents": 1, "key": "k" })).await.result;
    assert_eq!(
        text_and_kind(&refused),
        ("Tool execution was not approved.".to_owned(), Some(ErrorKind::Denied))
    );

    // A `timeout` limits the tool and not the approver: the call waits for an approver that does not answer.
    spec.options(|options| options.timeout = Some(std::time::Duration::from_millis(1)));
    spec.approver(|_: ApprovalRequest| std::future::pending());
    let call = spec.exec(json!({ "cents": 1, "key": "k" }));
    assert!(tokio::time::timeout(std::time::Duration::from_millis(20), call).await.is_err());

    // A function that decides and panics lets nothing through either.
    let mut broken = spec.clone();
    broken.approval_if(|_| -> bool { panic!("undecided") });
    let result = broken.exec(json!({ "cents": 1, "key": "k" })).await.result;
    assert_eq!(text_and_kind(&result).1, Some(ErrorKind::Panic));
}

/// Pays with a key.
#[tool(approval)]
fn pay_by(cents: i64, key: String) -> String {
    format!("{cents} by {key}")
}

#[tokio::test]
async fn t4_approval_does_not_show_what_is_bound() {
    let yes = Says::new(Approval::Allow);
    let mut spec = pay_by::spec();
    spec.bind("key", None, json!("secret")).unwrap();
    spec.approver(yes.clone());
    assert_eq!(call!(spec, cents = 5).await.unwrap(), "5 by secret");
    assert_eq!(yes.questions(), [r#"{"cents":5}"#]);
    // What is added does not take back what was declared.
    spec.approval_if(|args: &Args| args["cents"] == 6);
    assert_eq!(call!(spec, cents = 7).await.unwrap(), "7 by secret");
    assert_eq!(yes.questions(), [r#"{"cents":7}"#]);
}

fn over_a_hundred(args: &Args) -> bool {
    args["cents"].as_u64() > Some(100)
}

#[guardrail(input)]
fn in_words(args: &mut Args) {
    if args["cents"] == 7 {
        args["cents"] = "5000".into();
    }
}

/// Pays, and asks for large sums only.
#[tool(approval = over_a_hundred, input_guardrails = [in_words])]
fn pay_some(cents: u64) -> String {
    format!("paid {cents}")
}

fn by_value() -> ToolSpec {
    ToolSpec::from_fn(
        "pay",
        "Pays.",
        |payment: Payment, _| async move { Ok(format!("paid {}", payment.cents)) },
    )
}

#[tokio::test]
async fn t11_approval_sees_the_arguments_as_the_tool_reads_them() {
    let yes = Says::new(Approval::Allow);
    let mut by_function = pay_some::spec();
    by_function.approver(yes.clone());
    let mut by_value = by_value();
    by_value.approval_if(over_a_hundred).approver(yes.clone());
    by_value.bind("key", None, json!("k")).unwrap();
    for spec in [&by_function, &by_value] {
        for cents in [json!(5000), json!("5000"), json!(5000.0)] {
            let output = spec.call(json!({ "cents": cents })).await.unwrap();
            assert_eq!(output, "paid 5000");
            assert_eq!(yes.questions(), [r#"{"cents":5000}"#], "{cents}");
        }
    }
    // What a guardrail writes is read likewise.
    assert_eq!(call!(by_function, cents = 7).await.unwrap(), "paid 5000");
    assert_eq!(yes.questions(), [r#"{"cents":5000}"#]);
}

#[tokio::test]
async fn t11_approval_is_asked_for_nothing_that_cannot_be_read() {
    let yes = Says::new(Approval::Allow);
    let mut by_function = pay_by::spec();
    by_function.approver(yes.clone());
    let mut by_value = by_value();
    by_value.approval().approver(yes.clone());
    for mut spec in [by_function, by_value] {
        spec.bind("key", None, json!("k")).unwrap();
        for wrong in ["{\"cents\": \"much\"}", "{}", "{\"cents\": 5, \"many\": 1}", "[]", "{\"cents\": "] {
            let refused = spec.call(wrong).await.unwrap_err();
            assert!(refused.to_string().starts_with("Invalid arguments"), "{wrong}: {refused}");
            assert_eq!(yes.questions(), [""; 0], "{wrong}");
        }
        assert!(spec.call(json!({ "cents": "5" })).await.is_ok());
        assert_eq!(yes.questions(), [r#"{"cents":5}"#]);
    }
}

/// A tool by hand.
struct ByHand;

tool_by_hand! {
    ByHand "by_hand", {
    ToolDefinition::new(ByHand::NAME, "Pays.").with_input_schema(json!({
        "type": "object",
        "properties": { "cents": { "type": "integer" } },
        "required": ["cents"],
        "additionalProperties": false,
    }))
};

    async fn run(&self, _: &ToolContext, _: &mut Args) -> ToolResult {
        Ok("paid".into())
    }
}

#[tool_hook]
fn fills_cents(args: &mut Args) {
    if args.get("cents").is_none() {
        args.insert("cents", 5).unwrap();
    }
}

#[guardrail(input)]
fn guards_cents(args: &mut Args) {
    if args.get("cents").is_none() {
        args.insert("cents", 5).unwrap();
    }
}

/// Pays.
#[tool(hooks = [fills_cents])]
fn pay_with_hook(cents: i64) -> String {
    format!("paid {cents}")
}

/// Pays.
#[tool(input_guardrails = [guards_cents])]
fn pay_with_guardrail(cents: i64) -> String {
    format!("paid {cents}")
}

#[tokio::test]
async fn t4_a_tools_own_hooks_can_complete_arguments_behind_an_approval() {
    for spec in [pay_with_hook::spec(), pay_with_guardrail::spec()] {
        let mut outer = ToolSpec::from_dyn(Arc::new(spec));
        let yes = Says::new(Approval::Allow);
        outer.approval().approver(yes.clone());
        assert_eq!(outer.call("{}").await.unwrap(), "paid 5");
        assert_eq!(yes.questions().len(), 1);
    }
}

#[tokio::test]
async fn t4_wrong_arguments_are_refused_before_the_approver_is_asked() {
    let payer = Payer::builder().model(ScriptedModel::turns([ScriptedTurn::say("paid")]));
    let agent = AgentTool::new(&payer.state(Log::default()).build().await.unwrap()).spec();
    let mut bound = pay::spec().with_state(Log::default());
    bound.bind("cents", "cents", json!(5)).unwrap();
    for spec in [pay::spec(), ToolSpec::new(ByHand), agent, bound] {
        for mut spec in [spec.clone(), ToolSpec::from_dyn(Arc::new(spec))] {
            let yes = Says::new(Approval::Allow);
            spec.approval().approver(yes.clone());
            let error = spec.call(json!({ "cent": 5 })).await.unwrap_err();
            assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{error}");
            assert!(error.to_string().contains("`cent`: unknown argument"), "{error}");
            assert!(yes.questions().is_empty(), "{}", spec.name());
        }
    }
}

#[tokio::test]
async fn t4_two_tools_share_an_approver() {
    let approver = Arc::new(Says::new(Approval::Allow));
    for _ in 0..2 {
        let mut pay = pay::spec();
        pay.approver(Arc::clone(&approver));
        let _ = pay.call(json!({ "cents": 5 })).await;
    }
    assert_eq!(approver.questions().len(), 2);
}
