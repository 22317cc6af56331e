//! `schema` prints the tools of an agent as JSON.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use onionskin_core::ToolDefinition;
use onionskin_core::export::{self, ExportError, ExportOptions};
use onionskin_core::text::nearest;
use serde_json::Value;

use crate::agents::{self, AgentArguments};
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::signals::until_signal;
use crate::text;

pub(crate) const ABOUT: &str = "\
Print the tools of an agent as JSON, in the form of MCP or of a provider. With the name of a tool, that one alone.

The servers of the agent are started, and their tools listed. No model is asked.

Exit code: 0 if all is well, 2 after an error.";

pub(crate) const EXAMPLES: &str = "\
Examples:
  {program} schema --card cards/pmo.md
  {program} schema add_one --card cards/pmo.md --for openai
  {program} schema --card cards --agent Clerk | jq '.[].name'
  {program} schema --workflow workflows/Intake";

#[derive(Args)]
pub(crate) struct SchemaArguments {
    /// Only this tool.
    #[arg(value_name = "TOOL")]
    tool: Option<String>,

    /// The form of the tools.
    #[arg(long = "for", value_name = "FORM", value_enum, default_value_t = Form::Mcp)]
    form: Form,

    #[command(flatten)]
    pub(crate) agents: AgentArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// `tools/list` of MCP.
    Mcp,
    /// Chat Completions of `OpenAI`.
    Openai,
    /// Responses of `OpenAI`.
    OpenaiResponses,
    /// Messages of Anthropic.
    Anthropic,
    /// Function declarations of Gemini.
    Gemini,
}

pub(crate) async fn run(program: &Program, arguments: SchemaArguments) -> Result<ExitCode, Failure> {
    let tools = until_signal(async {
        let app = agents::shown(program, &arguments.agents).await?;
        let tools = app.entry().tool_definitions();
        app.shutdown().await;
        tools.map_err(Failure::new)
    });
    let tools = tools.await?;
    let form = arguments.form;
    match arguments.tool {
        Some(name) => output::json(&form.convert(find(&tools, &name)?)?)?,
        None => output::json(&tools.iter().map(|tool| form.convert(tool)).collect::<Result<Vec<_>, _>>()?)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Form {
    fn convert(self, tool: &ToolDefinition) -> Result<Value, Failure> {
        let export: fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError> = match self {
            Self::Mcp => export::mcp,
            Self::Openai => export::openai_chat,
            Self::OpenaiResponses => export::openai_responses,
            Self::Anthropic => export::anthropic,
            Self::Gemini => export::gemini,
        };
        export(tool, &ExportOptions::new()).map_err(Failure::new)
    }
}

/// The tool of this name: as hooks see it, `shell.execute`, or as models do, `shell_execute`.
fn find<'t>(tools: &'t [ToolDefinition], name: &str) -> Result<&'t ToolDefinition, Failure> {
    let as_model = |tool: &&ToolDefinition| tool.name.replace('.', "_") == name;
    let found = tools.iter().find(|tool| *tool.name == *name).or_else(|| tools.iter().find(as_model));
    found.ok_or_else(|| {
        let names = || tools.iter().map(|tool| &*tool.name);
        // `server__tool` and `agent__name`, by the second part.
        let own = |tool: &'t str| tool.split_once("__").map_or(tool, |(_, own)| own);
        let near = nearest(name, names()).or_else(|| {
            let near = nearest(name, names().map(own))?;
            names().find(|tool| own(tool) == near)
        });
        let hint = match near {
            Some(near) => format!("did you mean `{}`?", text::first_line(near)),
            None => format!("it has: {}", names().map(text::first_line).collect::<Vec<_>>().join(", ")),
        };
        Failure::new(format!("the agent has no tool `{}`; {hint}", text::first_line(name)))
    })
}
