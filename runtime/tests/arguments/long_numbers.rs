//! Whole numbers beyond `u64`: exact for tools, also where a hook changed the arguments, or refused.

use onionskin::run::ToolCaller;
use onionskin::{
    Args, ErrorKind, Next, ScriptedModel, ScriptedTurn, Tool, ToolContext, ToolResult, ToolSpec, agent,
    hooks, tool, tool_hook,
};
use serde_json::{Value, json};

const LONG: &str = "170141183460469231731687303715884105727";

/// Where a thing is.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    id: u128,
}

/// Tells what it got.
#[tool(effect = pure)]
fn show(x: i64, id: i128, place: Option<Place>, #[arg(range(0..), default)] positive: u128) -> String {
    format!("{x} {id} {} {positive}", place.map_or(0, |place| place.id))
}

/// Takes lists.
#[tool(effect = pure)]
fn sum(ids: Vec<u128>, more: Option<u128>) -> String {
    ids.into_iter().chain(more).sum::<u128>().to_string()
}

#[tool_hook]
async fn clamp(args: &mut Args, next: impl Next) -> ToolResult {
    if let Some(x) = args.get("x").and_then(serde_json::Value::as_i64) {
        args["x"] = x.min(10).into();
    }
    args.remove("note");
    // Another tool has these.
    let first = args.get("ids").and_then(|ids| ids.get(0)).cloned();
    if let Some(first) = first.filter(|_| args["more"] == "first") {
        args["more"] = first;
    }
    next.run(args).await
}

agent! {
    Clerk { instruction: "Tell.", function_tools: [show, sum], tool_hooks: [hooks::retry(2), clamp] }
    Plain { instruction: "Tell.", function_tools: [show, sum] }
}

async fn clerk(tool: &str, args: &str) -> ToolResult {
    let tools = ToolCaller::<Clerk>::new();
    tools.call(&tools.context(tool).unwrap(), &mut Args::from(args)).await
}

async fn call_text(tool: &str, args: &str) -> String {
    clerk(tool, args).await.unwrap().to_text().into_owned()
}

