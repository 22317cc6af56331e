//! Tools and hooks that are functions of scripts.

use std::path::Path;

use onionskin_cards::{Kind, Need, Problem, Source, read_file};

use crate::error::MistakeKind;
use crate::registered_item::RegisteredItem;

/// Why a function of a script cannot be used.
#[derive(Clone)]
#[cfg_attr(not(feature = "rhai"), expect(dead_code, reason = "without the feature, it is reported"))]
pub(crate) enum Fault {
    MissingFile,
    /// The feature for scripts is off.
    MissingFeature,
    /// The field wants something that no script is.
    WrongKind,
    /// The script has these functions.
    MissingFunction(Vec<String>),
    /// The line and the column in the script, if there are any, and what is wrong.
    Wrong(Option<(usize, usize)>, String),
}

impl Fault {
    /// The mistake in a card. `file` is the script's path, as messages show it.
    pub(crate) fn mistake(&self, need: &Need<'_>, file: &str) -> (MistakeKind, Problem) {
        let item = &need.item.value;
        let problem = |message| Problem { message, span: need.item.span.clone() };
        match self {
            Self::MissingFile => (MistakeKind::MissingFile, need.missing_file(file)),
            Self::MissingFeature => {
                let message = format!("`{item}` is a script: enable feature `rhai` of onionskin");
                (MistakeKind::MissingFeature("rhai"), problem(message))
            }
            Self::WrongKind => {
                let message =
                    format!("`{item}` is a script, which can be a tool or a hook around tool calls only");
                (MistakeKind::WrongKind, problem(message))
            }
            Self::MissingFunction(functions) => {
                (MistakeKind::MissingItem, need.missing(functions.iter().map(String::as_str)))
            }
            Self::Wrong(place, reason) => {
                let at = place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
                (
                    MistakeKind::Script,
                    problem(format!("`{item}` cannot be {}: {file}{at}: {reason}", need.kind)),
                )
            }
        }
    }
}

impl Fault {
    /// The fault without what it quotes of a file that no message quotes.
    fn redacted(self, source: &Source) -> Self {
        let withheld = match &self {
            Self::MissingFunction(_) => (None, source.withheld("it has no such function")),
            Self::Wrong(place, _) => (*place, source.withheld("it has a mistake")),
            Self::MissingFile | Self::MissingFeature | Self::WrongKind => (None, None),
        };
        match withheld {
            (place, Some(reason)) => Self::Wrong(place, reason),
            (_, None) => self,
        }
    }
}

/// Reads a function of a script as a tool or a hook around tool calls.
pub(crate) fn entry(path: &Path, name: &str, kind: Kind) -> Result<RegisteredItem, Fault> {
    if !path.is_file() {
        return Err(Fault::MissingFile);
    }
    if cfg!(not(feature = "rhai")) {
        return Err(Fault::MissingFeature);
    }
    let source = read_file(path, "").map_err(|error| {
        let reasons: Vec<_> = error.problems().iter().map(|problem| &*problem.message).collect();
        Fault::Wrong(None, reasons.join("; "))
    })?;
    let file = path.file_name().map(|file| file.to_string_lossy()).unwrap_or_default();
    read(&source.text, &file, name, kind).map_err(|fault| fault.redacted(&source))
}

#[cfg(not(feature = "rhai"))]
fn read(_: &str, _: &str, _: &str, _: Kind) -> Result<RegisteredItem, Fault> {
    Err(Fault::MissingFeature)
}

#[cfg(feature = "rhai")]
fn read(text: &str, file: &str, name: &str, kind: Kind) -> Result<RegisteredItem, Fault> {
    use std::sync::Arc;

    use onionskin_core::declaration::AgentDeclaration;
    use onionskin_rhai::{Script, ScriptError, from_code, hook_from_code};

    use crate::registered_item::RegisteredHook;

    let fault = |error: ScriptError| match error {
        ScriptError::Invalid { line, column, reason, .. } => Fault::Wrong(Some((line, column)), reason),
        ScriptError::Function { functions, .. } => Fault::MissingFunction(functions),
        other => Fault::Wrong(None, other.to_string()),
    };
    let script = Script::new(text).func_name(name);
    if kind == Kind::Tool {
        let spec = from_code(script).map_err(fault)?;
        let name = spec.name().into();
        let add = Arc::new(move |agent: AgentDeclaration| agent.tool_value(spec.clone()));
        return Ok(RegisteredItem::Tool { name, add, definition: None });
    }
    let hook = hook_from_code(script.file(file)).map_err(fault)?;
    let add = Arc::new(move |agent: AgentDeclaration, _: &[serde_json::Value], filter| match filter {
        Some(filter) => agent.filtered_hook(hook.clone(), filter),
        None => agent.hook(hook.clone()),
    });
    let hook = RegisteredHook { id: None, takes: Vec::new(), check: |_| Ok(()), place: None, add };
    Ok(RegisteredItem::Hook(vec![(kind, hook)]))
}
