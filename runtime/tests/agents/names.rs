//! A2, L1: names that providers refuse, or that differ, are errors of the build that name the tool.

use onionskin::declaration::AgentDeclaration;
use onionskin::definition::NameProblem;
use onionskin::export::{self, ExportError, ExportOptions, Form};
use onionskin::servers::ServerKind;
use onionskin::{
    Agent, AgentTool, Args, BuildError, DynTool, ScriptedModel, ScriptedTurn, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, agent, toolbox,
};

macro_rules! by_hand {
    ($name:ident, $own:literal, $defined:expr) => {
        #[derive(Default)]
        struct $name;

        tool_by_hand! {
            $name $own, ToolDefinition::new($defined, "Does.");

            async fn run(&self, _: &ToolContext, _: &mut Args) -> ToolResult {
                Ok(ToolOutput::text("done"))
            }
        }
    };
}

by_hand!(BadName, "bad name!", "bad name!");
by_hand!(TwoNames, "one", "two");
by_hand!(Dotted, "files.read", "files.read");

struct Kb;

#[toolbox]
impl Kb {
    /// Finds.
    #[tool(name = "finds_everything_that_there_is_in_the_whole_of_the_archive")]
    fn find(&self) -> String {
        String::new()
    }
}

agent! {
    Empty { name: "empty", instruction: "Go." }
    WithBad { instruction: "Go.", function_tools: [BadName] }
    WithTwo { instruction: "Go.", function_tools: [TwoNames] }
    WithDotted { instruction: "Go.", function_tools: [Dotted] }
    WithPrefix { instruction: "Go.", toolboxes: [archive_long: Kb] }
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("done")])
}

#[tokio::test]
async fn a2_names_that_providers_refuse_are_errors_of_the_build() {
    let agent = || Empty::builder().model(model());
    let value = |name: &str| ToolSpec::from_fn(name, "Does.", |(): (), _| async { Ok(1) });
    let child = agent().build().await.unwrap();
    let asks = AgentTool::new(&child).name("bad name !").description("Asks.").spec();
    let dynamic = ToolSpec::from_dyn(std::sync::Arc::new(BadName) as std::sync::Arc<dyn DynTool>);
    let long = "archive_long_finds_everything_that_there_is_in_the_whole_of_the_archive";
    let space = NameProblem::Character(' ');
    for (refused, name, what) in [
        (WithBad::builder().model(model()).build().await, "bad name!", space),
        (agent().tool(ToolSpec::new(BadName)).build().await, "bad name!", space),
        (agent().tool(dynamic).build().await, "bad name!", space),
        (agent().tool(value("é")).build().await, "é", NameProblem::Character('é')),
        (agent().tool(value("")).build().await, "", NameProblem::Empty),
        (agent().tool(asks).build().await, "bad name !", space),
        (
            WithPrefix::builder().model(model()).toolbox_as("archive_long", Kb).build().await,
            long,
            NameProblem::Long(71),
        ),
    ] {
        let error = refused.unwrap_err();
        let text = error.to_string();
        let BuildError::ToolName { tool, problem, .. } = error else { panic!("{text}") };
        assert_eq!((tool.as_str(), problem), (name, what));
        assert!(text.contains(name) && text.contains(&problem.to_string()), "{text}");
    }
    assert!(WithDotted::builder().model(model()).build().await.is_ok());
}

#[tokio::test]
async fn l1_a_name_that_differs_from_the_definition_is_an_error_of_the_build() {
    let dynamic = || std::sync::Arc::new(TwoNames) as std::sync::Arc<dyn DynTool>;
    let agent = || Empty::builder().model(model());
    for refused in
        [WithTwo::builder().model(model()).build().await, agent().tool(ToolSpec::new(TwoNames)).build().await]
    {
        let error = refused.unwrap_err();
        let text = error.to_string();
        let BuildError::ToolDefinition { tool, .. } = error else { panic!("{text}") };
        assert_eq!(tool, "one");
        assert!(text.contains("has another name in its definition, `two`"), "{text}");
    }
    // A trait object has one name.
    let handle = agent().tool(ToolSpec::from_dyn(dynamic())).build().await.unwrap();
    assert_eq!(handle.tool_names().unwrap(), ["two"]);
}

macro_rules! agent_by_hand {
    ($agent:ident, $own:expr $(, $child:ty)?) => {
        struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = $own;
            type State = ();

            fn declare() -> AgentDeclaration {
                AgentDeclaration::new().description("Goes.").instruction("Go.")$(.child::<$child>())?
            }
        }
    };
}

agent_by_hand!(Spaced, "my  agent");
agent_by_hand!(Nameless, "");
agent_by_hand!(DottedAgent, "my.agent");
agent_by_hand!(Parent, "parent", Spaced);

#[tokio::test]
async fn a1_an_agent_by_hand_has_a_name_that_providers_accept() {
    macro_rules! refused {
        ($agent:ty) => {
            <$agent>::builder().model(model()).build().await.unwrap_err()
        };
    }
    for (error, name) in [
        (refused!(Spaced), "my  agent"),
        (refused!(Parent), "my  agent"),
        (refused!(Nameless), ""),
        (refused!(DottedAgent), "my.agent"),
    ] {
        let text = error.to_string();
        let BuildError::AgentName { agent, mistake, .. } = error else { panic!("{text}") };
        assert_eq!(agent, name);
        assert_eq!(text, format!("the agent name `{name}` is invalid: {mistake}"));
    }
}

