//! T7, S4: what is bound is merged inside of everything else, also of what the tool was declared with.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::future::BoxFuture;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::spec::{SpecError, StateType, ToolPolicy, Transform};
use onionskin::{
    Args, Cache, DynTool, ErrorKind, Next, Secret, SessionState, State, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, call, guardrail, tool, tool_hook, toolbox,
};
use serde_json::{Value, json};

use super::Log;

#[tool_hook]
async fn watch(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(format!("hook {}", args.text()));
    let result = next.run(args).await;
    log.push(format!("hook {} {result:?}", args.text()));
    result
}

#[guardrail(input)]
fn watch_in(log: State<Log>, args: &Args) {
    log.push(format!("in {}", args.text()));
}

#[guardrail(output)]
fn watch_out(log: State<Log>, args: &Args, result: &ToolResult) {
    log.push(format!("out {} {result:?}", args.text()));
}

/// What functions without a context saw: approval and the key of a cache.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn recorded() -> MutexGuard<'static, Vec<String>> {
    SEEN.lock().unwrap()
}

fn by_text(args: &Args) -> bool {
    recorded().push(format!("approval {}", args.text()));
    true
}

fn key(args: &Args) -> String {
    recorded().push(format!("key {}", args.text()));
    args["query"].to_string()
}

/// Searches.
#[tool(
    hooks = [watch],
    input_guardrails = [watch_in],
    output_guardrails = [watch_out],
    approval = by_text,
    cache(key = key)
)]
fn search(query: &str, #[arg(default = 10)] limit: u32, api_key: &str) -> String {
    format!("{limit} of {query} with {} letters, last {}", api_key.len(), &api_key[api_key.len() - 1..])
}

pub struct Desk;

#[toolbox]
impl Desk {
    /// Searches.
    #[tool(
        hooks = [watch], input_guardrails = [watch_in], output_guardrails = [watch_out], approval = by_text, cache(key = key)
    )]
    async fn search(&self, query: String, #[arg(default = 10)] limit: u32, api_key: String) -> String {
        format!("{limit} of {query} with {} letters, last {}", api_key.len(), &api_key[api_key.len() - 1..])
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Question {
    query: String,
    #[serde(default = "ten")]
    limit: u32,
    api_key: String,
}

fn ten() -> u32 {
    10
}

/// The same with all that can be added to a value.
fn closure() -> ToolSpec {
    let search = |args: Question, _: ToolContext| async move {
        let key = args.api_key;
        Ok(format!(
            "{} of {} with {} letters, last {}",
            args.limit,
            args.query,
            key.len(),
            &key[key.len() - 1..]
        ))
    };
    let mut spec = ToolSpec::from_fn("search", "Searches.", search).hook(watch::new());
    spec.add_input_guardrails(watch_in::new()).add_output_guardrails(watch_out::new());
    spec.approval_if(by_text).cache(Cache::new().key(key));
    spec
}

/// Another tool, wrapped by hand.
struct Wrapped(Arc<dyn DynTool>);

impl DynTool for Wrapped {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.run_dyn(cx, args)
    }

    fn fit_args_dyn(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        self.0.fit_args_dyn(cx, args)
    }

    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.0.check_args_dyn(cx, args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        Some(Arc::new(Self(self.0.with_policy_dyn(more)?)))
    }

    fn states(&self) -> Vec<StateType> {
        self.0.states()
    }
}

/// A function, a method, a closure and a wrapped function with all of the five, the same log under each.
fn all(log: &Log) -> Vec<ToolSpec> {
    let wrapped = ToolSpec::from_dyn(Arc::new(Wrapped(Arc::new(search::default()))));
    let specs = [search::spec(), Desk.tools().remove("search").unwrap(), closure(), wrapped];
    let mut specs: Vec<_> = specs.into_iter().map(|spec| spec.with_state(log.clone())).collect();
    for spec in &mut specs {
        let approvals = log.clone();
        spec.approver(move |request: ApprovalRequest| {
            approvals.push(format!("approver {request:?}"));
            async { Approval::Allow }
        });
    }
    specs
}

/// All of them with this bound to `api_key`, while no other test runs.
async fn bound(api_key: &str) -> (tokio::sync::MutexGuard<'static, ()>, Log, Vec<ToolSpec>) {
    let one = ONE.lock().await;
    let log = Log::default();
    let mut specs = all(&log);
    for spec in &mut specs {
        spec.bind("api_key", None, json!(api_key)).unwrap();
    }
    (one, log, specs)
}

