//! The error of a call whose arguments are wrong: it names all problems. Their sentences are in `schema`, with [`Problem`].

use serde_json::Value;

use super::decode::Slots;
use super::definition::ToolDefinition;
use super::param::Raw;
use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::json::{self, Literals};
use crate::output::ToolOutput;
use crate::schema::{Problem, check, coerce, expected, has_limits, reason_of, refusal_text};

/// Refuses arguments whose changes were lost, for a tool that may not read them.
#[inline]
pub(crate) fn refuse_lost(tool: &str, args: &Args) -> ToolResult<()> {
    match args.refused() {
        None => Ok(()),
        Some(error) => Err(Exit::Tool(arguments_error(tool, &[Problem::root(error.to_string())]))),
    }
}

/// The error of a call that did not run because of its arguments.
pub(crate) fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let mut output = ToolOutput::text(refusal_text(tool, problems));
    output.insert_meta(Refused { tool: tool.into(), problems: problems.into() });
    ToolError::from_output(ErrorKind::Arguments, output)
}

/// The problems of a tool with its arguments, stored beside the text for layers that renamed parameters.
struct Refused {
    tool: Box<str>,
    problems: Box<[Problem]>,
}

/// The problems of a tool with its arguments, if the call ended with them.
pub(crate) fn refused_by<'e>(tool: &str, exit: &'e Exit) -> Option<&'e [Problem]> {
    let Exit::Tool(error) = exit else { return None };
    let refused = error.output().meta::<Refused>()?;
    (error.kind() == ErrorKind::Arguments && *refused.tool == *tool).then_some(&*refused.problems)
}

impl ToolDefinition {
    /// The error of a call that did not run because of its arguments. It lists all problems, so that the model can
    /// correct all of them at once.
    pub fn refuse(&self, problems: &[Problem]) -> ToolError {
        arguments_error(&self.name, problems)
    }
}

impl Slots<'_, '_> {
    fn schema(&self, index: usize) -> &Value {
        &self.definition.input_schema["properties"][self.definition.params[index].name]
    }

    /// The problems of a value that its type accepts: violated limits, keys that the type drops, and forms that the
    /// schema does not show.
    pub(super) fn refused(&self, index: usize, raw: &str) -> Vec<Problem> {
        let is_limited = !self.definition.params[index].limits.is_empty() || has_limits(self.schema(index));
        let keys = self.definition.keys(index);
        if !is_limited && keys.is_none_or(|keys| keys.know(raw)) {
            return Vec::new();
        }
        let mut problems = self.held(index, &serde_json::from_str(raw).unwrap_or_default());
        // Without limits, the type alone decides which values are valid.
        problems.retain(|problem| is_limited || problem.is_of_form());
        problems
    }

    /// The schema's problems with a value.
    fn held(&self, index: usize, value: &Value) -> Vec<Problem> {
        check(value, self.schema(index), &self.definition.input_schema, self.definition.params[index].name)
    }

    /// Converts a value of another type without loss.
    #[cold]
    pub(super) fn coerced(&self, index: usize, raw: &str) -> Option<Value> {
        let json::Unique(mut value) = serde_json::from_str(raw).ok()?;
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::of(raw));
        (changed && self.held(index, &value).is_empty()).then_some(value)
    }

    /// The error for the model, with all problems.
    #[cold]
    pub(super) fn refuse(&self, problems: &[Problem]) -> Exit {
        let mut problems = problems.to_vec();
        // A text that is not an object lacks every parameter; one line says so.
        if !problems.iter().any(Problem::is_root) {
            for index in 0..self.definition.params.len() {
                problems.extend(self.problems(index));
            }
        }
        Exit::Tool(arguments_error(&self.definition.name, &problems))
    }

    /// The problems of one argument.
    fn problems(&self, index: usize) -> Vec<Problem> {
        let param = &self.definition.params[index];
        let Some(raw) = self.given(index) else {
            let missing = || Problem::missing(param.name, &expected(self.schema(index)));
            return if param.required() { vec![missing()] } else { Vec::new() };
        };
        let Err(error) = (param.reads)(Raw::Text(raw)) else { return self.refused(index, raw) };
        let mut value = match serde_json::from_str(raw) {
            Ok(json::Unique(value)) => value,
            Err(error) => return vec![without_place(param.name, &error)],
        };
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::of(raw));
        let found = self.held(index, &value);
        if !found.is_empty() {
            return found;
        }
        // The schema accepts the value. The type may still reject it.
        let error = if changed { (param.reads)(Raw::Value(value)).err() } else { Some(error) };
        error.iter().map(|error| without_place(param.name, error)).collect()
    }
}

fn without_place(name: &str, error: &serde_json::Error) -> Problem {
    Problem::at(name, reason_of(error))
}

/// Checks the arguments of a tool that a macro generated.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
pub fn check_args(definition: &ToolDefinition, args: &Args) -> ToolResult<()> {
    let count = definition.params.len();
    let mut args = args.clone();
    let mut spans = vec![None; count];
    let slots = Slots::split(definition, &mut args, &mut spans)?;
    let problems: Vec<_> = (0..count).flat_map(|index| slots.problems(index)).collect();
    if problems.is_empty() { Ok(()) } else { Err(Exit::Tool(arguments_error(&definition.name, &problems))) }
}
