//! The fields that an agent can have.

use onionskin_vocabulary::agent::{self as words, Flag, Part, Setting, TextField};
use onionskin_vocabulary::server_data::PatternField;
use onionskin_vocabulary::{Word as _, messages};
use proc_macro2::Ident;
use syn::{Expr, ExprPath, LitBool, LitStr, Path, Type};

use super::ast::{
    ApprovalEntry, HookEntry, HookItem, ListEntry, ServerHeaders, ServerPatterns, ToolboxEntry, Word,
};
use super::field_reader::Field;
use super::list::{approval, built_in, child, entry, guardrail, hook, server, toolbox};
use super::settings::{self, SettingValue};
use super::value::{boolean, crate_path, function, state, string, text, typed};

/// The fields of an agent as they were written. Each is there once at most.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) name: Option<LitStr>,
    pub(super) texts: Vec<(TextField, Expr)>,
    pub(super) flags: Vec<(Flag, LitBool)>,
    pub(super) servers: Vec<Word>,
    pub(super) tools: Vec<ServerPatterns>,
    pub(super) resources: Vec<ServerPatterns>,
    pub(super) prompts: Vec<ServerPatterns>,
    pub(super) headers: Vec<ServerHeaders>,
    pub(super) function_tools: Vec<ListEntry>,
    pub(super) toolboxes: Vec<ToolboxEntry>,
    pub(super) agents: Vec<ListEntry>,
    pub(super) tool_hooks: Vec<HookItem>,
    pub(super) input_guardrails: Vec<HookEntry>,
    pub(super) output_guardrails: Vec<HookEntry>,
    pub(super) approval: Vec<ApprovalEntry>,
    pub(super) run_hooks: Vec<HookEntry>,
    pub(super) turn_hooks: Vec<HookEntry>,
    pub(super) message_hooks: Vec<HookEntry>,
    pub(super) built_in: Vec<Word>,
    /// The function in place of the loop.
    pub(super) run: Option<ExprPath>,
    pub(super) request_params: Vec<(Ident, Expr)>,
    pub(super) limits: Vec<(Ident, Expr)>,
    pub(super) state: Option<Type>,
    /// The type of the input that parents give.
    pub(super) input: Option<Type>,
    /// The type of the answers.
    pub(super) output: Option<Type>,
    pub(super) settings: Vec<(Setting, SettingValue)>,
    pub(super) crate_path: Option<Path>,
}

/// The name of a field.
#[derive(Clone, Copy)]
pub(super) enum Name {
    Known(words::Field),
    /// `crate: path`: only a macro needs it.
    Crate,
}

const CRATE: &str = "crate";

impl Name {
    pub(super) fn from_word(word: &str) -> Option<Self> {
        if word == CRATE { Some(Self::Crate) } else { words::Field::from_word(word).map(Self::Known) }
    }
}

/// The error for a field that does not exist.
pub(super) fn unknown(name: &str) -> String {
    messages::unknown_field(name, &[CRATE]).0
}

impl Fields {
    pub(super) fn text(&self, field: TextField) -> Option<&Expr> {
        self.texts.iter().find(|(known, _)| *known == field).map(|(_, text)| text)
    }

    /// The patterns of a field.
    pub(super) fn patterns(&self, field: PatternField) -> &[ServerPatterns] {
        match field {
            PatternField::Tools => &self.tools,
            PatternField::Resources => &self.resources,
            PatternField::Prompts => &self.prompts,
        }
    }

    /// Whether a field has patterns for a server.
    pub(super) fn names(&self, field: PatternField, server: &str) -> bool {
        self.patterns(field).iter().any(|(known, _)| known.text == server)
    }

    /// `default: true`, or `default: false`.
    pub(super) fn is_default(&self) -> Option<&LitBool> {
        let (_, value) = self.settings.iter().find(|(setting, _)| *setting == Setting::Default)?;
        match value {
            SettingValue::Boolean(default) => Some(default),
            SettingValue::Text(_)
            | SettingValue::Count(_)
            | SettingValue::Seconds(_)
            | SettingValue::Word(_) => None,
        }
    }

    /// Reads the value of a field.
    pub(super) fn read(&mut self, name: Name, mut field: Field<'_>) -> syn::Result<()> {
        match name {
            Name::Crate => self.crate_path = Some(crate_path(field.input)?),
            Name::Known(words::Field::Text(name)) => {
                self.texts.push((name, text(field.input, name.word())?));
            }
            Name::Known(words::Field::Flag(flag)) => {
                self.flags.push((flag, boolean(field.input, flag.word())?));
            }
            Name::Known(words::Field::Part(part)) => self.read_part(part, &mut field)?,
            Name::Known(words::Field::Setting(setting)) => {
                self.settings.push((setting, settings::read(setting, field.input)?));
                self.settings.sort_by_key(|(setting, _)| *setting);
            }
        }
        Ok(())
    }

    fn read_part(&mut self, part: Part, field: &mut Field<'_>) -> syn::Result<()> {
        match part {
            Part::Name => self.name = Some(string(field.input, "name")?),
            Part::Servers => self.servers = field.list("time", server)?,
            Part::Tools => self.tools = field.patterns(PatternField::Tools)?,
            Part::Resources => self.resources = field.patterns(PatternField::Resources)?,
            Part::Prompts => self.prompts = field.patterns(PatternField::Prompts)?,
            Part::Headers => self.headers = field.headers()?,
            Part::FunctionTools => self.function_tools = field.paths("add_one", entry)?,
            Part::Toolboxes => self.toolboxes = field.list("Kb", toolbox)?,
            Part::Agents => self.agents = field.paths("Researcher", child)?,
            Part::ToolHooks => self.tool_hooks = field.paths("audit", hook)?,
            Part::InputGuardrails => self.input_guardrails = field.paths("MaskPii", guardrail)?,
            Part::OutputGuardrails => self.output_guardrails = field.paths("RejectInjection", guardrail)?,
            Part::Approval => self.approval = field.list("add_one", approval)?,
            Part::RunHooks => {
                self.run_hooks = field.hooks_around("check", "run hook sees whole runs, and no calls")?;
            }
            Part::TurnHooks => {
                self.turn_hooks = field.hooks_around("trim", "turn hook sees all calls of a turn")?;
            }
            Part::MessageHooks => {
                let sees = "message hook sees messages, and no calls";
                self.message_hooks = field.hooks_around("redact", sees)?;
            }
            Part::Runtime => self.built_in = field.list("shell.execute", built_in)?,
            Part::Run => self.run = Some(function(field.input)?),
            Part::RequestParams => self.request_params = field.table("{ temperature: 0.2 }")?,
            Part::Limits => self.limits = field.table("{ turns: 10 }")?,
            Part::State => self.state = Some(state(field.input)?),
            Part::Input => self.input = Some(typed(field.input, "input: Question")?),
            Part::Output => self.output = Some(typed(field.input, "output: Report")?),
        }
        Ok(())
    }
}
