//! S1, S2, S3, S6: the parameters of every kind of tool are in the order in which they were declared, wherever they are shown.

use onionskin::export::ExportOptions;
use onionskin::mcp::McpToolSpec as _;
use onionskin::spec::Transform;
use onionskin::{
    AgentTool, Args, ScriptedModel, ScriptedTurn, Secret, SessionState, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, agent, tool, toolbox,
};
#[cfg(feature = "mcp")]
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// No alphabet has this order, nor the other way round.
const NAMES: [&str; 4] = ["zebra", "apple", "mango", "banana"];
const REQUIRED: [&str; 2] = ["zebra", "mango"];

/// A position whose second field is first in the alphabet.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Spot {
    y: i64,
    x: i64,
}

/// Looks for animals.
#[tool]
fn find(
    /// Which.
    zebra: String,
    /// How many.
    apple: Option<i64>,
    /// Where.
    mango: Spot,
    /// With what.
    #[arg(default = "rope")]
    banana: String,
) -> Spot {
    drop((zebra, apple, banana));
    mango
}

/// Looks for animals.
#[tool(name = "find")]
fn find_by_other_names(first: String, apple: Option<i64>, third: Spot, banana: Option<String>) -> Spot {
    drop((first, apple, banana));
    third
}

/// Looks for animals.
#[tool(name = "find")]
fn find_with_more(
    aardvark: i64,
    zebra: String,
    apple: Option<i64>,
    mango: Spot,
    banana: Option<String>,
) -> Spot {
    drop((aardvark, zebra, apple, banana));
    mango
}

pub struct Zoo;

#[toolbox]
impl Zoo {
    /// Looks for animals.
    #[tool]
    fn find(&self, zebra: String, apple: Option<i64>, mango: Spot, banana: Option<String>) -> Spot {
        drop((zebra, apple, banana));
        mango
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    zebra: String,
    apple: Option<i64>,
    mango: Spot,
    banana: Option<String>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Middle {
    apple: Option<i64>,
    mango: Spot,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Flattened {
    zebra: String,
    #[serde(flatten)]
    middle: Middle,
    banana: Option<String>,
}

/// The tool as a server lists it. Its schema names what is required in another order.
const LISTED: &str = r#"{
    "name": "find",
    "description": "Looks for animals.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "zebra": {"type": "string"},
            "apple": {"type": "integer"},
            "mango": {
                "type": "object", "properties": {"y": {"type": "integer"}, "x": {"type": "integer"}}, "required": ["y", "x"],
                "additionalProperties": false
            },
            "banana": {"type": "string"}
        },
        "required": ["zebra", "mango"],
        "additionalProperties": false
    },
    "outputSchema": {
        "type": "object", "properties": {"y": {"type": "integer"}, "x": {"type": "integer"}}, "required": ["y", "x"],
        "additionalProperties": false
    }
}"#;

struct ByHand;

tool_by_hand! {
    ByHand "find", {
    let listed: Value = serde_json::from_str(LISTED).unwrap();
    ToolDefinition::new(ByHand::NAME, "Looks for animals.")
        .with_input_schema(listed["inputSchema"].clone())
        .with_output_schema(listed["outputSchema"].clone())
};

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::structured(args["mango"].clone()))
    }
}

agent! { Keeper { instruction: "Look." } }

async fn child() -> ToolSpec {
    let keeper =
        Keeper::builder().model(ScriptedModel::turns([ScriptedTurn::say("{input}")])).build().await.unwrap();
    AgentTool::new(&keeper).name("find").description("Looks for animals.").typed::<Search>().spec()
}

#[cfg(feature = "rhai")]
fn script() -> ToolSpec {
    // Its docs have another order than the function.
    let code = "/// Looks for animals.\n///\n/// # Arguments\n/// * `apple: int?` - How many\n/// * `banana: string?` - With what\n\
        /// * `mango: map` - Where\n/// * `zebra: string` - Which\n\
        fn find(zebra, apple, mango, banana) { mango }";
    onionskin::rhai::from_code(code).unwrap()
}