#[tokio::test]
async fn t3_a_long_number_reaches_its_parameter_as_it_was_written() {
    let tools = ToolCaller::<Plain>::new();
    let args = format!(r#"{{"x": 1, "id": -{LONG}, "place": {{"id": {LONG}}}, "positive": {LONG}}}"#);
    let output = tools.call(&tools.context("show").unwrap(), &mut Args::from(args)).await.unwrap();
    assert_eq!(output.to_text(), format!("1 -{LONG} {LONG} {LONG}"));
}

#[tokio::test]
async fn t3_a_long_number_with_an_exponent_is_read_where_its_type_holds_it() {
    let tools = ToolCaller::<Plain>::new();
    let args = r#"{"x": 1, "id": -1e20, "place": {"id": 12.5e19}, "positive": 1.0E38}"#;
    let output = tools.call(&tools.context("show").unwrap(), &mut Args::from(args)).await.unwrap();
    assert_eq!(
        output.to_text(),
        format!("1 -1{0} 125{1} 1{2}", "0".repeat(20), "0".repeat(18), "0".repeat(38))
    );
    let output = clerk("sum", r#"{"ids": [1e20, 2]}"#).await.unwrap();
    assert_eq!(output.to_text(), "100000000000000000002");
    for args in [r#"{"x": 1, "id": 1e39}"#, r#"{"x": 1e20, "id": 1}"#, r#"{"x": 1, "id": 1e400}"#] {
        let error = clerk("show", args).await.unwrap_err();
        assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{args}");
    }
}

/// How much, and how often.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Amount {
    size: f64,
    #[serde(default)]
    count: u32,
}

/// Tells how much it got.
#[tool(effect = pure)]
fn measure(amount: Amount) -> String {
    format!("{:e} {}", amount.size, amount.count)
}

#[tokio::test]
async fn t3_another_value_is_converted_beside_a_long_number_with_an_exponent() {
    for (args, measured) in [
        (r#"{"amount": {"size": 2.5e34, "count": null}}"#, "2.5e34 0"),
        (r#"{"amount": {"size": -8.571971997741006e+33, "count": "3"}}"#, "-8.571971997741006e33 3"),
        (r#"{"amount": "{\"size\": 1e20, \"count\": 2}"}"#, "1e20 2"),
    ] {
        let mut args = Args::from(args);
        let output = <measure>::default().run(&ToolContext::detached("measure"), &mut args).await;
        assert_eq!(output.unwrap().to_text(), measured);
    }
}

#[tokio::test]
async fn h1_a_hook_that_changes_another_argument_leaves_a_long_number_its_digits() {
    let args =
        format!(r#"{{"x": 41, "id": -{LONG}, "place": {{"id": {LONG}}}, "note": 1, "positive": {LONG}}}"#);
    assert_eq!(call_text("show", &args).await, format!("10 -{LONG} {LONG} {LONG}"));
    assert_eq!(
        call_text("show", r#"{"x": 41, "id": 18446744073709551617}"#).await,
        "10 18446744073709551617 0 0"
    );
    // Also where the hook moves it.
    let args = r#"{"ids": [18446744073709551617, 2], "more": "first"}"#;
    assert_eq!(call_text("sum", args).await, "36893488147419103236");
}

#[tokio::test]
async fn h1_long_numbers_that_look_the_same_to_a_hook_are_refused() {
    let args = r#"{"ids": [18446744073709551617, 18446744073709551618], "note": ""}"#;
    let error = clerk("sum", args).await.unwrap_err();
    assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    let text = error.to_string();
    assert!(
        text.starts_with("Invalid arguments for `sum`; it did not run:\n- the arguments cannot be used:"),
        "{text}"
    );
    assert!(text.contains("it cannot tell 18446744073709551617 from 18446744073709551618"), "{text}");
    // These are unchanged.
    let args = r#"{"ids": [18446744073709551617, 18446744073709551618]}"#;
    let tools = ToolCaller::<Plain>::new();
    let output = tools.call(&tools.context("sum").unwrap(), &mut Args::from(args)).await.unwrap();
    assert_eq!(output.to_text(), "36893488147419103235");
}

#[tokio::test]
async fn t11_a_number_that_does_not_fit_is_refused_however_long_it_is() {
    for number in ["18446744073709551616", "1e30", "-9223372036854775809"] {
        let error = clerk("show", &format!(r#"{{"x": {number}, "id": 1}}"#)).await.unwrap_err();
        assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{number}");
        assert!(error.to_string().contains("- `x`: "), "{error}");
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Ledger {
    id: u128,
    low: i128,
    entries: Vec<u128>,
    more: Option<u128>,
    small: u128,
}

fn ledger() -> Ledger {
    Ledger {
        id: u128::MAX,
        low: i128::MIN,
        entries: vec![1 << 64, 1, u128::MAX - 1],
        more: Some(1 << 100),
        small: 7,
    }
}

/// Gives one number.
#[tool]
fn one(negative: bool) -> i128 {
    if negative { i128::MIN } else { i128::from(u64::MAX) }
}

/// Gives the largest number.
#[tool]
fn most() -> u128 {
    u128::MAX
}

/// Gives several numbers.
#[tool]
fn several() -> Vec<u128> {
    ledger().entries
}

/// Gives all of them.
#[tool]
fn book() -> Ledger {
    ledger()
}

#[tool_hook]
async fn mark(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(" [seen]");
    Ok(output)
}

/// Gives all of them, and a hook adds words.
#[tool(hooks = [mark])]
fn marked() -> Ledger {
    ledger()
}

/// Both forms of a result, and whether the second one is what the tool's schema says.
async fn forms(spec: &ToolSpec) -> (String, Value) {
    let execution = spec.exec(json!({ "negative": true })).await;
    let execution = if execution.is_error() { spec.exec(json!({})).await } else { execution };
    let structured = execution.structured_content().unwrap().into_owned();
    let validator = jsonschema::draft202012::new(spec.output_schema().unwrap()).unwrap();
    assert!(validator.is_valid(&structured), "{structured} is not {}", spec.output_schema().unwrap());
    (execution.output().unwrap().to_text().into_owned(), structured)
}

#[tokio::test]
async fn t6_a_long_number_of_a_result_is_exact_in_both_forms() {
    let (text, structured) = forms(&most::spec()).await;
    assert_eq!((&*text, structured), (&*u128::MAX.to_string(), json!({ "result": u128::MAX.to_string() })));
    let (text, structured) = forms(&one::spec()).await;
    assert_eq!((&*text, structured), (&*i128::MIN.to_string(), json!({ "result": i128::MIN.to_string() })));
    let (text, structured) = forms(&several::spec()).await;
    assert_eq!(text, format!("[{},1,{}]", 1_u128 << 64, u128::MAX - 1));
    // A number that a value holds stays one.
    assert_eq!(structured, json!({ "result": ["18446744073709551616", 1, (u128::MAX - 1).to_string()] }));
    let all = json!({
        "id": u128::MAX.to_string(), "low": i128::MIN.to_string(), "more": (1_u128 << 100).to_string(), "small": 7,
        "entries": ["18446744073709551616", 1, (u128::MAX - 1).to_string()],
    });
    for spec in [
        book::spec(),
        marked::spec(),
        ToolSpec::from_fn("book", "Gives all.", |(): (), _| async { Ok(ledger()) }),
    ] {
        let (text, structured) = forms(&spec).await;
        assert!(text.contains(&format!("\"id\":{}", u128::MAX)), "{text}");
        assert_eq!(structured, all);
        assert_eq!(spec.call(json!({})).await.unwrap(), all);
    }
}

#[tokio::test]
async fn t6_a_long_number_of_a_result_is_read_back_as_it_was() {
    assert_eq!(most::spec().call_as::<u128>(json!({})).await.unwrap(), u128::MAX);
    assert_eq!(one::spec().call_as::<i128>(json!({ "negative": true })).await.unwrap(), i128::MIN);
    assert_eq!(
        one::spec().call_as::<i128>(json!({ "negative": false })).await.unwrap(),
        i128::from(u64::MAX)
    );
    assert_eq!(several::spec().call_as::<Vec<u128>>(json!({})).await.unwrap(), ledger().entries);
    assert_eq!(book::spec().call_as::<Ledger>(json!({})).await.unwrap(), ledger());
    // Also where a hook changed the text.
    assert_eq!(marked::spec().call_as::<Ledger>(json!({})).await.unwrap(), ledger());
}

agent! {
    Keeper { instruction: "Tell.", function_tools: [book, marked] }
}

#[tokio::test]
async fn t6_a_run_reports_a_long_number_exactly() {
    for tool in ["book", "marked"] {
        let turns = [ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")];
        let run = Keeper::builder().model(ScriptedModel::turns(turns)).run("go").await.unwrap();
        assert!(run.text.contains(&u128::MAX.to_string()), "{}", run.text);
        let structured = run.tool_calls[0].structured_content().unwrap();
        assert_eq!(structured["id"], u128::MAX.to_string(), "{tool}");
        assert_eq!(structured["small"], 7, "{tool}");
    }
}

#[test]
fn t6_the_schema_of_a_result_says_that_a_long_number_is_text() {
    let schema = book::spec().output_schema().unwrap().clone();
    assert_eq!(schema["properties"]["id"]["type"], json!(["integer", "string"]));
    assert_eq!(schema["properties"]["low"]["type"], json!(["integer", "string"]));
    assert_eq!(schema["properties"]["entries"]["items"]["type"], json!(["integer", "string"]));
    assert_eq!(schema["properties"]["more"]["type"], json!(["integer", "null", "string"]));
    // What a model gives is a number.
    assert_eq!(show::spec().input_schema()["properties"]["id"]["type"], "integer");
}

type Numbers = std::collections::BTreeMap<String, (i128, String)>;

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn t6_every_long_number_is_exact_beside_any_text(number in proptest::prelude::any::<i128>(), text in ".{0,12}") {
        let (key, given) = (text.clone(), (number, text));
        let spec = ToolSpec::from_fn("show", "Tells.", move |(): (), _| {
            let given = given.clone();
            async move { Ok(Numbers::from([(given.1.clone(), given)])) }
        });
        let back: Numbers = spec.call_as_blocking(json!({})).unwrap();
        proptest::prop_assert_eq!(&back[&key], &(number, key.clone()));
        let structured = spec.exec_blocking(json!({})).structured_content().unwrap()[&key][0].clone();
        let wanted = i64::try_from(number).map(Value::from).or_else(|_| u64::try_from(number).map(Value::from));
        proptest::prop_assert_eq!(structured, wanted.unwrap_or_else(|_| number.to_string().into()));
    }
}
