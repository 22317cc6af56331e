//! S1, S2: what a tool is as a value, and what it can be made of.

use std::sync::Arc;

use onionskin::definition::ToolSource;
use onionskin::{
    Args, DynTool, ErrorKind, ScriptedModel, ScriptedTurn, State, Tool, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, agent, call, tool,
};
use serde_json::{Value, json};

/// Searches the database for matching records.
///
/// # Arguments
/// * `query` - The search query string
/// * `limit` - Maximum number of results to return
///
/// # Returns
/// Search results with matched records
#[tool]
fn search_database(query: &str, #[arg(default = 10)] limit: u32) -> Value {
    // A comment of the author's.
    json!({ "results": [query], "limit": limit })
}

mod nested {
    /// Adds one.
    #[onionskin::tool(timeout = "2s")]
    pub async fn add_one(
        /// The number.
        x: i64,
    ) -> i64 {
        let text = "
        not moved";
        x + i64::from(text.len() > 100) + 1
    }
}

#[test]
fn s1_a_macro_tool_is_a_value() {
    let spec = search_database::spec();
    assert_eq!(spec.name(), "search_database");
    assert_eq!(spec.description(), "Searches the database for matching records.");
    assert_eq!(spec.input_schema()["required"], json!(["query"]));
    assert_eq!(spec.source(), ToolSource::Function);
    assert_eq!(spec.output_schema(), Tool::definition(&search_database::default()).output_schema.as_deref());
    let params = spec.params();
    let limit = params.iter().find(|param| param.name == "limit").unwrap();
    assert_eq!((limit.required, &limit.default), (false, &Some(json!(10))));
    assert_eq!(limit.description, "Maximum number of results to return");
    assert_eq!(limit.schema["type"], "integer");
    assert!(params.iter().any(|param| param.name == "query" && param.required));
}

/// Looks for animals.
#[tool]
fn find(zebra: String, apple: Option<i64>, mango: i64) -> String {
    format!("{zebra} {apple:?} {mango}")
}

/// With and without the feature `preserve_order`.
#[test]
fn s1_what_describes_a_function_has_its_order() {
    let spec = find::spec();
    let params: Vec<_> = spec.params().into_iter().map(|param| param.name).collect();
    assert_eq!(params, ["zebra", "apple", "mango"]);
    assert_eq!(spec.input_schema()["required"], json!(["zebra", "mango"]));
    assert_eq!(spec.signature(), "find(zebra, apple=null, mango)");
    let names: Vec<_> = spec
        .docstring()
        .lines()
        .filter_map(|line| Some(line.trim().split_once(" (")?.0.to_owned()))
        .collect();
    assert_eq!(names, ["zebra", "apple", "mango"]);
}

#[test]
fn s1_code_is_the_function_as_it_was_written() {
    let code = search_database::spec().code();
    assert!(
        code.starts_with("/// Searches the database for matching records.\n///\n/// # Arguments"),
        "{code}"
    );
    assert!(
        code.contains("fn search_database(query: &str, #[arg(default = 10)] limit: u32) -> Value {\n"),
        "{code}"
    );
    assert!(code.contains("\n    // A comment of the author's.\n"), "{code}");
    assert!(code.ends_with("json!({ \"results\": [query], \"limit\": limit })\n}"), "{code}");
    // Moving the lines would change the string, so they stay where they are.
    let code = nested::add_one::spec().code();
    assert!(code.contains("    pub async fn add_one(\n        /// The number."), "{code}");
    assert!(code.contains("\"\n        not moved\""), "{code}");
}

macro_rules! made {
    ($name:ident, $answer:expr) => {
        /// Made by a macro.
        #[tool]
        fn $name() -> i32 {
            $answer
        }
    };
}

made!(made_tool, 40 + 2);

#[test]
fn s1_code_of_a_function_of_another_macro_is_what_it_became() {
    let code = made_tool::spec().code();
    assert!(!code.contains('$'), "{code}");
    assert!(code.contains("fn made_tool") && code.contains("40 + 2"), "{code}");
}

/// A tool that was written by hand.
struct Echo(ToolDefinition);

