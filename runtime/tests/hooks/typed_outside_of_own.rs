//! Typed hooks on tools that have hooks, guardrails, an approval, a cache or an `on_error` of their own: they run outside of
//! all that.

use std::collections::{BTreeMap, HashMap};

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::content::{ContentBlock, Image, Media};
use onionskin::run::ToolCaller;
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{
    Args, ErrorKind, Exit, Next, RunOutput, ScriptedModel, ScriptedTurn, Secret, State, Tool, ToolContext,
    ToolError, ToolOutput, ToolResult, agent, guardrail, tool, tool_hook,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::log::Log;

#[tool_hook]
async fn agent_hook(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(format!("agent hook {}", args.text()));
    next.run(args).await
}

#[tool_hook]
async fn own_hook(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(format!("own hook {}", args.text()));
    let result = next.run(args).await;
    log.push("/own hook");
    result
}

#[guardrail(input)]
fn looks_in(log: State<Log>, args: &Args) {
    log.push(format!("input guardrail {}", args.text()));
}

#[guardrail(output)]
fn looks_out(log: State<Log>, output: &ToolOutput) {
    log.push(format!("output guardrail {}", output.to_text()));
}

fn answer(cx: &ToolContext, error: ToolError) -> ToolResult {
    let log = <State<Log> as onionskin::Inject>::inject(cx)?;
    log.push(format!("on_error {error}"));
    Ok(ToolOutput::structured(json!(-1)))
}

/// With a hook of its own.
#[tool(hooks = [own_hook])]
fn hooked(x: i64, note: Option<String>, log: State<Log>) -> i64 {
    log.push(format!("run {x} {note:?}"));
    x
}

/// With guardrails.
#[tool(input_guardrails = [looks_in], output_guardrails = [looks_out])]
async fn guarded(x: i64, note: Option<String>, log: State<Log>) -> i64 {
    log.push(format!("run {x} {note:?}"));
    x
}

/// Has to be approved.
#[tool(approval)]
fn approved(x: i64, note: Option<String>, log: State<Log>) -> i64 {
    log.push(format!("run {x} {note:?}"));
    x
}

/// Keeps results.
#[tool(cache)]
fn cached(x: i64, note: Option<String>, log: State<Log>) -> i64 {
    log.push(format!("run {x} {note:?}"));
    x
}

/// Answers for its errors.
#[tool(on_error = answer)]
fn answered(x: i64, note: Option<String>, log: State<Log>) -> Result<i64, String> {
    log.push(format!("run {x} {note:?}"));
    if x < 0 { Err("negative".into()) } else { Ok(x) }
}

macro_rules! typed {
    ($($hook:ident: $tool:ident -> $returned:ty;)*) => {$(
        #[tool_hook(tool = $tool)]
        async fn $hook(
            log: State<Log>,
            mut args: ArgsOf<$tool>,
            next: impl TypedNext<$tool>,
        ) -> ToolResult<$returned> {
            log.push(format!("typed hook {}", args.x));
            args.x = args.x.min(10);
            let result = next.run(args).await;
            log.push("/typed hook");
            result
        }
    )*};
}

typed! {
    on_hooked: hooked -> i64;
    on_guarded: guarded -> i64;
    on_approved: approved -> i64;
    on_cached: cached -> i64;
    on_answered: answered -> Result<i64, String>;
}

agent! {
    Clerk {
        instruction: "Count.",
        state: Log,
        function_tools: [hooked, guarded, approved, cached, answered],
        tool_hooks: [agent_hook, on_hooked, on_guarded, on_approved, on_cached, on_answered],
    }
}

/// Says yes, and notes for what.
struct Yes(Log);

impl Approver for Yes {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        self.0.push(format!("approval {}", request.args().text()));
        Approval::Allow
    }
}

async fn clerk(log: &Log, tool: &str, args: serde_json::Value, times: usize) -> RunOutput {
    let calls = std::iter::repeat_with(|| ScriptedTurn::call(tool, args.clone())).take(times);
    let script = ScriptedModel::turns(calls.chain([ScriptedTurn::say("{last}")]));
    let clerk = Clerk::builder().model(script).state(log.clone()).approver(Yes(log.clone()));
    clerk.build().await.unwrap().run("go").await.unwrap()
}

