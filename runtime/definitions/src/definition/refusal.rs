//! Errors about invalid arguments, which list all problems. The texts of problems are in `schema`, with
//! [`Problem`].

use serde_json::Value;

use super::decode::Slots;
use super::definition::ToolDefinition;
use super::param::Raw;
use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::json::{self, Literals, with_digits};
use crate::output::ToolOutput;
use crate::schema::{Problem, check, coerce, culprit, expected, halves, reason_of, refusal_text};

/// Refuses arguments whose changes were lost, for a tool that might ignore them.
///
/// # Errors
/// Returns the refusal.
#[inline]
pub fn refuse_lost(tool: &str, args: &Args) -> ToolResult<()> {
    match args.refused() {
        None => Ok(()),
        Some(error) => Err(Exit::Tool(arguments_error(tool, &[Problem::root(error.to_string())]))),
    }
}

/// The error for a call with invalid arguments, which did not run.
pub fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let mut output = ToolOutput::text(refusal_text(tool, problems));
    output.insert_meta(Refused { tool: tool.into(), problems: problems.into() });
    ToolError::from_output(ErrorKind::Arguments, output)
}

/// The problems with the arguments of a tool, stored with the error for layers that rename parameters.
struct Refused {
    tool: Box<str>,
    problems: Box<[Problem]>,
}

/// The problems with the arguments of a tool, if the call ended with them.
pub fn refused_by<'e>(tool: &str, exit: &'e Exit) -> Option<&'e [Problem]> {
    let Exit::Tool(error) = exit else { return None };
    let refused = error.output().meta::<Refused>()?;
    (error.kind() == ErrorKind::Arguments && *refused.tool == *tool).then_some(&*refused.problems)
}

impl ToolDefinition {
    /// The error for a call with invalid arguments, which did not run. It lists all problems, so that the
    /// model can correct all of them at once.
    pub fn refuse(&self, problems: &[Problem]) -> ToolError {
        arguments_error(&self.name, problems)
    }
}

impl Slots<'_, '_> {
    fn schema(&self, index: usize) -> &Value {
        &self.definition.input_schema["properties"][self.definition.params[index].name]
    }

    /// The problems of a value that the type accepts but the schema refuses: violated limits, keys that the
    /// type drops, forms that the schema excludes, and fields that a flattened `Option` drops.
    pub(super) fn refused(&self, index: usize, raw: &str) -> Vec<Problem> {
        if !self.is_held() {
            return Vec::new();
        }
        let value = serde_json::from_str(raw).unwrap_or_default();
        let problems = self.held(index, &value);
        if problems.is_empty() { self.halves(index, &value) } else { problems }
    }

    /// The fields that the type drops because sibling fields are missing.
    fn halves(&self, index: usize, value: &Value) -> Vec<Problem> {
        let param = &self.definition.params[index];
        let reads = |value| (param.reads)(Raw::Value(value)).is_ok();
        halves(value, self.schema(index), &self.definition.input_schema, param.name, reads)
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
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::new(raw));
        let is_good = changed && self.held(index, &value).is_empty() && self.halves(index, &value).is_empty();
        is_good.then_some(value)
    }

    /// The error for the model, with all problems.
    #[cold]
    pub(super) fn refuse(&self, problems: &[Problem]) -> Exit {
        let mut problems = problems.to_vec();
        // A text that is not an object lacks every parameter; report that once.
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
        let Some(raw) = self.provided(index) else {
            let missing = || Problem::missing(param.name, &expected(self.schema(index)));
            return if param.required() { vec![missing()] } else { Vec::new() };
        };
        let digits = with_digits(raw);
        let raw = digits.as_deref().unwrap_or(raw);
        let error = (param.reads)(Raw::Text(raw)).err();
        if error.is_none() && self.refused(index, raw).is_empty() {
            return Vec::new();
        }
        let mut value = match serde_json::from_str(raw) {
            Ok(json::Unique(value)) => value,
            Err(error) => return vec![without_place(param.name, &error)],
        };
        let changed =
            coerce(&mut value, self.schema(index), &self.definition.input_schema, &Literals::new(raw));
        let found = self.held(index, &value);
        if !found.is_empty() {
            return found;
        }
        let found = self.halves(index, &value);
        if !found.is_empty() {
            return found;
        }
        // The schema accepts the value. The type may still reject it.
        let error = if changed { (param.reads)(Raw::Value(value.clone())).err() } else { error };
        let reads = |value| (param.reads)(Raw::Value(value)).is_ok();
        let place = |error| Problem::at(culprit(param.name, &value, reads), reason_of(error));
        error.iter().map(place).collect()
    }
}

fn without_place(name: &str, error: &serde_json::Error) -> Problem {
    Problem::at(name, reason_of(error))
}

/// Checks the arguments of a compiled tool: by the parameters that a macro generated, or by the schema of a tool by hand, which has no such
/// list.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
pub fn check_any_args(definition: &ToolDefinition, args: &Args) -> ToolResult<()> {
    if definition.params.is_empty() { definition.check(args) } else { check_args(definition, args) }
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
