//! S6: every kind of tool is changed as every other.

use std::sync::LazyLock;

use onionskin::mcp::McpToolSpec as _;
use onionskin::spec::Transform;
use onionskin::{
    AgentTool, Args, Next, ScriptedModel, ScriptedTurn, Tool, ToolContext, ToolDefinition, ToolOutput,
    ToolResult, ToolSpec, agent, call, guardrail, tool, tool_hook, toolbox,
};
use serde_json::{Value, json};

/// The names of the tool itself.
fn check(args: &Args) {
    let strange =
        args.as_object().unwrap().keys().find(|name| !["text", "times", "mark"].contains(&name.as_str()));
    assert_eq!(strange, None, "{}", args.text());
}

#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    check(args);
    next.run(args).await
}

#[guardrail(input)]
fn look(args: &Args) {
    check(args);
}

/// Says it aloud.
#[tool]
fn shout(text: &str, times: usize, mark: &str) -> String {
    format!("{text}{mark}").repeat(times)
}

/// Says it aloud.
#[tool(name = "shout", hooks = [pass], input_guardrails = [look])]
async fn shout_guarded(text: String, times: usize, mark: String) -> String {
    shout(&text, times, &mark)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Shout {
    text: String,
    times: usize,
    mark: String,
}

pub struct Voice;

#[toolbox]
impl Voice {
    /// Says it aloud.
    #[tool]
    fn shout(&self, text: &str, times: usize, mark: &str) -> String {
        shout(text, times, mark)
    }
}

#[toolbox]
impl Guarded {
    /// Says it aloud.
    #[tool(name = "shout", hooks = [pass], input_guardrails = [look])]
    async fn shout_guarded(&self, text: String, times: usize, mark: String) -> String {
        shout(&text, times, &mark)
    }
}

pub struct Guarded;

/// By hand, without a check of its own.
struct ByHand;

static BY_HAND: LazyLock<ToolDefinition> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}, "times": {"type": "integer"}, "mark": {"type": "string"}},
        "required": ["text", "times", "mark"],
        "additionalProperties": false,
    });
    ToolDefinition::new(ByHand::NAME, "Says it aloud.").with_input_schema(schema)
});

impl Tool for ByHand {
    const NAME: &'static str = "shout";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &BY_HAND
    }

    async fn on_invoke(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        if args["mark"].is_null() { Err("without a mark".into()) } else { Ok(()) }
    }

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        let times = args["times"].as_u64().ok_or("no number")?;
        let (text, mark) =
            (args["text"].as_str().unwrap_or_default(), args["mark"].as_str().unwrap_or_default());
        Ok(ToolOutput::text(shout(text, usize::try_from(times)?, mark)))
    }
}

agent! { Shouter { instruction: "Shout." } }

async fn agent_tool() -> ToolSpec {
    let model = ScriptedModel::turns([ScriptedTurn::say("{input}")]);
    let shouter = Shouter::builder().model(model).build().await.unwrap();
    let tool = AgentTool::new(&shouter).name("shout");
    tool.typed_as(|said: Shout| shout(&said.text, said.times, &said.mark)).spec()
}

#[cfg(feature = "rhai")]
fn script() -> ToolSpec {
    let code = "/// Says it aloud.\n///\n/// # Arguments\n/// * `text: string` - What\n/// * `times: int` - How often\n\
        /// * `mark: string` - With what behind it\n\
        fn shout(text, times, mark) { let said = \"\"; for i in 0..times { said += text + mark; } said }";
    onionskin::rhai::from_code(code).unwrap()
}

/// Every kind of tool, and whether it checks its arguments itself.
async fn kinds() -> Vec<(&'static str, ToolSpec, bool)> {
    let closure = |args: Shout, _: ToolContext| async move { Ok(shout(&args.text, args.times, &args.mark)) };
    #[cfg_attr(not(feature = "rhai"), expect(unused_mut, reason = "only a script is added"))]
    let mut kinds = vec![
        ("function", shout::spec(), true),
        ("function with hooks", shout_guarded::spec(), true),
        ("method", Voice.tools().remove("shout").unwrap(), true),
        ("method with hooks", Guarded.tools().remove("shout").unwrap(), true),
        ("closure", ToolSpec::from_fn("shout", "Says it aloud.", closure), true),
        ("by hand", ToolSpec::new(ByHand), false),
        ("agent", agent_tool().await, true),
    ];
    #[cfg(feature = "rhai")]
    kinds.push(("script", script(), true));
    kinds
}

