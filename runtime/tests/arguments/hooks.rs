//! What hooks and guardrails do with arguments, however the model wrote them.

use std::cell::Cell;

use onionskin::run::ToolCaller;
use onionskin::spec::Transform;
use onionskin::{
    Args, ErrorKind, Exit, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolDefinition, ToolOutput,
    ToolResult, ToolSpec, agent, call, guardrail, tool, tool_hook,
};
use serde_json::{Value, json};

thread_local! {
    /// A test has a thread of its own.
    static RAN: Cell<usize> = const { Cell::new(0) };
}

/// Deletes files.
#[tool]
async fn delete(#[arg(default = false)] dry_run: bool) -> String {
    RAN.set(RAN.get() + 1);
    format!("dry: {dry_run}")
}

/// Looks at nothing.
#[derive(Default)]
struct Blind;

tool_by_hand! {
    Blind "blind", ToolDefinition::new("blind", "Looks at nothing.");

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        RAN.set(RAN.get() + 1);
        Ok(ToolOutput::text(format!("dry: {}", args["dry_run"])))
    }
}

#[tool_hook]
async fn only_dry(args: &mut Args, next: impl Next) -> ToolResult {
    args["dry_run"] = true.into();
    next.run(args).await
}

#[guardrail(input)]
fn stay_dry(args: &mut Args) {
    args["dry_run"] = true.into();
}

/// Deletes files, behind a guardrail.
#[tool(input_guardrails = [stay_dry])]
async fn guarded(#[arg(default = false)] dry_run: bool) -> String {
    RAN.set(RAN.get() + 1);
    format!("dry: {dry_run}")
}

agent! {
    Cleaner { instruction: "Clean.", function_tools: [delete, Blind, guarded], tool_hooks: [only_dry] }
    /// Without hooks of its own.
    Plain { instruction: "Clean.", function_tools: [guarded] }
}

const BROKEN: [&str; 7] =
    ["{\"dry_run\": fal", "delete", "[]", "null", "{\"a\":1,\"a\":2}", "```delete```", "{} {}"];

async fn refused(result: ToolResult, text: &str) {
    let Err(Exit::Tool(error)) = result else { panic!("{text}: {result:?}") };
    assert_eq!(error.kind(), ErrorKind::Arguments, "{text}: {error}");
    assert!(error.to_string().contains("it did not run"), "{text}: {error}");
}