/// A tool by hand under its own name, as a trait object.
struct Bare(ToolDefinition);

impl DynTool for Bare {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> onionskin::BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text("done")) })
    }
}

fn bare(name: &str) -> Bare {
    Bare(ToolDefinition::new(name, "Does."))
}

macro_rules! with_runtime_tool {
    ($agent:ident, $name:expr) => {
        struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = "host";
            type State = ();

            fn declare() -> AgentDeclaration {
                AgentDeclaration::new().instruction("Go.").runtime_tool(bare($name))
            }
        }
    };
}

with_runtime_tool!(WrongRuntimeTool, "shell execute");
with_runtime_tool!(RuntimeTool, "shell.execute");

#[tokio::test]
async fn h4_names_of_built_in_tools_and_of_values_of_servers_are_checked() {
    let error = WrongRuntimeTool::builder().model(model()).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::ToolName { tool, .. } if tool == "shell execute"), "{error}");
    assert!(RuntimeTool::builder().model(model()).build().await.is_ok());

    let value =
        |name| ToolSpec::from_server(std::sync::Arc::new(bare(name)), ServerKind::Other, Some("notes"));
    let error = Empty::builder().model(model()).tool(value("")).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::ToolName { problem: NameProblem::Empty, .. }), "{error}");
    // The server's author chose its name.
    assert!(Empty::builder().model(model()).tool(value("tidy up")).build().await.is_ok());
}

/// Each export of a tool, with the name in it.
fn exported(tool: &ToolSpec) -> Vec<(&'static str, Result<String, ExportError>)> {
    let options = &ExportOptions::new();
    let name = |form: Result<serde_json::Value, ExportError>, at: &str| {
        form.map(|form| form.pointer(at).unwrap().as_str().unwrap().to_owned())
    };
    let request = export::request(Form::OpenAiResponses, [tool.definition()], options);
    vec![
        ("chat", name(tool.to_openai_chat(options), "/function/name")),
        ("responses", name(tool.to_openai_responses(options), "/name")),
        ("anthropic", name(tool.to_anthropic(options), "/name")),
        ("gemini", name(tool.to_gemini(options), "/name")),
        ("gemini_json_schema", name(tool.to_gemini_json_schema(options), "/name")),
        ("request", name(request.map(|mut forms| forms.remove(0)).map_err(|mut all| all.remove(0)), "/name")),
        ("plain", name(tool.to_jsonschema(options), "/name")),
        ("mcp", name(tool.to_mcp_json(options), "/name")),
        ("mcp_with_meta", name(export::mcp_with_meta(tool.definition(), options), "/name")),
    ]
}

#[test]
fn s3_exports_refuse_the_names_that_a_build_refuses() {
    let value = |name: &str| ToolSpec::from_fn(name, "Does.", |(): (), _| async { Ok(1) });
    let long = "l".repeat(65);
    for (name, what) in [
        ("tidy up", NameProblem::Character(' ')),
        ("é", NameProblem::Character('é')),
        ("", NameProblem::Empty),
        (&long, NameProblem::Long(65)),
    ] {
        for (form, refused) in exported(&value(name)) {
            let error = refused.unwrap_err();
            let text = error.to_string();
            let ExportError::ToolName { tool, problem, .. } = error else { panic!("{form}: {text}") };
            assert_eq!((tool.as_str(), problem), (name, what), "{form}");
            assert!(
                text.contains(&format!("`{name}`")) && text.contains(&what.to_string()),
                "{form}: {text}"
            );
        }
    }

    // What the build accepts: a dot, and the names that a server chose. MCP takes both unchanged.
    let of_server =
        |name: &str| ToolSpec::from_server(std::sync::Arc::new(bare(name)), ServerKind::Other, Some("notes"));
    let mut optional = of_server("tidy up");
    optional.options(|options| options.title = Some("Tidies up".into()));
    for (tool, own, wire) in [
        (value("files.read"), "files.read", "files_read"),
        (of_server("tidy up"), "tidy up", "tidy_up"),
        (optional, "tidy up", "tidy_up"),
    ] {
        for (form, name) in exported(&tool) {
            assert_eq!(name.unwrap(), if form.starts_with("mcp") { own } else { wire }, "{form}");
        }
    }
    assert!(exported(&of_server("")).iter().all(|(_, refused)| refused.is_err()));
}

struct Panics;

impl DynTool for Panics {
    fn definition(&self) -> &ToolDefinition {
        panic!("no definition");
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> onionskin::BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text("done")) })
    }
}

struct WithPanic;

impl Agent for WithPanic {
    const NAME: &'static str = "host";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Go.").runtime_tool(Panics)
    }
}

#[tokio::test]
async fn a6_a_built_in_tool_whose_definition_panics_is_an_error_of_the_build() {
    let error = WithPanic::builder().model(model()).build().await.unwrap_err();
    let text = error.to_string();
    let BuildError::Panicked { agent, reason, .. } = error else { panic!("{text}") };
    assert_eq!((agent.as_str(), reason.as_str()), ("host", "no definition"));
}