#[tokio::test]
async fn h7_a_typed_hook_runs_inside_of_raw_hooks_and_outside_of_a_tools_own() {
    let log = Log::default();
    let outer = [r#"agent hook {"x":41}"#, "typed hook 41"];
    for (tool, inner, text) in [
        ("hooked", vec![r#"own hook {"x":10}"#, "run 10 None", "/own hook"], "10"),
        ("guarded", vec![r#"input guardrail {"x":10}"#, "run 10 None", "output guardrail 10"], "10"),
        ("approved", vec![r#"approval {"x":10}"#, "run 10 None"], "10"),
        ("cached", vec!["run 10 None"], "10"),
        ("answered", vec!["run 10 None"], "10"),
    ] {
        let output = clerk(&log, tool, json!({ "x": 41 }), 1).await;
        let expected: Vec<_> = outer.into_iter().chain(inner).chain(["/typed hook"]).collect();
        assert_eq!(
            (&*output.text, log.take()),
            (text, expected.iter().map(ToString::to_string).collect()),
            "{tool}"
        );
    }
    let output = clerk(&log, "answered", json!({ "x": -5 }), 1).await;
    let failed =
        [r#"agent hook {"x":-5}"#, "typed hook -5", "run -5 None", "on_error negative", "/typed hook"];
    assert_eq!((&*output.text, log.take()), ("-1", failed.map(String::from).to_vec()));
}

#[tokio::test]
async fn h7_what_no_typed_hook_changed_stays_in_the_words_of_the_model() {
    let log = Log::default();
    for (args, own) in [
        (r#"{"x": "7"}"#, r#"own hook {"x": "7"}"#),
        (r#"{"note": null, "x": 7}"#, r#"own hook {"note": null, "x": 7}"#),
        // One is changed: the other one, and that it was left away, stays.
        (r#"{"note": "a\u0062", "x": 41}"#, r#"own hook {"x":10,"note":"a\u0062"}"#),
        (r#"{"x": 41}"#, r#"own hook {"x":10}"#),
        // Words that had to be repaired.
        ("```json\n{\"x\": 41, \"note\": \"n\",}\n```", r#"own hook {"x":10,"note":"n"}"#),
    ] {
        let tools = ToolCaller::<Clerk>::with_state(log.clone());
        let cx = tools.context("hooked").unwrap();
        tools.call(&cx, &mut Args::from(args)).await.unwrap();
        assert_eq!(log.take()[2], own);
    }
}

#[tokio::test]
async fn h7_a_cache_keeps_what_came_out_of_the_typed_hook() {
    let log = Log::default();
    let tools = ToolCaller::<Clerk>::with_state(log.clone());
    for x in [41, 10, 99] {
        let cx = tools.context("cached").unwrap();
        let output = tools.call(&cx, &mut Args::from(json!({ "x": x }))).await.unwrap();
        assert_eq!(output.to_text(), "10");
    }
    let ran = log.take().iter().filter(|line| line.starts_with("run")).count();
    assert_eq!(ran, 1);
}

#[tokio::test]
async fn h7_wrong_arguments_are_refused_before_the_typed_hook() {
    let log = Log::default();
    let tools = ToolCaller::<Clerk>::with_state(log.clone());
    for tool in ["hooked", "guarded", "approved", "cached", "answered"] {
        let cx = tools.context(tool).unwrap();
        let exit = tools.call(&cx, &mut Args::from(r#"{"x": "many", "y": 1}"#)).await.unwrap_err();
        assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{tool}: {exit}");
        assert_eq!(log.take().len(), 1, "{tool}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
struct Report {
    title: String,
    pages: u128,
}

/// A number of the program's own beside the result.
#[derive(Debug, PartialEq)]
struct Retained(u32);

#[tool_hook]
async fn adds_meta(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.insert_meta(Retained(7));
    Ok(output)
}

/// Gives a value of each kind.
macro_rules! gives {
    ($($tool:ident, $hook:ident, $agent:ident: $returned:ty = $value:expr, $same:expr;)*) => {
        $(
            /// Gives a value.
            #[tool(hooks = [adds_meta])]
            fn $tool() -> $returned {
                $value
            }

            #[tool_hook(tool = $tool)]
            async fn $hook(args: ArgsOf<$tool>, next: impl TypedNext<$tool>) -> ToolResult<$returned> {
                let returned = next.run(args).await?;
                let is_same: fn(&$returned) -> bool = $same;
                assert!(is_same(&returned));
                Ok(returned)
            }

            agent! {
                $agent {
                    instruction: "Give.",
                    function_tools: [$tool],
                    tool_hooks: [$hook],
                }
            }
        )*

        #[tokio::test]
        async fn h7_every_kind_of_result_is_read_again_and_handed_on_as_it_was() {
            $({
                let tools = ToolCaller::<$agent>::new();
                let cx = tools.context(<$tool as Tool>::NAME).unwrap();
                let output = tools.call(&cx, &mut Args::default()).await.unwrap();
                let plain = <$tool as Default>::default();
                let (cx, mut args) = (ToolContext::detached(<$tool as Tool>::NAME), Args::default());
                let direct = Tool::run(&plain, &cx, &mut args).await.unwrap();
                assert_eq!(output.content(), direct.content());
                assert_eq!(output.structured_content(), direct.structured_content());
                assert_eq!(output.meta::<Retained>(), Some(&Retained(7)), stringify!($tool));
            })*
        }
    };
}

gives! {
    g_text, t_text, GText: String = "5".into(), |text| text == "5";
    g_boxed, t_boxed, GBoxed: Box<str> = "null".into(), |text| &**text == "null";
    g_nothing, t_nothing, GNothing: () = (), |()| true;
    g_some, t_some, GSome: Option<String> = Some("null".into()), |text| text.as_deref() == Some("null");
    g_none, t_none, GNone: Option<String> = None, Option::is_none;
    g_number, t_number, GNumber: u128 = u128::MAX, |number| *number == u128::MAX;
    g_fraction, t_fraction, GFraction: f64 = 0.1, |number| (*number - 0.1).abs() < f64::EPSILON;
    g_list, t_list, GList: Vec<(i64, String)> = vec![(1, "a".into())], |list| list.len() == 1;
    g_map, t_map, GMap: HashMap<String, u8> = HashMap::from([("a".into(), 1)]), |map| map["a"] == 1;
    g_report, t_report, GReport: Report = Report { title: "t".into(), pages: u128::MAX },
        |report| report.pages == u128::MAX;
    g_result, t_result, GResult: Result<Report, String> = Ok(Report { title: "t".into(), pages: 1 }),
        |report| report.as_ref().unwrap().pages == 1;
    g_exit, t_exit, GExit: ToolResult<bool> = Ok(true), |yes| matches!(yes, Ok(true));
    g_value, t_value, GValue: serde_json::Value = json!({ "result": 5 }), |value| value["result"] == 5;
    g_output, t_output, GOutput: ToolOutput = ToolOutput::text("all"), |output| output.meta::<Retained>().is_some();
    g_blocks, t_blocks, GBlocks: Vec<ContentBlock> = vec![ContentBlock::text("a"), ContentBlock::text("b")],
        |blocks| blocks.len() == 2;
    g_image, t_image, GImage: Image = Image(Media::new("aGk=", "image/png")), |image| image.0.data() == "aGk=";
}

/// Looks in a book.
#[tool(hooks = [answers_in_words])]
fn pages(of: &str) -> Result<u32, String> {
    Err(format!("`{of}` is not there"))
}

/// Answers with another type than its function.
#[tool_hook]
async fn answers_in_words(args: &mut Args, next: impl Next) -> ToolResult {
    match &*args["of"].to_string() {
        r#""words""# => Ok(ToolOutput::text("a great many")),
        r#""stop""# => Err(Exit::stop("stopped")),
        r#""abort""# => Err(Exit::abort("aborted")),
        r#""panic""# => panic!("oh"),
        _ => next.run(args).await,
    }
}

#[tool_hook(tool = pages)]
async fn passes(
    log: State<Log>,
    args: ArgsOf<pages>,
    next: impl TypedNext<pages>,
) -> ToolResult<Result<u32, String>> {
    let result = next.run(args).await;
    log.push(match &result {
        Ok(returned) => format!("{returned:?}"),
        Err(exit) => exit.to_string(),
    });
    result
}

/// Passes through a second one.
#[tool_hook(tool = pages)]
async fn passes_too(args: ArgsOf<pages>, next: impl TypedNext<pages>) -> ToolResult<OutputOf<pages>> {
    next.run(args).await
}

#[tool_hook(tool = pages)]
async fn else_nought(args: ArgsOf<pages>, next: impl TypedNext<pages>) -> ToolResult<Result<u32, String>> {
    Ok(next.run(args).await.unwrap_or(Ok(0)))
}

agent! {
    Reader {
        instruction: "Read.",
        state: Log,
        function_tools: [pages],
        tool_hooks: [passes_too, passes],
    }
    Firm {
        instruction: "Read.",
        function_tools: [pages],
        tool_hooks: [else_nought],
    }
}

#[tokio::test]
async fn h7_errors_stops_aborts_and_answers_of_another_type_pass_a_typed_hook_as_exits() {
    let log = Log::default();
    for (of, seen, told) in [
        ("ink", "`ink` is not there", Err("`ink` is not there")),
        (
            "words",
            "the answer of `pages` cannot be read as its function's type: \
             invalid type: string \"a great many\", expected u32",
            Ok("a great many"),
        ),
        ("stop", "stopped with: stopped", Err("stopped with: stopped")),
        ("abort", "aborted: aborted", Err("aborted: aborted")),
    ] {
        let tools = ToolCaller::<Reader>::with_state(log.clone());
        let cx = tools.context("pages").unwrap();
        let result = tools.call(&cx, &mut Args::from(json!({ "of": of }))).await;
        let result = result.map(|output| output.to_text().into_owned()).map_err(|exit| exit.to_string());
        assert_eq!(result.as_deref().map_err(|text| &**text), told, "{of}");
        assert_eq!(log.take(), [seen], "{of}");
    }
    // A panic of one of the tool's own hooks is an abort.
    let tools = ToolCaller::<Reader>::with_state(log.clone());
    let cx = tools.context("pages").unwrap();
    let exit = tools.call(&cx, &mut Args::from(json!({ "of": "panic" }))).await.unwrap_err();
    assert!(exit.is_abort() && exit.to_string().contains("a hook around `pages` panicked"), "{exit}");
}

#[tokio::test]
async fn h7_a_typed_hook_may_answer_in_place_of_what_it_could_not_read() {
    for (of, told) in [("words", "0"), ("ink", "0")] {
        let tools = ToolCaller::<Firm>::new();
        let cx = tools.context("pages").unwrap();
        let output = tools.call(&cx, &mut Args::from(json!({ "of": of }))).await.unwrap();
        assert_eq!(
            (&*output.to_text(), output.structured_content().unwrap()["result"].clone()),
            (told, json!(0))
        );
    }
    // An abort is not undone by that.
    let tools = ToolCaller::<Firm>::new();
    let cx = tools.context("pages").unwrap();
    let exit = tools.call(&cx, &mut Args::from(json!({ "of": "abort" }))).await.unwrap_err();
    assert!(exit.is_abort(), "{exit}");
}

#[derive(Clone, Default)]
struct Desk {
    log: Log,
    owner: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
struct Line {
    words: BTreeMap<String, u64>,
    #[serde(default, rename = "wide")]
    width: Option<f32>,
}

#[tool_hook]
async fn notes_args(log: State<Desk>, args: &mut Args, next: impl Next) -> ToolResult {
    log.log.push(format!("own hook {}", args.text()));
    next.run(args).await
}

/// Takes parameters of every source and form.
#[tool(hooks = [notes_args], cache, blocking, state = Desk)]
#[expect(clippy::too_many_arguments, reason = "one of each form")]
fn forms<'a>(
    text: &'a str,
    list: &[u8],
    one: &Line,
    lines: Vec<Line>,
    path: Option<&std::path::Path>,
    #[arg(rename = "from", default = 3)] start: u8,
    #[arg(skip)] skipped: bool,
    #[bind(owner)] owner: &str,
    #[bind("key", default = Secret::new("s3cret".to_owned()))] key: Secret<String>,
    cx: &ToolContext,
    desk: State<Desk>,
) -> String {
    desk.log.push(format!("run for {owner} in {}, key of {}", cx.tool_name(), key.expose().len()));
    format!("{text} {list:?} {one:?} {} {path:?} {start} {skipped}", lines.len())
}

#[tool_hook(tool = forms)]
async fn doubles(mut args: ArgsOf<forms>, next: impl TypedNext<forms>) -> ToolResult<String> {
    args.lines.push(args.one.clone());
    args.text.push_str(" \"quoted\"");
    // A second run with the same arguments is a run as any other.
    let again = ArgsOf::<forms> {
        text: args.text.clone(),
        list: args.list.clone(),
        one: args.one.clone(),
        lines: args.lines.clone(),
        path: args.path.clone(),
        start: args.start,
    };
    next.run(again).await?;
    Ok(format!("{}!", next.run(args).await?))
}

agent! {
    Former {
        instruction: "Form.",
        state: Desk,
        function_tools: [forms],
        tool_hooks: [doubles],
    }
}

#[tokio::test]
async fn h7_parameters_of_every_form_and_source_pass_through_a_tools_own_layers() {
    let desk = Desk { owner: "Ada".into(), ..Desk::default() };
    let tools = ToolCaller::<Former>::with_state(desk.clone());
    let cx = tools.context("forms").unwrap();
    let mut args = Args::from(
        r#"{"text":"t","list":[1,2],"one":{"words":{"a":18446744073709551615}},"lines":[],"path":"/p"}"#,
    );
    let output = tools.call(&cx, &mut args).await.unwrap();
    let line = r#"Line { words: {"a": 18446744073709551615}, width: None }"#;
    assert_eq!(output.to_text(), format!(r#"t "quoted" [1, 2] {line} 1 Some("/p") 3 false!"#));
    let own = r#"own hook {"text":"t \"quoted\"","list":[1,2],"one":{"words":{"a":18446744073709551615}},"lines":[{"words":{"a":18446744073709551615},"wide":null}],"path":"/p"}"#;
    let ran = "run for Ada in forms, key of 6";
    assert_eq!(desk.log.take(), [own, ran, own, ran]);
}

/// Fails once.
#[tool(hooks = [own_hook])]
fn original(x: i64, log: State<Log>) -> i64 {
    log.push(format!("run {x}"));
    x
}

#[tool_hook(tool = original)]
async fn asks_the_original(
    cx: &ToolContext,
    args: ArgsOf<original>,
    next: impl TypedNext<original>,
) -> ToolResult<i64> {
    let mut own = Args::from(json!({ "x": args.x + 1 }));
    let more = cx.call_original(&mut own).await?;
    assert_eq!(more.to_text(), (args.x + 1).to_string());
    next.run(args).await
}

agent! {
    Asker {
        instruction: "Ask.",
        state: Log,
        function_tools: [original],
        tool_hooks: [asks_the_original],
    }
}

#[tokio::test]
async fn h3_the_original_called_from_a_typed_hook_is_past_a_tools_own_hooks() {
    let log = Log::default();
    let tools = ToolCaller::<Asker>::with_state(log.clone());
    let cx = tools.context("original").unwrap();
    let output = tools.call(&cx, &mut Args::from(json!({ "x": 1 }))).await.unwrap();
    assert_eq!(output.to_text(), "1");
    assert_eq!(
        log.take(),
        ["run 2", r#"own hook {"x": 1}"#, "run 1", "/own hook"].map(|line| line.replace(": 1", ":1"))
    );
}