/// Every source of a tool of these parameters, and every way in which one comes to look like it.
async fn sources() -> Vec<(&'static str, ToolSpec)> {
    let closure = |args: Search, _: ToolContext| async move {
        drop((args.zebra, args.apple, args.banana));
        Ok(args.mango)
    };
    let flattened = |args: Flattened, _: ToolContext| async move {
        drop((args.zebra, args.middle.apple, args.banana));
        Ok(args.middle.mango)
    };
    let mut renamed = find_by_other_names::spec();
    let names =
        Transform::new().rename("first", "zebra").rename("third", "mango").default_value("banana", "rope");
    renamed.transform(names).unwrap();
    let mut hidden = find_with_more::spec();
    hidden.transform(Transform::new().hide("aardvark", 1)).unwrap();
    let mut bound = find_with_more::spec();
    bound.bind("aardvark", None, None).unwrap();
    let mut unbound = find::spec();
    unbound.bind("zebra", None, None).unwrap().bind("mango", None, None).unwrap();
    unbound.unbind("mango").unwrap().unbind("zebra").unwrap();
    let mut sources = vec![
        ("function", find::spec()),
        ("method", Zoo.tools().remove("find").unwrap()),
        ("closure", ToolSpec::from_fn("find", "Looks for animals.", closure)),
        ("flattened", ToolSpec::from_fn("find", "Looks for animals.", flattened)),
        ("by hand", ToolSpec::new(ByHand)),
        ("child agent", child().await),
        ("renamed", renamed),
        ("hidden", hidden),
        ("bound", bound),
        ("unbound", unbound),
    ];
    #[cfg(feature = "rhai")]
    sources.push(("script", script()));
    #[cfg(feature = "mcp")]
    {
        let listed: Value = serde_json::from_str(LISTED).unwrap();
        let server = onionskin::testing::FakeServer::new().tool(listed.clone(), |_| "there".into());
        let server = onionskin::mcp::McpServer::start("zoo", server.config()).await.unwrap();
        let mut live = server.tools();
        sources.push(("described by text", ToolSpec::from_mcp(LISTED).unwrap()));
        sources.push(("described by a value", ToolSpec::from_mcp(listed).unwrap()));
        sources.push(("of a server", live.remove(0)));
        let exported = find::spec().to_mcp().unwrap();
        sources.push(("exported and imported", ToolSpec::from_mcp(exported).unwrap()));
    }
    sources
}

/// The names in the order in which a text has them, each as a word of its own.
fn in_text<'n>(names: &[&'n str], text: &str) -> Vec<&'n str> {
    let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let place = |name: &str| words.iter().position(|word| *word == name);
    let mut found: Vec<_> = names.iter().filter_map(|name| Some((place(name)?, *name))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Every export, under the place of its schema.
fn exports(spec: &ToolSpec) -> Vec<(&'static str, Value, &'static str)> {
    let plain = ExportOptions::new();
    let mut exports = vec![
        ("plain", spec.to_jsonschema(&plain).unwrap(), "/parameters"),
        ("chat", spec.to_openai_chat(&plain).unwrap(), "/function/parameters"),
        ("responses", spec.to_openai_responses(&plain).unwrap(), "/parameters"),
        ("anthropic", spec.to_anthropic(&plain).unwrap(), "/input_schema"),
        ("gemini json", spec.to_gemini_json_schema(&plain).unwrap(), "/parametersJsonSchema"),
        ("mcp", spec.to_mcp_json(&plain).unwrap(), "/inputSchema"),
    ];
    #[cfg(feature = "mcp")]
    exports.push(("rmcp", serde_json::to_value(spec.to_mcp().unwrap()).unwrap(), "/inputSchema"));
    #[cfg(feature = "mcp-server")]
    {
        let route = spec.to_mcp_route::<()>().unwrap();
        exports.push(("route", serde_json::to_value(route.attr).unwrap(), "/inputSchema"));
    }
    exports
}

/// Every strict export, and the names that it requires.
fn strict_exports(spec: &ToolSpec) -> Vec<(&'static str, Value, &'static str, &'static [&'static str])> {
    let strict = ExportOptions::new().strict();
    vec![
        ("plain, strict", spec.to_jsonschema(&strict).unwrap(), "/parameters", &NAMES),
        ("chat, strict", spec.to_openai_chat(&strict).unwrap(), "/function/parameters", &NAMES),
        ("responses, strict", spec.to_openai_responses(&strict).unwrap(), "/parameters", &NAMES),
        ("anthropic, strict", spec.to_anthropic(&strict).unwrap(), "/input_schema", &REQUIRED),
        ("gemini", spec.to_gemini(&ExportOptions::new()).unwrap(), "/parameters", &REQUIRED),
    ]
}