fn everything(log: &Log) -> String {
    let mut all = log.take();
    all.append(&mut recorded());
    all.join("\n")
}

/// The tests here share what functions saw.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test]
async fn s4_declared_hooks_and_guardrails_of_the_tool_see_nothing_that_is_bound() {
    let _one = ONE.lock().await;
    let log = Log::default();
    for secret in [false, true] {
        for mut spec in all(&log) {
            spec.bind("api_key", "config.key", None).unwrap();
            if secret {
                spec.state().set_secret("config.key", Secret::new("hunter2".to_owned()));
            } else {
                spec.state().set("config.key", "hunter2");
            }
            let said = call!(spec, query = "a").await.unwrap();
            assert_eq!(said, "10 of a with 7 letters, last 2");
            let shown = everything(&log);
            for who in ["hook ", "in ", "out ", "approval ", "key ", "approver "] {
                assert!(shown.contains(who), "{who}: {shown}");
            }
            assert!(!shown.contains("hunter2") && !shown.contains("api_key"), "{shown}");
        }
    }
}

#[tokio::test]
async fn s4_what_is_added_to_a_declared_tool_sees_nothing_that_is_bound() {
    let (_one, log, specs) = bound("hunter2").await;
    for mut spec in specs {
        spec.add_input_guardrails(watch_in::new()).add_output_guardrails(watch_out::new());
        let mut renamed = spec.clone();
        let transform = Transform::new().name("find").rename("query", "text").hide("limit", 77);
        renamed.transform(transform).unwrap();
        assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with 7 letters, last 2");
        let shown = everything(&log);
        assert_eq!(shown.matches("in {").count(), 2, "{shown}");
        assert!(!shown.contains("hunter2") && !shown.contains("api_key"), "{shown}");
        assert_eq!(call!(renamed, text = "a").await.unwrap(), "77 of a with 7 letters, last 2");
        let shown = everything(&log);
        assert!(!shown.contains("hunter2") && !shown.contains("api_key"), "{shown}");
    }
}

/// A wrapper by hand that keeps what a log would show of the policies that it forwards.
struct Recorded(Arc<dyn DynTool>, Arc<Mutex<Vec<String>>>);

impl DynTool for Recorded {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.run_dyn(cx, args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        self.1.lock().unwrap().push(format!("{more:?}"));
        Some(Arc::new(Self(self.0.with_policy_dyn(more)?, Arc::clone(&self.1))))
    }
}

#[test]
fn t8_debug_of_a_policy_names_what_it_adds_and_shows_no_value() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let mut spec = ToolSpec::from_dyn(Arc::new(Recorded(Arc::new(search::default()), Arc::clone(&shown))));
    spec.add_input_guardrails(watch_in::new()).add_output_guardrails(watch_out::new()).approval();
    spec.bind("api_key", "config.key", json!("hunter2")).unwrap();
    spec.transform(Transform::new().hide("limit", 77)).unwrap();
    let last = shown.lock().unwrap().last().unwrap().clone();
    let stages = "Stages { approval: true, cache: None, input_guardrails: [\"watch_in\"], \
                  output_guardrails: [\"watch_out\"], error_handlers: 0, fills_values_in: true }";
    assert_eq!(last, format!("ToolPolicy {{ hooks: [], stages: {stages} }}"));
}

#[tool_hook]
async fn overwrite(args: &mut Args, next: impl Next) -> ToolResult {
    args["api_key"] = "evil".into();
    next.run(args).await
}

#[guardrail(input)]
fn overwrite_in(args: &mut Args) {
    args["api_key"] = "evil".into();
}

/// Searches.
#[tool(hooks = [overwrite])]
fn by_hook(query: &str, api_key: &str) -> String {
    format!("{query} with {api_key}")
}

/// Searches.
#[tool(input_guardrails = [overwrite_in])]
fn by_guardrail(query: &str, api_key: &str) -> String {
    format!("{query} with {api_key}")
}

/// Searches.
#[tool]
fn plain(query: &str, api_key: &str) -> String {
    format!("{query} with {api_key}")
}

/// Tools whose argument `api_key` something writes over: the first two are declared with it.
fn overwriting() -> [ToolSpec; 4] {
    let mut added = plain::spec();
    added.add_input_guardrails(overwrite_in::new());
    [by_hook::spec(), by_guardrail::spec(), plain::spec().hook(overwrite::new()), added]
}

