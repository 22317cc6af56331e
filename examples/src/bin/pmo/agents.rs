//! The agents, the function and the hook of the report.

use onionskin::definition::ToolSource;
use onionskin::{Args, ErrorKind, Exit, Next, ToolContext, ToolError, ToolResult, agent, tool, tool_hook};

/// Adds one to a number.
#[tool]
pub(crate) fn add_one(
    /// The number to add one to.
    x: i64,
) -> i64 {
    x + 1
}

/// Holds `add_one` to small numbers, blocks the shell, and marks every result.
#[tool_hook]
pub(crate) async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    // before: enforce limits
    if ctx.tool_name().ends_with("add_one") {
        let x = args["x"].as_i64().unwrap_or(0);
        args["x"] = x.min(10).into();
    }

    // instead: block unsafe tools
    let result = if ctx.source() == ToolSource::Runtime && ctx.tool_name() == "shell.execute" {
        Err(Exit::Tool(ToolError::new("blocked").with_kind(ErrorKind::Denied)))
    } else {
        // call original tool
        next.run(args).await
    };

    // after: log or modify result, an error's too
    match result {
        Ok(mut output) => {
            output.push_text("[audit]");
            Ok(output)
        }
        Err(Exit::Tool(mut error)) => {
            error.output_mut().push_text("[audit]");
            Err(Exit::Tool(error))
        }
        other => other,
    }
}

agent! {
    /// Reports on the projects that New York leads.
    pub(crate) NyProjectManager {
        name: "NY-Project-Manager",
        description: "Knows the state of the projects that are led from New York.",
        instruction: "You are a project manager in New York. Report on the project that you are asked about in one \
                      sentence, with the current time in New York.",
        model: "gpt-4o-mini",
        servers: [time],
        tools: { time: [get_current_time] },
    }

    /// Reviews the economics.
    pub(crate) LondonProjectManager {
        name: "London-Project-Manager",
        description: "Reviews the economics of projects from London.",
        instruction: "You are a project manager in London. Review the economics that you are asked about in one \
                      sentence, with the current time in London.",
        model: "gpt-4o-mini",
        servers: [time],
        tools: { time: [get_current_time] },
    }

    /// Collects the reports.
    pub(crate) PmoOrchestrator {
        name: "PMO-orchestrator",
        instruction: include_str!("instruction.txt"),
        model: "gpt-4o-mini",
        servers: [time],
        tools: { time: [get_current_time] },
        function_tools: [add_one],
        agents: [NyProjectManager, LondonProjectManager],
        runtime: [shell.execute],
        approval: [shell.execute],
        tool_hooks: [audit],
        history_source: none,
        history_merge_target: none,
        max_parallel: 3,
        child_timeout_sec: 120,
        max_display_instances: 20,
        default: true,
    }
}