#[tokio::test]
async fn s1_every_source_shows_its_parameters_in_their_order_everywhere() {
    for (source, spec) in sources().await {
        let schema = spec.input_schema();
        assert_eq!(keys(&schema["properties"]), NAMES, "{source}");
        assert_eq!(required(schema), REQUIRED, "{source}");
        let params: Vec<_> = spec.params().into_iter().map(|param| param.name).collect();
        assert_eq!(params, NAMES, "{source}");
        assert_eq!(in_text(&NAMES, &spec.signature()), NAMES, "{source}: {}", spec.signature());
        let mut values = NAMES.map(|name| (name, json!(1)));
        values.sort_by_key(|(name, _)| *name);
        let call = spec.signature_with(values);
        assert_eq!(in_text(&NAMES, &call), NAMES, "{source}: {call}");
        let docs = spec.docstring();
        assert_eq!(in_text(&NAMES, &docs), NAMES, "{source}: {docs}");
        let prompt = spec.to_prompt();
        let (first, rest) = prompt.split_once('\n').unwrap();
        assert_eq!(in_text(&NAMES, first), NAMES, "{source}: {prompt}");
        assert_eq!(in_text(&NAMES, rest), NAMES, "{source}: {prompt}");
        if let Some(output) = spec.output_schema().filter(|schema| schema["properties"]["x"].is_object()) {
            assert_eq!(keys(&output["properties"]), ["y", "x"], "{source}");
            assert_eq!(required(output), ["y", "x"], "{source}");
        }
    }
}

#[tokio::test]
async fn s3_every_export_of_every_source_has_the_order() {
    for (source, spec) in sources().await {
        let plain =
            exports(&spec).into_iter().map(|(form, exported, place)| (form, exported, place, &REQUIRED[..]));
        // A script's map takes keys of any name, and so has no strict form.
        let strict = if source == "script" { Vec::new() } else { strict_exports(&spec) };
        for (form, exported, place, wanted) in plain.chain(strict) {
            let schema = exported.pointer(place).unwrap();
            assert_eq!(keys(&schema["properties"]), NAMES, "{source}, {form}");
            assert_eq!(required(schema), wanted, "{source}, {form}");
            let nested = &schema["properties"]["mango"];
            if source != "script" {
                assert_eq!(keys(&nested["properties"]), ["y", "x"], "{source}, {form}: {nested}");
                assert_eq!(required(nested), ["y", "x"], "{source}, {form}: {nested}");
            }
            // And as it is sent.
            let text = serde_json::to_string(&schema["properties"]).unwrap();
            assert_eq!(in_text(&NAMES, &text), NAMES, "{source}, {form}: {text}");
        }
    }
}