tool_by_hand! {
    Echo "echo", self.0;

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }
}

fn echo() -> Echo {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to say.\nAll of it."},
            "times": {"type": ["integer", "null"]},
            "to": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "how-loud": {"type": "number"},
        },
        "required": ["text"],
    });
    Echo(ToolDefinition::new("echo", "Gives back.\n\nJust that.").with_input_schema(schema))
}

#[tokio::test]
async fn s2_any_tool_is_a_value() {
    let specs: [ToolSpec; 3] =
        [ToolSpec::new(echo()), echo().into(), ToolSpec::from(Arc::new(echo()) as Arc<dyn DynTool>)];
    for spec in specs {
        assert_eq!(call!(spec, text = "a").await.unwrap(), r#"{"text":"a"}"#);
    }
}

#[test]
fn s1_a_tool_without_source_shows_a_stub() {
    let expected = "/// Gives back.\n///\n/// Just that.\n///\n/// # Arguments\n/// * `text` - What to say.\n///   All of it.\n\
                    async fn echo(how_loud: Option<f64>, text: String, times: Option<i64>, to: Option<Vec<String>>) -> \
                    ToolOutput;";
    let code = ToolSpec::new(echo()).code();
    // A dependency may keep the order of keys, or sort them.
    let sorted = |code: &str| {
        let mut words: Vec<String> = code.split([' ', '(', ')', ',']).map(str::to_owned).collect();
        words.sort();
        words
    };
    assert_eq!(sorted(&code), sorted(expected), "{code}");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(clippy::struct_field_names, reason = "as in the seed")]
struct Query {
    /// What to look for.
    query: String,
    #[serde(default)]
    #[schemars(range(max = 50))]
    limit: u32,
    filter: Option<Filter>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Filter {
    year: u16,
}

fn search() -> ToolSpec {
    ToolSpec::from_fn("search", "Searches.", |args: Query, cx| async move {
        if args.query == "fail" {
            let number: i64 = "x".parse()?;
            return Ok(number.to_string());
        }
        let year = args.filter.map(|filter| filter.year);
        Ok(format!("{} {} {} {year:?}", cx.tool_name(), args.query, args.limit))
    })
}

#[tokio::test]
async fn s2_a_closure_is_a_tool() {
    let spec = search();
    assert_eq!(spec.input_schema()["properties"]["query"]["description"], "What to look for.");
    assert_eq!(spec.input_schema()["additionalProperties"], false);
    assert_eq!(spec.input_schema()["required"], json!(["query"]));
    assert_eq!(spec.output_schema().unwrap()["properties"]["result"]["type"], "string");
    assert_eq!(call!(spec, query = "a", limit = 3).await.unwrap(), "search a 3 None");
    let text = r#"```json
{"query": "a", "filter": "{\"year\": 2}",}
```"#;
    assert_eq!(spec.call(text).await.unwrap(), "search a 0 Some(2)", "repaired and coerced");
    assert_eq!(
        spec.call(json!({"query": "fail"})).await.unwrap_err().to_string(),
        "invalid digit found in string"
    );
}

#[tokio::test]
async fn s2_a_closure_gets_every_wrong_field_by_path() {
    let wrong = json!({"qery": "a", "limit": 51, "filter": {"year": -1}});
    let exit = search().call(wrong).await.unwrap_err();
    assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    let text = exit.to_string();
    for part in [
        "Invalid arguments for `search`",
        "`query`: missing",
        "`qery`: unknown",
        "`limit`: ",
        "`filter.year`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for text in ["[1]", "{\"query\": \"a\", \"query\": \"b\"}", "nothing"] {
        let exit = search().call(text).await.unwrap_err();
        assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{text}");
    }
}

#[tokio::test]
async fn s2_closures_take_and_give_other_things() {
    let nothing = ToolSpec::from_fn("nothing", "", |(): (), _| async { Ok(()) });
    assert_eq!(call!(nothing).await.unwrap(), "done");
    assert!(call!(nothing, x = 1).await.unwrap_err().to_string().contains("it takes none"));
    assert_eq!(nothing.output_schema(), None);
    let whole = ToolSpec::from_fn("whole", "", |map: serde_json::Map<String, Value>, _| async move {
        Ok(ToolOutput::structured(json!({ "got": map.len(), "first": map.keys().next() })))
    });
    assert_eq!(call!(whole, a = 1, r#type = 2).await.unwrap(), json!({"got": 2, "first": "a"}));
    let long = ToolSpec::from_fn("long", "", |args: std::collections::HashMap<String, i128>, _| async move {
        Ok(args.values().sum::<i128>().to_string())
    });
    let text = r#"{"n": 170141183460469231731687303715884105727}"#;
    assert_eq!(long.call(text).await.unwrap(), "170141183460469231731687303715884105727");
}

#[test]
#[should_panic(expected = "the arguments of the tool `bad` must be a struct with named fields")]
fn s2_a_closure_of_a_scalar_is_refused() {
    let _ = ToolSpec::from_fn("bad", "", |_: i64, _| async { Ok(1) });
}

#[derive(Clone, Default)]
struct Counter(u32);

/// Counts.
#[tool]
fn count(state: State<Counter>) -> u32 {
    state.update(|counter| {
        counter.0 += 1;
        counter.0
    })
}

#[tokio::test]
async fn s4_clones_have_their_own_state_of_both_kinds() {
    let spec = count::spec().with_state(Counter(5));
    assert_eq!(call!(spec).await.unwrap(), 6);
    let clone = spec.clone();
    assert_eq!(call!(clone).await.unwrap(), 7);
    assert_eq!(call!(clone).await.unwrap(), 8);
    assert_eq!(call!(spec).await.unwrap(), 7);
    assert_eq!(clone.typed_state::<Counter>().unwrap().0, 8);
    assert!(clone.typed_state::<u8>().is_none());
    let lost = call!(count::spec()).await.unwrap_err().to_string();
    assert!(lost.contains("Counter"), "{lost}");
}

agent! {
    Clerk { instruction: "Work.", function_tools: [count], state: Counter }
}

#[tokio::test]
async fn h4_an_agent_takes_values_as_tools() {
    let mut bound = search();
    bound.bind("limit", "most", json!(7)).unwrap();
    let state = bound.state().clone();
    let turns = [
        ScriptedTurn::call("search", json!({"query": "a"})),
        ScriptedTurn::call("search", json!({"query": "b", "limit": 1})),
        ScriptedTurn::say("done"),
    ];
    let script = Arc::new(ScriptedModel::turns(turns));
    let handle =
        Clerk::builder().model(Arc::clone(&script)).state(Counter(0)).tool(bound).build().await.unwrap();
    state.set("most", 8);
    let output = handle.run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), "search a 8 None");
    assert_eq!(output.tool_calls[0].source, Some(ToolSource::Function));
    assert!(
        output.tool_calls[1].to_text().contains("`limit`: unknown argument"),
        "{:?}",
        output.tool_calls[1]
    );
    let tools = &script.requests()[0].tools;
    let told = tools.iter().find(|tool| &*tool.name == "search").unwrap();
    assert!(told.input_schema["properties"].get("limit").is_none());
    let clash =
        Clerk::builder().model(ScriptedModel::new()).state(Counter(0)).tool(count::spec()).build().await;
    assert!(clash.unwrap_err().to_string().contains("two tools of the agent"));
}

#[tokio::test]
async fn t4_a_value_has_the_options_of_a_tool() {
    let mut spec = ToolSpec::from_fn("slow", "Slow.", |(): (), _| async {
        tokio::time::sleep(std::time::Duration::from_mins(1)).await;
        Ok(())
    });
    spec.options(|options| {
        options.timeout = Some(std::time::Duration::from_millis(20));
        options.title = Some("Slow one".into());
        options.name = "ignored".into();
        options.input_schema = Arc::new(json!({}));
    });
    assert_eq!(spec.definition().title.as_deref(), Some("Slow one"));
    assert_eq!((spec.name(), &spec.input_schema()["type"]), ("slow", &json!("object")));
    let exit = call!(spec).await.unwrap_err();
    assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Timeout);
}