#[tokio::test]
async fn s6_every_kind_of_tool_is_renamed_hidden_defaulted_and_described() {
    for (kind, mut spec, checks) in kinds().await {
        let transform = Transform::new()
            .name("yell")
            .description("Yells.")
            .rename("text", "words")
            .describe("text", "What to yell.")
            .hide("mark", "!")
            .default_value("times", 2);
        spec.transform(transform).unwrap();
        assert_eq!((spec.name(), spec.description()), ("yell", "Yells."), "{kind}");
        let schema = spec.input_schema();
        assert_eq!(schema["required"], json!(["words"]), "{kind}");
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.len(), 2, "{kind}: {schema}");
        assert_eq!(properties["words"]["description"], "What to yell.", "{kind}");
        assert_eq!(properties["times"]["default"], 2, "{kind}");
        assert_eq!(call!(spec, words = "a").await.unwrap(), "a!a!", "{kind}");
        assert_eq!(call!(spec, words = "a", times = 1).await.unwrap(), "a!", "{kind}");
        let unknown = call!(spec, words = "a", mark = "?").await.unwrap_err().to_string();
        assert!(
            unknown.contains("`mark`: unknown argument") && unknown.contains("`yell`"),
            "{kind}: {unknown}"
        );
        if checks {
            let wrong = call!(spec, words = 5).await.unwrap_err().to_string();
            assert!(
                wrong.contains("`words`: expected a string") && wrong.contains("`yell`"),
                "{kind}: {wrong}"
            );
        }
        // Bound beside it, and seen by an agent under the new names.
        spec.bind("words", "said", json!("b")).unwrap();
        assert_eq!(call!(spec, times = 3).await.unwrap(), "b!b!b!", "{kind}");
        spec.unbind("words").unwrap();
        let turns = [ScriptedTurn::call("yell", json!({ "words": "c" })), ScriptedTurn::say("{last}")];
        let run = Shouter::builder().model(ScriptedModel::turns(turns)).tool(spec).run("go").await.unwrap();
        assert_eq!(run.text, "c!c!", "{kind}");
    }
}

/// A value that most schemas of the kind take.
#[cfg(feature = "mcp")]
fn some_value(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([some_value(&schema["items"])]),
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), some_value(&schema["properties"][name]))).collect()
        }
        _ => json!("text"),
    }
}

/// What a schema refers to.
#[cfg(feature = "mcp")]
fn references<'s>(schema: &'s Value, found: &mut Vec<&'s str>) {
    match schema {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[cfg(feature = "mcp")]
#[test]
fn s6_the_tools_of_every_dump_are_renamed_hidden_defaulted_and_described() {
    let (mut tools, mut hidden, mut renamed) = (0, 0, 0);
    for (place, tool) in super::mcp::dumps() {
        let mut spec = ToolSpec::from_mcp(tool.clone()).unwrap();
        let own = tool["inputSchema"]["properties"].as_object().cloned().unwrap_or_default();
        let mut transform = Transform::new().name(format!("x_{}", spec.name()));
        let mut wanted = Vec::new();
        for (at, (name, schema)) in own.iter().enumerate() {
            match at % 3 {
                0 => {
                    transform = transform.hide(name, some_value(schema));
                    hidden += 1;
                }
                1 => {
                    let new = format!("new_{name}");
                    transform = transform.rename(name, &new).describe(name, "Otherwise.");
                    renamed += 1;
                    wanted.push((new, tool["inputSchema"]["required"].as_array(), name));
                }
                _ => {
                    transform =
                        transform.default_value(name, some_value(schema)).describe(name, "Otherwise.");
                    wanted.push((name.clone(), None, name));
                }
            }
        }
        spec.transform(transform).unwrap_or_else(|error| panic!("{place}: {error}"));
        let schema = spec.input_schema();
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{place}: {schema}");
        assert_eq!(schema["properties"].as_object().map_or(0, serde_json::Map::len), wanted.len(), "{place}");
        let mut required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
        for (new, was, name) in &wanted {
            assert_eq!(schema["properties"][new]["description"], "Otherwise.", "{place}: {new}");
            let still =
                required.iter().position(|required| *required == new).map(|at| required.remove(at)).is_some();
            assert_eq!(still, was.is_some_and(|was| was.iter().any(|was| was == *name)), "{place}: {new}");
        }
        assert!(required.is_empty(), "{place}: nobody sees {required:?}");
        let mut found = Vec::new();
        references(schema, &mut found);
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap_or("not in here");
            assert!(schema.pointer(pointer).is_some(), "{place}: {reference}");
        }
        tools += 1;
    }
    assert_eq!(tools, 48);
    assert_eq!((hidden, renamed), (46, 24));
}
