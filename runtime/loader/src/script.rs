//! Tools and hooks that are functions of scripts.

use std::path::Path;

use onionskin_cards::{Card, Item, Kind, Need, Problem, Source, ToolUse, read_file};
use onionskin_core::ui::UiMode;
#[cfg(feature = "rhai")]
use onionskin_rhai::ScriptError;
#[cfg(feature = "rhai")]
use serde_json::Value;

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
                let message = format!(
                    "`{item}` is a script, which can be a tool, a hook around tool calls, a hook on messages or a rule for approval only"
                );
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

/// What a function of a script is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Tool,
    /// The component, and its place.
    UiTool(String, UiMode),
    ToolHook,
    MessageHook,
    ApprovalRule,
}

impl Role {
    /// The role of an item of a card; `None` if no script has it.
    pub(crate) fn new(card: &Card, item: &Item, kind: Kind) -> Option<Self> {
        match kind {
            Kind::Tool => Some(match card.tool_use(item) {
                Some(ToolUse { component: Some(component), mode: Some(mode), .. }) => {
                    Self::UiTool(component.value.clone(), mode.value.into())
                }
                Some(_) | None => Self::Tool,
            }),
            Kind::ToolHook => Some(Self::ToolHook),
            Kind::MessageHook => Some(Self::MessageHook),
            Kind::ApprovalRule => Some(Self::ApprovalRule),
            Kind::Toolbox
            | Kind::InputGuardrail
            | Kind::OutputGuardrail
            | Kind::RunHook
            | Kind::TurnHook(_)
            | Kind::Text
            | Kind::Strategy
            | Kind::Type
            | Kind::Agent => None,
        }
    }
}

/// Reads a function of a script.
pub(crate) fn entry(path: &Path, name: &str, role: &Role) -> Result<RegisteredItem, Fault> {
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
    read(&source.text, &file, name, role).map_err(|fault| fault.redacted(&source))
}

/// The functions of a script without mistakes that a card could name in place of this one.
pub(crate) fn others(path: &Path, name: &str) -> Vec<String> {
    let Ok(source) = read_file(path, "") else { return Vec::new() };
    if source.withheld("its functions").is_some() {
        return Vec::new();
    }
    functions(&source.text).into_iter().filter(|other| other != name).collect()
}

#[cfg(not(feature = "rhai"))]
fn functions(_: &str) -> Vec<String> {
    Vec::new()
}

/// The functions of a script that are not private, if there are several.
#[cfg(feature = "rhai")]
fn functions(text: &str) -> Vec<String> {
    match onionskin_rhai::from_code(text) {
        Err(ScriptError::Function { functions, .. }) => functions,
        Ok(_) | Err(_) => Vec::new(),
    }
}

#[cfg(not(feature = "rhai"))]
fn read(_: &str, _: &str, _: &str, _: &Role) -> Result<RegisteredItem, Fault> {
    Err(Fault::MissingFeature)
}

#[cfg(feature = "rhai")]
fn read(text: &str, file: &str, name: &str, role: &Role) -> Result<RegisteredItem, Fault> {
    use std::sync::Arc;

    use onionskin_core::ToolSpec;
    use onionskin_core::declaration::{AgentDeclaration, CallFilter};
    use onionskin_rhai::{
        Script, approval_rule_from_code, from_code, hook_from_code, message_hook_from_code, ui_tool_from_code,
    };

    use crate::registered_item::RegisteredHook;

    let script = Script::new(text).func_name(name).file(file);
    let tool = |spec: ToolSpec| {
        let name = spec.name().into();
        let add = Arc::new(move |agent: AgentDeclaration| agent.tool_value(spec.clone()));
        RegisteredItem::Tool { name, add, definition: None }
    };
    let hook = |kind, place, add| {
        let hook = RegisteredHook {
            id: None,
            takes: Vec::new(),
            check: |_| Ok(()),
            check_use: |_| Ok(()),
            is_for_pure: false,
            place,
            add,
        };
        RegisteredItem::Hook(vec![(kind, hook)])
    };
    Ok(match role {
        Role::Tool => tool(from_code(script).map_err(fault)?),
        Role::UiTool(component, mode) => {
            tool(ui_tool_from_code(script, component.as_str(), *mode).map_err(fault)?)
        }
        Role::ToolHook => {
            let script = hook_from_code(script).map_err(fault)?;
            let add = move |agent: AgentDeclaration, _: &[Value], filter: Option<CallFilter>| match filter {
                Some(filter) => agent.filtered_hook(script.clone(), filter),
                None => agent.hook(script.clone()),
            };
            hook(Kind::ToolHook, None, Arc::new(add))
        }
        Role::ApprovalRule => {
            let rule = approval_rule_from_code(script).map_err(fault)?;
            RegisteredItem::Rule(Arc::new(move |args| rule.needed(args)))
        }
        Role::MessageHook => {
            let script = message_hook_from_code(script).map_err(fault)?;
            let place = script.place();
            let add = move |agent: AgentDeclaration, _: &[Value], _: Option<CallFilter>| {
                agent.message_hook(script.clone())
            };
            hook(Kind::MessageHook, Some(place), Arc::new(add))
        }
    })
}

#[cfg(feature = "rhai")]
fn fault(error: ScriptError) -> Fault {
    match error {
        ScriptError::Invalid { line, column, reason, .. } => Fault::Wrong(Some((line, column)), reason),
        ScriptError::Function { functions, .. } => Fault::MissingFunction(functions),
        other => Fault::Wrong(None, other.to_string()),
    }
}