#[tokio::test]
async fn s4_a_declared_hook_cannot_overwrite_what_is_bound() {
    for (at, mut spec) in overwriting().into_iter().enumerate() {
        assert_eq!(call!(spec, query = "a", api_key = "mine").await.unwrap(), "a with evil", "{at}");
        spec.bind("api_key", None, json!("hunter2")).unwrap();
        let exit = call!(spec, query = "a").await.unwrap_err();
        let error = exit.as_tool_error().unwrap();
        assert_eq!(error.kind(), ErrorKind::Arguments, "{at}: {error}");
        let text = error.to_string();
        assert!(text.contains("`api_key`: unknown argument") && !text.contains("hunter2"), "{at}: {text}");
        assert!(text.contains(&format!("`{}`", spec.name())), "{at}: {text}");
    }
}

/// A hidden value is an argument that the tool is called with: what was declared with the tool may change it.
#[tokio::test]
async fn s6_only_what_the_tool_was_declared_with_changes_a_hidden_value() {
    for (at, mut spec) in overwriting().into_iter().enumerate() {
        spec.transform(Transform::new().name("find").hide("api_key", "hidden")).unwrap();
        let said = call!(spec, query = "a").await;
        if at < 2 {
            assert_eq!(said.unwrap(), "a with evil", "{at}");
        } else {
            let text = said.unwrap_err().to_string();
            assert!(text.contains("`api_key`: unknown argument") && text.contains("`find`"), "{at}: {text}");
        }
        let text = call!(spec, query = "a", api_key = "mine").await.unwrap_err().to_string();
        assert!(text.contains("`api_key`: unknown argument"), "{at}: {text}");
    }
}

/// Much has to be approved.
fn much(args: &Args) -> bool {
    args["cents"].as_u64().is_none_or(|cents| cents > 100)
}

#[guardrail(input)]
fn not_much(args: &Args) -> Result<(), &'static str> {
    if much(args) { Err("too much") } else { Ok(()) }
}

#[tool_hook]
async fn not_much_in_hook(args: &mut Args, next: impl Next) -> ToolResult {
    if much(args) { Err("too much".into()) } else { next.run(args).await }
}

/// Pays.
#[tool(approval = much)]
fn pay_approved(#[arg(default = 5000)] cents: u32) -> u32 {
    cents
}

/// Pays.
#[tool(input_guardrails = [not_much])]
fn pay_guarded(#[arg(default = 5000)] cents: u32) -> u32 {
    cents
}

/// Pays.
#[tool(hooks = [not_much_in_hook])]
fn pay_hooked(#[arg(default = 5000)] cents: u32) -> u32 {
    cents
}

#[tokio::test]
async fn s6_rules_that_a_tool_was_declared_with_hold_for_hidden_values() {
    for spec in [pay_approved::spec(), pay_guarded::spec(), pay_hooked::spec()] {
        for (cents, passes) in [(50, true), (700, false)] {
            let mut hidden = spec.clone();
            hidden.transform(Transform::new().hide("cents", cents)).unwrap();
            let mut renamed = spec.clone();
            renamed.transform(Transform::new().rename("cents", "amount")).unwrap();
            renamed.transform(Transform::new().hide("amount", cents)).unwrap();
            for spec in [hidden, renamed] {
                let said = call!(spec).await;
                assert_eq!(said.is_ok(), passes, "{} {cents}: {said:?}", spec.name());
            }
        }
    }
}

/// The person who approves sees what will run.
#[tokio::test]
async fn s6_an_approver_sees_a_hidden_value() {
    let log = Log::default();
    let mut spec = pay_approved::spec();
    spec.transform(Transform::new().hide("cents", 700)).unwrap();
    let asked = log.clone();
    spec.approver(move |request: ApprovalRequest| {
        asked.push(format!("{request:?}"));
        async { Approval::Allow }
    });
    assert_eq!(call!(spec).await.unwrap(), 700);
    assert!(log.take().join("").contains("700"));
}