/// As the calls that are written after it.
#[tokio::test]
async fn s1_a_stub_has_required_parameters_first() {
    let mut stubs = 0;
    for (source, spec) in sources().await {
        let code = spec.code();
        let Some(signature) = code.strip_suffix(';').and_then(|stub| stub.lines().last()) else { continue };
        assert_eq!(
            in_text(&NAMES, signature),
            ["zebra", "mango", "apple", "banana"],
            "{source}: {signature}"
        );
        stubs += 1;
    }
    assert!(stubs >= 4, "{stubs}");
}

#[test]
fn s6_what_is_taken_out_leaves_the_others_in_their_order() {
    let mut args = Args::from(r#"{"zebra":1,"apple":2,"mango":3,"banana":4}"#);
    args.remove("apple");
    assert_eq!(&*args.text(), r#"{"zebra":1,"mango":3,"banana":4}"#);
    let state = SessionState::default();
    for name in NAMES {
        state.set(name, 1);
    }
    state.set_secret("apple", Secret::new("seed".to_owned()));
    assert_eq!(keys(&state.to_value()), ["zebra", "mango", "banana"]);
}

#[test]
fn s4_bindings_are_reported_in_the_tools_order() {
    let mut spec = find::spec();
    for name in ["apple", "mango", "zebra"] {
        spec.bind(name, None, None).unwrap();
    }
    let bound: Vec<_> = spec.bindings().into_iter().map(|binding| binding.parameter).collect();
    assert_eq!(bound, ["zebra", "apple", "mango"]);
}

#[cfg(feature = "mcp")]
/// A schema of these properties, those with `true` required.
fn schema_of(properties: &[(String, bool)]) -> Value {
    let each = properties
        .iter()
        .map(|(name, _)| (name.clone(), json!({ "type": "string", "description": format!("The {name}.") })));
    let required: Vec<_> =
        properties.iter().filter(|(_, required)| *required).map(|(name, _)| name).collect();
    json!({ "type": "object", "properties": each.collect::<Map<_, _>>(), "required": required })
}

#[cfg(feature = "mcp")]
proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s2_an_imported_tool_keeps_the_order_of_its_schema(
        properties in prop::collection::hash_map("p[a-z]{1,8}", any::<bool>(), 1..9),
        at in any::<prop::sample::Index>(),
    ) {
        let properties: Vec<_> = properties.into_iter().collect();
        let names: Vec<_> = properties.iter().map(|(name, _)| name.as_str()).collect();
        let described = json!({ "name": "t", "description": "Does it.", "inputSchema": schema_of(&properties) });
        let mut spec = ToolSpec::from_mcp(&*described.to_string()).unwrap();
        prop_assert_eq!(keys(&spec.input_schema()["properties"]), names.clone());
        let shown = |spec: &ToolSpec| spec.params().into_iter().map(|param| param.name).collect::<Vec<_>>();
        prop_assert_eq!(shown(&spec), names.clone());
        prop_assert_eq!(in_text(&names, &spec.signature()), names.clone());
        prop_assert_eq!(in_text(&names, &spec.docstring()), names.clone());
        let (first, rest): (Vec<_>, Vec<_>) = properties.iter().partition(|(_, required)| *required);
        let by_need: Vec<_> = first.iter().chain(&rest).map(|(name, _)| name.as_str()).collect();
        let code = spec.code();
        prop_assert_eq!(in_text(&names, code.lines().last().unwrap()), by_need, "{}", code);

        let one = at.get(&names).to_owned();
        spec.bind(one, None, None).unwrap();
        let others: Vec<_> = names.iter().copied().filter(|name| *name != one).collect();
        prop_assert_eq!(shown(&spec), others);
        spec.unbind(one).unwrap();
        prop_assert_eq!(shown(&spec), names.clone());
        let change = Transform::new().rename(one, "a").describe(one, "Another.").default_value(one, "b");
        spec.transform(change).unwrap();
        let renamed: Vec<_> = names.iter().map(|name| if *name == one { "a" } else { *name }).collect();
        prop_assert_eq!(shown(&spec), renamed.clone());
        prop_assert_eq!(in_text(&renamed, &spec.signature()), renamed);
    }
}