#[tokio::test]
async fn h1_what_a_hook_sets_in_broken_arguments_is_an_argument_error() {
    let tools = ToolCaller::<Cleaner>::new();
    for tool in ["delete", "blind", "guarded"] {
        let cx = tools.context(tool).unwrap();
        let good = tools.call(&cx, &mut Args::from(r#"{"dry_run":false}"#)).await.unwrap();
        assert_eq!(good.to_text(), "dry: true");
        for text in BROKEN {
            refused(tools.call(&cx, &mut Args::from(text)).await, text).await;
        }
    }
    let tools = ToolCaller::<Plain>::new();
    let cx = tools.context("guarded").unwrap();
    for text in BROKEN {
        refused(tools.call(&cx, &mut Args::from(text)).await, text).await;
    }
    assert_eq!(RAN.get(), 3, "only the good calls ran");
}

#[tokio::test]
async fn h1_a_run_goes_on_after_a_hook_wrote_into_broken_arguments() {
    let script = ScriptedModel::turns([
        ScriptedTurn::call("delete", json!("{\"dry_run\": fal")),
        ScriptedTurn::say("{last}"),
    ]);
    let handle = Cleaner::builder().model(script).build().await.unwrap();
    let output = handle.run("go").await.unwrap();
    assert!(output.text.contains("Invalid arguments for `delete`; it did not run"), "{}", output.text);
}

#[tokio::test]
async fn h1_a_value_as_a_tool_refuses_it_too() {
    let spec = ToolSpec::new(Blind).hook(only_dry::new());
    for text in BROKEN {
        let error = spec.call(text).await.expect_err(text);
        assert!(error.to_string().contains("Invalid arguments for `blind`"), "{text}: {error}");
    }
    assert_eq!(call!(spec, dry_run = false).await.unwrap(), "dry: true");
}

#[test]
fn h1_what_is_set_in_broken_arguments_is_lost_for_good() {
    let mut args = Args::from("delete");
    args["a"]["b"] = 1.into();
    assert_eq!(args["a"], Value::Null);
    assert_eq!(&*args.text(), "delete");
    assert!(args.as_object().is_err() && args.clone().as_object().is_err());
    args.replace(json!({"a": 1}).as_object().unwrap().clone());
    assert_eq!(args["a"], 1);
}

#[tokio::test]
async fn t11_a_value_that_is_no_object_is_refused_where_it_is_used() {
    let tools = ToolCaller::<Cleaner>::new();
    let cx = tools.context("delete").unwrap();
    let good = tools.call(&cx, &mut Args::from(json!({"dry_run": false}))).await.unwrap();
    assert_eq!(good.to_text(), "dry: true");
    for value in [json!(null), json!(5), json!("{}"), json!("{\"dry_run\":true}"), json!(""), json!([])] {
        let args = Args::from(value.clone());
        assert!(args.as_object().unwrap_err().to_string().contains("not one JSON object"), "{value}");
        assert!(args.clone().as_object().is_err(), "{value}");
        let spec = delete::spec();
        assert!(spec.call(args).await.unwrap_err().to_string().contains("Invalid arguments"), "{value}");
        refused(tools.call(&cx, &mut Args::from(value.clone())).await, &value.to_string()).await;
    }
}

/// Pays.
#[tool(effect = idempotent)]
async fn pay(#[arg(range(0..))] cents: i64, note: Option<String>) -> String {
    format!("{cents} {note:?}")
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Payment {
    cents: i64,
    note: Option<String>,
}

/// The book's hook.
#[tool_hook]
async fn at_most(#[config] most: i64, args: &mut Args, next: impl Next) -> ToolResult {
    if let Some(cents) = args["cents"].as_i64() {
        args["cents"] = cents.min(most).into();
    }
    next.run(args).await
}

/// Refuses and does not change.
#[tool_hook]
fn refuse_large(args: &Args) -> ToolResult<Option<ToolOutput>> {
    if args["cents"].as_u64().is_some_and(|cents| cents > 10) {
        Err(Exit::denied("too much"))
    } else {
        Ok(None)
    }
}

/// Answers instead.
#[tool_hook]
fn cached(args: &Args) -> Option<ToolOutput> {
    (args["cents"] == 41).then(|| ToolOutput::text("10 cached"))
}

/// As a guardrail of the tool's own.
#[guardrail(input)]
fn clamp_cents(args: &mut Args) {
    if let Some(cents) = args["cents"].as_i64() {
        args["cents"] = cents.min(10).into();
    }
}

/// Pays, clamped by itself.
#[tool(name = "pay", input_guardrails = [clamp_cents])]
async fn pay_clamped(cents: i64, note: Option<String>) -> String {
    format!("{cents} {note:?}")
}

agent! {
    Clamped { instruction: "Pay.", function_tools: [pay], tool_hooks: [at_most(10)] }
    Refused { instruction: "Pay.", function_tools: [pay], tool_hooks: [refuse_large] }
    Cached { instruction: "Pay.", function_tools: [pay], tool_hooks: [cached] }
    Watched {
        instruction: "Pay.", function_tools: [pay],
        tool_hooks: [onionskin::hooks::log, onionskin::hooks::timing, onionskin::hooks::retry(2), at_most(10)],
    }
    Guarded { instruction: "Pay.", function_tools: [pay_clamped] }
    AtRunTime { instruction: "Pay." }
}

/// 41 in every way that a model may write it.
const SPELLINGS: [&str; 16] = [
    r#"{"cents":41}"#,
    r#"{"cents":"41"}"#,
    r#"{"cents":41.0}"#,
    r#"{"cents":"41.0"}"#,
    r#"{"cents":" 41"}"#,
    r#"{"cents":4.1e1}"#,
    r#"{"cents":"41","note":null}"#,
    r#"{"cents":1,"cents":41}"#,
    r#"{"c\u0065nts":"41"}"#,
    r#"{"cents":41,"cent":1}"#,
    r#"{"cents":[41]}"#,
    r#"{"cents":41,}"#,
    "```json\n{\"cents\":\"41\"}\n```",
    r#""{\"cents\":\"41\"}""#,
    r#"{"cents":{"cents":41}}"#,
    r#"{"cents":41.00000000000000000001}"#,
];

/// Nothing but ten cents is paid.
fn holds(result: &ToolResult, text: &str) -> bool {
    match result {
        Ok(output) => {
            assert!(output.to_text().starts_with("10 "), "{text}: {output:?}");
            true
        }
        Err(Exit::Tool(error)) => {
            let kind = error.kind();
            assert!(matches!(kind, ErrorKind::Arguments | ErrorKind::Denied), "{text}: {error}");
            kind == ErrorKind::Denied
        }
        Err(other) => panic!("{text}: {other:?}"),
    }
}

#[tokio::test]
async fn h1_a_hook_sees_what_the_tool_gets_however_it_is_written() {
    macro_rules! held {
        ($($agent:ident),*) => {$(
            let tools = ToolCaller::<$agent>::new();
            let cx = tools.context("pay").unwrap();
            let mut took_hold = 0;
            for text in SPELLINGS {
                took_hold += usize::from(holds(&tools.call(&cx, &mut Args::from(text)).await, text));
            }
            // A hook that answers or refuses by itself comes before what the tool has against other keys.
            assert!(took_hold == 11 || took_hold == 12, "{}: {took_hold}", stringify!($agent));
        )*};
    }
    held!(Clamped, Refused, Cached, Watched, Guarded);
}

#[tokio::test]
async fn h1_hooks_of_tool_values_see_what_the_tool_gets() {
    let closure = || {
        ToolSpec::from_fn("pay", "Pays.", |args: Payment, _| async move {
            Ok(format!("{} {:?}", args.cents, args.note))
        })
    };
    let mut renamed = closure().hook(renamed_at_most::new());
    renamed.transform(Transform::new().rename("cents", "amount")).unwrap();
    for spec in [pay::spec().hook(at_most::new(10)), closure().hook(at_most::new(10)), pay_clamped::spec()] {
        let handle =
            AtRunTime::builder().model(ScriptedModel::turns([])).tool(spec.clone()).build().await.unwrap();
        drop(handle);
        for text in SPELLINGS {
            let result = spec.exec(text).await.result;
            holds(&result, text);
        }
    }
    for text in SPELLINGS {
        holds(
            &renamed.exec(text.replace("cents", "amount").replace("\\u0065nts", "amount")).await.result,
            text,
        );
    }
}

#[tool_hook]
async fn renamed_at_most(args: &mut Args, next: impl Next) -> ToolResult {
    if let Some(cents) = args["amount"].as_i64() {
        args["amount"] = cents.min(10).into();
    }
    next.run(args).await
}

#[tokio::test]
async fn h1_hooks_of_a_run_see_what_the_tool_gets() {
    for text in SPELLINGS {
        let script =
            ScriptedModel::turns([ScriptedTurn::call("pay", json!(text)), ScriptedTurn::say("{last}")]);
        let spec = ToolSpec::from_fn("pay", "Pays.", |args: Payment, _| async move {
            Ok(format!("{} {:?}", args.cents, args.note))
        });
        let handle =
            AtRunTime::builder().model(script).tool(spec).hook(at_most::new(10)).build().await.unwrap();
        let text = handle.run("go").await.unwrap().text;
        assert!(text.starts_with("10 ") || text.contains("it did not run"), "{text}");
    }
}

#[tokio::test]
async fn h1_a_hook_that_looks_and_changes_nothing_leaves_the_text_as_it_is() {
    #[tool_hook]
    fn look(args: &Args) {
        assert!(args["cents"].is_i64() || args["cents"].is_u64());
    }
    agent! { Looking { instruction: "Pay.", function_tools: [pay], tool_hooks: [look] } }
    let tools = ToolCaller::<Looking>::new();
    let cx = tools.context("pay").unwrap();
    let mut args = Args::from(r#"{"cents": "41"}"#);
    assert_eq!(tools.call(&cx, &mut args).await.unwrap().to_text(), "41 None");
    assert_eq!(&*args.text(), r#"{"cents": "41"}"#);
}

/// Whether a person has to be asked.
fn is_much(args: &Args) -> bool {
    args["cents"].as_i64().is_some_and(|cents| cents > 100)
}

/// Pays much where the amount is left out.
#[tool(name = "pay", approval = is_much)]
async fn pay_much(#[arg(default = 5000)] cents: i64) -> String {
    format!("{cents} paid")
}

/// Pays what it is let pay.
#[tool(name = "pay", input_guardrails = [clamp_cents])]
async fn pay_clamped_default(#[arg(default = 5000)] cents: i64) -> String {
    format!("{cents} paid")
}

agent! {
    MuchClamped { instruction: "Pay.", function_tools: [pay_much], tool_hooks: [at_most(10)] }
    Much { instruction: "Pay.", function_tools: [pay_much] }
    MuchGuarded { instruction: "Pay.", function_tools: [pay_clamped_default] }
}

#[tokio::test]
async fn h1_rules_hold_for_the_default_of_what_is_left_out() {
    for text in ["{}", r#"{"cents": null}"#] {
        let tools = ToolCaller::<MuchClamped>::new();
        let cx = tools.context("pay").unwrap();
        let paid = tools.call(&cx, &mut Args::from(text)).await.unwrap();
        assert_eq!(paid.to_text(), "10 paid", "{text}");

        let tools = ToolCaller::<MuchGuarded>::new();
        let cx = tools.context("pay").unwrap();
        let paid = tools.call(&cx, &mut Args::from(text)).await.unwrap();
        assert_eq!(paid.to_text(), "10 paid", "{text}");

        // Without an approver, calls that need approval are refused.
        let tools = ToolCaller::<Much>::new();
        let cx = tools.context("pay").unwrap();
        let refused = tools.call(&cx, &mut Args::from(text)).await.unwrap_err();
        assert!(
            matches!(&refused, Exit::Tool(error) if error.kind() == ErrorKind::Denied),
            "{text}: {refused:?}"
        );
        let paid = tools.call(&cx, &mut Args::from(r#"{"cents": 5}"#)).await.unwrap();
        assert_eq!(paid.to_text(), "5 paid");
    }
    let mut spec = pay::spec();
    spec.transform(Transform::new().default_value("cents", 5000)).unwrap();
    spec.approval_if(is_much);
    let refused = spec.exec("{}").await.result.unwrap_err();
    assert!(matches!(&refused, Exit::Tool(error) if error.kind() == ErrorKind::Denied), "{refused:?}");
}

fn misspelt_rule(args: &Args) -> bool {
    args["cent"].as_u64().is_some_and(|cents| cents > 100)
}

/// Reads an argument that the tool does not have.
#[guardrail(input)]
fn misspelt_guardrail(args: &Args) -> ToolResult<()> {
    if args["cent"].as_u64().is_some_and(|cents| cents > 100) { Err("too much".into()) } else { Ok(()) }
}

/// Pays.
#[tool(approval = misspelt_rule)]
fn pay_asked(cents: u64) -> String {
    RAN.set(RAN.get() + 1);
    format!("paid {cents}")
}

/// Pays.
#[tool(input_guardrails = [misspelt_guardrail])]
fn pay_guarded(cents: u64) -> String {
    RAN.set(RAN.get() + 1);
    format!("paid {cents}")
}

/// Pays.
#[tool]
fn pay_plain(cents: u64) -> String {
    RAN.set(RAN.get() + 1);
    format!("paid {cents}")
}

agent! {
    RuleOfAgent { instruction: "Pay.", function_tools: [pay_plain], approval: [misspelt_rule for [pay_plain]] }
    GuardrailOfAgent { instruction: "Pay.", function_tools: [pay_plain], input_guardrails: [misspelt_guardrail] }
    OfTools { instruction: "Pay.", function_tools: [pay_asked, pay_guarded] }
}

#[tokio::test]
async fn h1_a_check_of_an_argument_that_does_not_exist_refuses_the_call_also_without_hooks() {
    async fn called<A: onionskin::__private0::Compiled>(tool: &str) -> ToolResult {
        let tools = ToolCaller::<A>::new();
        tools.call(&tools.context(tool).unwrap(), &mut Args::from(r#"{"cents": 500}"#)).await
    }
    let mut added = pay_plain::spec();
    added.add_input_guardrails(misspelt_guardrail::new());
    for (result, what) in [
        (called::<RuleOfAgent>("pay_plain").await, "the approval rule of `pay_plain`"),
        (called::<GuardrailOfAgent>("pay_plain").await, "a guardrail of `pay_plain`"),
        (called::<OfTools>("pay_asked").await, "the approval rule of `pay_asked`"),
        (called::<OfTools>("pay_guarded").await, "a guardrail of `pay_guarded`"),
        (pay_asked::spec().exec(json!({ "cents": 500 })).await.result, "the approval rule of `pay_asked`"),
        (pay_guarded::spec().exec(json!({ "cents": 500 })).await.result, "a guardrail of `pay_guarded`"),
        (added.exec(json!({ "cents": 500 })).await.result, "a guardrail of `pay_plain`"),
    ] {
        let Err(Exit::Tool(error)) = result else { panic!("{what}: {result:?}") };
        assert_eq!(error.kind(), ErrorKind::Panic, "{error}");
        assert!(error.to_string().starts_with(&format!("{what} panicked: ")), "{error}");
        assert!(error.to_string().contains("`cents`"), "{error}");
    }
    let model = || {
        ScriptedModel::turns([
            ScriptedTurn::call("pay_plain", json!({ "cents": 500 })),
            ScriptedTurn::say("{last}"),
        ])
    };
    let output = RuleOfAgent::builder().model(model()).run("Pay.").await.unwrap();
    assert!(output.text.contains("the approval rule of `pay_plain` panicked"), "{}", output.text);
    assert_eq!(RAN.get(), 0);
}

#[tokio::test]
async fn h1_a_tool_caller_takes_its_own_contexts_only() {
    let tools = ToolCaller::<OfTools>::new();
    for tool in ["pay_guarded", "nonsense"] {
        let error =
            tools.call(&ToolContext::detached(tool), &mut Args::from(r#"{"cents": 5}"#)).await.unwrap_err();
        assert!(error.to_string().contains("was not made by this `ToolCaller`"), "{error}");
    }
    assert_eq!(RAN.get(), 0);
}
