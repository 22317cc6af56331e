//! Definitions of tools that depend on the run.

use super::run::RunContext;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::BoxError;

type Change = Box<dyn Fn(ToolDefinition, &RunContext) -> Result<ToolDefinition, BoxError> + Send + Sync>;

/// Makes a definition depend on the run: on its user, its session or its id. When a run begins, `change` gets the
/// definition and the run, and returns the definition for the run, under the same name. The model sees it, and the
/// arguments of the run's calls are checked against its schema before the tool's own hooks and stages.
///
/// The definition itself is for everything outside of a run: `AgentHandle::tool_names`,
/// exports, direct calls. Tools check their arguments against it too
/// ([`Tool::fit_args`](crate::Tool::fit_args)), so it has to accept what the definition of each run accepts. A
/// second call adds a change after the first one.
///
/// An error or a panic of `change`, another name, a limit of zero, or a schema that is not an object's ends the run
/// before its first turn (`RunError::ToolDefinition`). Agents without such tools pay
/// nothing for it.
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

/// What the function of `of` makes of a definition for a run.
fn changed(
    of: &ToolDefinition,
    definition: ToolDefinition,
    run: &RunContext,
) -> Result<ToolDefinition, BoxError> {
    match of.run_change::<Change>() {
        Some(change) => change(definition, run),
        None => Ok(definition),
    }
}

/// The definition of a tool for a run.
///
/// # Errors
/// Returns the error of the function that changes it, or an error if the changed definition is wrong.
pub fn definition_for_run(definition: &ToolDefinition, run: &RunContext) -> Result<ToolDefinition, BoxError> {
    if !definition.depends_on_run() {
        return Ok(definition.clone());
    }
    Ok(definition.complete_changed(changed(definition, definition.clone(), run)?)?)
}
