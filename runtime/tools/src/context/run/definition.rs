//! Definitions of tools that depend on the run.

use super::RunContext;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::BoxError;

type Change = Box<dyn Fn(ToolDefinition, &RunContext) -> Result<ToolDefinition, BoxError> + Send + Sync>;

/// Makes a definition depend on the run, for example on its user. When a run starts, `change` receives the
/// definition and the run, and returns the definition for the run, with the same name. The model sees that
/// definition, and the arguments of the run's calls are checked against its schema before the tool's own
/// hooks and stages.
///
/// The original definition applies outside runs: to `AgentHandle::tool_names`, exports and direct calls.
/// Tools check their arguments against it too ([`Tool::fit_args`](crate::Tool::fit_args)), so it must accept
/// all arguments that the definition of a run accepts. A second call adds a change after the first one.
///
/// The run ends before its first turn (`RunError::ToolDefinition`) if `change` fails or panics, changes the
/// name, sets a limit to zero, or returns a schema that does not describe an object. Agents without such
/// tools pay nothing for this.
///
/// ```
/// use onionskin::spec::for_each_run;
/// use onionskin::{Agent, ScriptedModel, ScriptedTurn, ToolSpec, agent, tool};
/// use serde_json::json;
///
/// /// Opens a project.
/// #[tool]
/// fn open(project: String) -> String {
///     format!("{project} is open")
/// }
///
/// agent! { Desk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let mut open = open::spec();
/// open.options(|options| {
///     *options = for_each_run(options.clone(), |definition, run| {
///         let projects = match run.user().ok_or("the run has no user")? {
///             "ada" => ["engine", "notes"],
///             _ => ["guest", "public"],
///         };
///         let mut schema = (*definition.input_schema).clone();
///         schema["properties"]["project"]["enum"] = json!(projects);
///         Ok(definition.with_input_schema(schema))
///     });
/// });
/// let turns = ["engine", "guest"].map(|name| ScriptedTurn::call("open", json!({ "project": name })));
/// let model = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("{results}")]));
/// let desk = Desk::builder().model(model).tool(open).build().await.unwrap();
/// let output = desk.request("Open them.").user("ada").run().await.unwrap();
/// assert_eq!(output.tool_calls[0].to_text(), "engine is open");
/// assert!(output.tool_calls[1].to_text().contains("expected one of"), "{output:?}");
/// # });
/// ```
#[must_use]
pub fn for_each_run(
    mut definition: ToolDefinition,
    change: impl Fn(ToolDefinition, &RunContext) -> Result<ToolDefinition, BoxError> + Send + Sync + 'static,
) -> ToolDefinition {
    let earlier = definition.clone();
    let change: Change = if definition.depends_on_run() {
        Box::new(move |definition, run| change(changed(&earlier, definition, run)?, run))
    } else {
        Box::new(change)
    };
    definition.set_run_change(change);
    definition
}

/// Applies the run change of `source` to a definition.
fn changed(
    source: &ToolDefinition,
    definition: ToolDefinition,
    run: &RunContext,
) -> Result<ToolDefinition, BoxError> {
    match source.run_change::<Change>() {
        Some(change) => change(definition, run),
        None => Ok(definition),
    }
}

/// The definition of a tool for a run.
///
/// # Errors
/// Returns the error of the change, or an error if the changed definition is invalid.
pub fn definition_for_run(definition: &ToolDefinition, run: &RunContext) -> Result<ToolDefinition, BoxError> {
    if !definition.depends_on_run() {
        return Ok(definition.clone());
    }
    Ok(definition.complete_changed(changed(definition, definition.clone(), run)?)?)
}
