//! Hooks around a call: order, forms, filters, dynamic hooks, typed hooks, configuration.

use onionskin::definition::ToolSource;
use onionskin::run::{AgentRun, ToolCaller};
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{
    Agent, Args, Exit, Hook, Inject as _, Next, RunError, ScriptedModel, ScriptedTurn, State, Tool,
    ToolContext, ToolDefinition, ToolOutput, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

use crate::log::Log;

/// Adds one.
#[tool]
fn add_one(x: i64, log: State<Log>) -> i64 {
    log.push(format!("add_one {x}"));
    x + 1
}

/// Joins words.
#[tool]
async fn join(words: Vec<String>, with: Option<String>, log: State<Log>) -> Result<String, std::fmt::Error> {
    log.push("join");
    if words.is_empty() {
        return Err(std::fmt::Error);
    }
    Ok(words.join(with.as_deref().unwrap_or(" ")))
}

#[tool_hook]
async fn mark(#[config] name: &str, log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(format!("{name}>"));
    let result = next.run(args).await;
    log.push(format!("<{name}"));
    result
}

/// Holds `x` to 10 and doubles what comes out.
#[tool_hook(tool = add_one)]
async fn clamp(
    ctx: &ToolContext,
    mut args: ArgsOf<add_one>,
    next: impl TypedNext<add_one>,
) -> ToolResult<i64> {
    assert_eq!(ctx.tool_name(), "add_one");
    args.x = args.x.min(10);
    Ok(next.run(args).await? * 2)
}

/// Counts the words on its way in.
#[tool_hook(tool = join)]
async fn shout(
    log: State<Log>,
    mut args: ArgsOf<join>,
    next: impl TypedNext<join>,
) -> ToolResult<OutputOf<join>> {
    log.push(format!("{} words", args.words.len()));
    args.with = Some("-".to_owned());
    Ok(next.run(args).await?.map(|text| text.to_uppercase()))
}

/// Adds one hundred to what comes out.
#[tool_hook(tool = add_one)]
async fn more(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    Ok(next.run(args).await? + 100)
}

agent! {
    Typed {
        instruction: "Play.",
        state: Log,
        function_tools: [add_one, join],
        tool_hooks: [mark("A"), clamp, shout, more],
    }
}

#[tokio::test]
async fn h7_typed_hooks_get_typed_arguments_inside_all_raw_hooks() {
    let log = Log::default();
    let tools = ToolCaller::<Typed>::with_state(log.clone());
    let call = async |tool: &str, args: &str| {
        let cx = tools.context(tool).unwrap();
        tools.call(&cx, &mut Args::from(args)).await
    };
    let output = call("add_one", r#"{"x": 41}"#).await.unwrap();
    assert_eq!(output.to_text(), ((10 + 1 + 100) * 2).to_string());
    assert_eq!(log.take(), ["A>", "add_one 10", "<A"]);
    let output = call("join", r#"{"words": ["a", "b"]}"#).await.unwrap();
    assert_eq!(output.to_text(), "A-B");
    assert_eq!(log.take(), ["A>", "2 words", "join", "<A"]);
    let error = call("join", r#"{"words": []}"#).await.unwrap_err();
    assert!(matches!(error, Exit::Tool(_)));
    let error = call("add_one", r#"{"x": "ten"}"#).await.unwrap_err();
    assert!(error.to_string().contains("`x`: expected an integer"), "{error}");
}

async fn repeat(_: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(input)
}

agent! { Child { name: "child", description: "Helps.", instruction: "Help.", run: repeat } }

agent! {
    Filtered {
        instruction: "Play.",
        state: Log,
        function_tools: [add_one, join],
        agents: [Child],
        tool_hooks: [
            mark("only") for [add_one],
            mark("not") except [add_one, Child],
            mark("child") for [Child],
            mark("functions") for [source(function)],
        ],
    }
}

async fn run<A: Agent>(
    builder: onionskin::declaration::AgentBuilder<A>,
    calls: &[(&str, serde_json::Value)],
) -> Vec<String> {
    let turn =
        calls.iter().fold(ScriptedTurn::default(), |turn, (tool, args)| turn.and_call(*tool, args.clone()));
    let output =
        builder.model(ScriptedModel::turns([turn, ScriptedTurn::say("done")])).run("go").await.unwrap();
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn h5_filters_choose_the_calls_that_a_hook_sees() {
    let log = Log::default();
    let build = || Filtered::builder().state(log.clone());
    run(build(), &[("add_one", json!({"x": 1}))]).await;
    assert_eq!(log.take(), ["only>", "functions>", "add_one 1", "<functions", "<only"]);
    run(build(), &[("join", json!({"words": ["a"]}))]).await;
    assert_eq!(log.take(), ["not>", "functions>", "join", "<functions", "<not"]);
    let texts = run(build(), &[("agent__child", json!({"input": "hi"}))]).await;
    assert_eq!(log.take(), ["child>", "<child"]);
    assert_eq!(texts, ["hi"]);
}

struct AtRunTime(&'static str, Log);

impl Hook for AtRunTime {
    type Made = onionskin::made::AtRunTime;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        self.1.push(format!("{}>", self.0));
        let result = next.run(args).await;
        self.1.push(format!("<{}", self.0));
        result
    }
}

/// A hook of any type whose name it notes.
struct Noted<T>(&'static str, std::marker::PhantomData<fn() -> T>);

impl<T: 'static> From<(&'static str,)> for Noted<T> {
    fn from((name,): (&'static str,)) -> Self {
        Self(name, std::marker::PhantomData)
    }
}

impl<T: 'static> Hook for Noted<T> {
    type Made = onionskin::made::FromValues<(&'static str,), State<Log>>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let log = State::<Log>::inject(cx)?;
        log.push(format!("{} {}", self.0, std::any::type_name::<T>()));
        next.run(args).await
    }
}

/// A tool that another one is in.
#[derive(Default)]
struct Within<T>(T);

impl<T: Tool> Tool for Within<T> {
    const NAME: &'static str = T::NAME;
    type State = T::State;

    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        self.0.run(cx, args).await
    }
}

agent! {
    Generic {
        instruction: "Play.",
        state: Log,
        function_tools: [Within<add_one>],
        tool_hooks: [Noted<u8>("a"), Noted<u16>("b") for [Within<add_one>], Noted<u32>("c") except [Within<add_one>]],
    }
}

#[tokio::test]
async fn h5_lists_name_types_with_arguments() {
    let log = Log::default();
    let texts = run(Generic::builder().state(log.clone()), &[("add_one", json!({"x": 1}))]).await;
    assert_eq!(texts, ["2"]);
    assert_eq!(log.take(), ["a u8", "b u16", "add_one 1"]);
}

agent! {
    OuterSeam { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [mark("A"), mark("B")] }
    InnerSeam { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [mark("A"), .., mark("B")] }
    LastSeam { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [mark("A"), ..] }
}

#[tokio::test]
async fn h5_run_time_hooks_stand_outermost_or_at_the_marked_place() {
    let log = Log::default();
    let calls = [("add_one", json!({"x": 1}))];
    let hooks = || (AtRunTime("1", log.clone()), AtRunTime("2", log.clone()));
    let (first, second) = hooks();
    run(OuterSeam::builder().state(log.clone()).hook(first).hook(second), &calls).await;
    assert_eq!(log.take(), ["1>", "2>", "A>", "B>", "add_one 1", "<B", "<A", "<2", "<1"]);
    let (first, second) = hooks();
    run(InnerSeam::builder().state(log.clone()).hook(first).hook(second), &calls).await;
    assert_eq!(log.take(), ["A>", "1>", "2>", "B>", "add_one 1", "<B", "<2", "<1", "<A"]);
    let (first, _) = hooks();
    run(LastSeam::builder().state(log.clone()).hook(first), &calls).await;
    assert_eq!(log.take(), ["A>", "1>", "add_one 1", "<1", "<A"]);
}

#[tokio::test]
async fn h5_hooks_of_functions_can_be_added_at_run_time_with_their_configuration() {
    let log = Log::default();
    let calls = [("add_one", json!({"x": 1}))];
    run(InnerSeam::builder().state(log.clone()).hook(mark::new("1")).hook(mark::new("2")), &calls).await;
    assert_eq!(log.take(), ["A>", "1>", "2>", "B>", "add_one 1", "<B", "<2", "<1", "<A"]);
    let texts = run(OuterSeam::builder().state(log.clone()).hook(signed::new()), &calls).await;
    assert_eq!(texts, ["2."]);
    // Where there is nothing to configure, there is a default.
    let texts = run(OuterSeam::builder().state(log.clone()).hook(signed::default()), &calls).await;
    assert_eq!(texts, ["2."]);
}

#[tool_hook]
fn signed(output: &mut ToolOutput) {
    output.push_text(".");
}

#[tool_hook]
async fn past_the_rest(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    if args["x"] == 7 {
        return ctx.call_original(args).await;
    }
    next.run(args).await
}

agent! {
    Original {
        instruction: "Play.",
        state: Log,
        function_tools: [add_one],
        tool_hooks: [past_the_rest, mark("skipped")],
    }
}

#[tokio::test]
async fn h3_the_original_tool_can_be_called_past_the_remaining_hooks() {
    let log = Log::default();
    run(Original::builder().state(log.clone()), &[("add_one", json!({"x": 7}))]).await;
    assert_eq!(log.take(), ["add_one 7"]);
}

#[tool_hook]
async fn race(args: &mut Args, next: impl Next) -> ToolResult {
    let (first, second) = (next.fork(args.clone()), next.fork(args.clone()));
    let (first, second) = tokio::join!(first, second);
    Ok(ToolOutput::text(format!("{} and {}", first?.to_text(), second?.to_text())))
}

agent! {
    Racing { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [race] }
}

#[tokio::test]
async fn h1_two_runs_can_be_alive_at_once() {
    let log = Log::default();
    let texts = run(Racing::builder().state(log.clone()), &[("add_one", json!({"x": 1}))]).await;
    assert_eq!(texts, ["2 and 2"]);
    assert_eq!(log.take().len(), 2);
}

agent! {
    #[cfg(all())]
    Configured {
        instruction: "Play.",
        state: Log,
        function_tools: [#[cfg(any())] missing_tool, add_one, #[cfg(all())] join],
        agents: [#[cfg(any())] MissingAgent],
        tool_hooks: [
            mark("A"),
            #[cfg(any())] missing_hook,
            #[cfg(any())] clamp,
            #[cfg(all())] mark("B"),
            #[cfg(all())] clamp,
        ],
    }

    #[cfg(any())]
    Absent { instruction: "Play.", function_tools: [missing_tool] }
}

#[tokio::test]
async fn t10_cfg_takes_entries_away() {
    let log = Log::default();
    let texts = run(
        Configured::builder().state(log.clone()),
        &[("join", json!({"words": ["x"]})), ("add_one", json!({"x": 41}))],
    )
    .await;
    assert_eq!(texts, ["x", "22"]);
    assert_eq!(log.take(), ["A>", "B>", "join", "<B", "<A", "A>", "B>", "add_one 10", "<B", "<A"]);
}

#[tool_hook]
fn answers(ctx: &ToolContext, source: ToolSource) -> Option<ToolOutput> {
    assert_eq!(source, ctx.source());
    (ctx.tool_name() == "add_one").then(|| ToolOutput::text("answered"))
}

#[tool_hook]
async fn replaces(result: ToolResult) -> ToolResult {
    match result {
        Ok(output) => Ok(ToolOutput::text(format!("[{}]", output.to_text()))),
        Err(Exit::Tool(error)) => Ok(ToolOutput::text(format!("({error})"))),
        Err(other) => Err(other),
    }
}

agent! {
    Forms { instruction: "Play.", state: Log, function_tools: [add_one, join], tool_hooks: [replaces, answers] }
}

#[tokio::test]
async fn h1_before_hooks_answer_and_after_hooks_replace() {
    let log = Log::default();
    let calls =
        [("add_one", json!({"x": 1})), ("join", json!({"words": ["a"]})), ("join", json!({"words": []}))];
    let texts = run(Forms::builder().state(log.clone()), &calls).await;
    assert_eq!(texts, ["[answered]", "[a]", "(an error occurred when formatting an argument)"]);
}