#[tokio::test]
async fn s4_what_does_not_fit_or_is_missing_is_reported_to_declared_hooks_without_the_value() {
    let _one = ONE.lock().await;
    let log = Log::default();
    for mut spec in all(&log) {
        spec.bind("limit", "most", None).unwrap();
        let missing = call!(spec, query = "a", api_key = "k").await.unwrap_err().to_string();
        assert!(missing.contains("`most`") && missing.contains("`search`"), "{missing}");
        spec.state().set("most", "hunter2");
        everything(&log);
        let wrong = call!(spec, query = "a", api_key = "k").await.unwrap_err().to_string();
        assert!(
            wrong.contains("`most`") && wrong.contains("`limit`") && wrong.contains("an integer"),
            "{wrong}"
        );
        let shown = everything(&log);
        assert!(shown.contains("hook ") && !shown.contains("hunter2"), "{shown}");
    }
    let mut spec = limited::spec().with_state(log.clone());
    spec.bind("limit", "most", None).unwrap();
    spec.state().set("most", "hunter2");
    assert!(call!(spec).await.is_err());
    let shown = log.take().join("\n");
    assert!(
        shown.contains("out {} Err") && shown.contains("`most`") && !shown.contains("hunter2"),
        "{shown}"
    );
}

/// Takes a number.
#[tool(hooks = [watch], output_guardrails = [watch_out])]
fn limited(limit: u32) -> u32 {
    limit
}

#[tokio::test]
async fn s4_a_declared_cache_separates_what_is_bound() {
    let (_one, log, specs) = bound("one").await;
    for mut spec in specs {
        let call = async |key: &str| {
            spec.state().set("api_key", key);
            let said = call!(spec, query = "a").await.unwrap();
            (said, everything(&log).contains("in {"))
        };
        let said = |last: &str| Value::from(format!("10 of a with 3 letters, last {last}"));
        assert_eq!(call("one").await, (said("e"), true));
        assert_eq!(call("one").await, (said("e"), false), "from the cache");
        assert_eq!(call("two").await, (said("o"), true), "another one's");
        assert_eq!(call("one").await, (said("e"), false));
        // A hidden value belongs to the call as well.
        spec.transform(Transform::new().hide("limit", 3)).unwrap();
        let said = call!(spec, query = "a").await.unwrap();
        assert_eq!(said, "3 of a with 3 letters, last e");
    }
}

/// Moves the state while the call is on its way.
#[derive(Clone)]
struct Moves(SessionState);

impl onionskin::guardrails::InputGuardrail for Moves {
    type Made = onionskin::made::AtRunTime;

    async fn check(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        self.0.set("api_key", "two");
        Ok(())
    }
}

#[tokio::test]
async fn s4_a_declared_cache_keeps_nothing_under_a_value_that_did_not_run() {
    let (_one, log, specs) = bound("one").await;
    for mut spec in specs {
        spec.add_input_guardrails(Moves(spec.state().clone()));
        assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with 3 letters, last o");
        spec.state().set("api_key", "one");
        everything(&log);
        assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with 3 letters, last o");
        assert!(everything(&log).contains("in {"), "it ran again");
    }
}

#[tokio::test]
async fn s4_clones_and_other_states_of_a_declared_tool_are_independent() {
    let (_one, log, specs) = bound("one").await;
    for spec in specs {
        let mut clone = spec.clone();
        clone.state().set("api_key", "four");
        let last = async |spec: &ToolSpec| call!(spec, query = "a").await.unwrap();
        assert_eq!(last(&spec).await, "10 of a with 3 letters, last e");
        assert_eq!(last(&clone).await, "10 of a with 4 letters, last r");
        clone.set_state(SessionState::new(json!({ "api_key": "abcde" })));
        assert_eq!(last(&clone).await, "10 of a with 5 letters, last e");
        clone.unbind("api_key").unwrap();
        assert_eq!(
            call!(clone, query = "a", api_key = "mine!").await.unwrap(),
            "10 of a with 5 letters, last !"
        );
        assert!(matches!(clone.unbind("api_key"), Err(SpecError::NotBound { .. })));
        assert_eq!(last(&spec).await, "10 of a with 3 letters, last e");
    }
    everything(&log);
}

/// A result keeps its meaning for all its readers.
#[tokio::test]
async fn s4_a_secret_that_the_tool_lets_out_is_masked_for_declared_hooks() {
    #[tool(hooks = [watch], output_guardrails = [watch_out])]
    /// Says the key.
    fn shows_key(api_key: &str) -> ToolOutput {
        ToolOutput::text(format!("it is {api_key}"))
    }
    let log = Log::default();
    let mut spec = shows_key::spec().with_state(log.clone());
    spec.bind("api_key", None, None).unwrap();
    spec.state().set_secret("api_key", Secret::new("hunter2".to_owned()));
    let said = call!(spec).await.unwrap().to_string();
    let shown = log.take().join("\n");
    assert!(said.contains("it is") && shown.contains("it is"), "{said} {shown}");
    assert!(!said.contains("hunter2") && !shown.contains("hunter2"), "{said} {shown}");
}
