//! Shows the pieces of an answer as events, after the filters of the run hooks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::run_hook::DeltaFilters;

use super::run::AgentRun;
use onionskin_definitions::secret::Redactor;
use onionskin_tools::context::ToolTable;
use onionskin_tools::event::EventKind;
use onionskin_tools::model::{ModelDelta, ToolCall, ToolCallDelta, redact_name};

/// Shows the pieces of one answer.
pub(super) struct ShownDeltas<'r> {
    run: &'r AgentRun,
    turn: u32,
    text: DeltaFilters,
    reasoning: DeltaFilters,
    calls: ShownCalls<'r>,
}

/// The calls whose pieces are shown.
struct ShownCalls<'r> {
    /// The tools that the answer can call.
    table: &'r ToolTable,
    /// The tool whose call is the answer of the run.
    answer_tool: Option<&'r str>,
    begun: Vec<ShownCall>,
    /// The indices of the begun calls, by the model's ids.
    places: HashMap<Arc<str>, usize>,
    /// The ids of the calls in the conversation.
    own_ids: HashSet<Arc<str>>,
}

struct ShownCall {
    /// Its id in the conversation.
    own_id: Arc<str>,
    /// The tool's name, as hooks see it.
    tool: Arc<str>,
    is_answer: bool,
    arguments: DeltaFilters,
}

impl<'r> ShownDeltas<'r> {
    pub(super) fn new(
        run: &'r AgentRun,
        turn: u32,
        table: &'r ToolTable,
        answer_tool: Option<&'r str>,
    ) -> Self {
        let calls = ShownCalls {
            table,
            answer_tool,
            begun: Vec::new(),
            places: HashMap::new(),
            own_ids: HashSet::new(),
        };
        Self { run, turn, text: text_filters(run), reasoning: filters(run), calls }
    }

    pub(super) fn push(&mut self, delta: ModelDelta) {
        match delta {
            ModelDelta::Text(text) => show_text(self.run, self.turn, self.text.push(text)),
            ModelDelta::Reasoning(text) => show_reasoning(self.run, self.turn, self.reasoning.push(text)),
            ModelDelta::ToolCall(piece) => self.push_call(piece),
            // The turn reports the usage of all its attempts.
            ModelDelta::Usage(_) => {}
        }
    }

    fn push_call(&mut self, piece: ToolCallDelta) {
        let ToolCallDelta { id, name, arguments, .. } = piece;
        let known = self.calls.places.get(&id).copied();
        let is_first = known.is_none();
        let at = known.unwrap_or_else(|| self.calls.begin(self.run, id, name));
        let call = &mut self.calls.begun[at];
        let arguments = call.arguments.push(arguments);
        if is_first || !arguments.is_empty() {
            self.run.event(self.turn, call.piece(arguments));
        }
    }

    /// Shows the text that the filters held back, and sets the ids of the calls to the shown ones.
    pub(super) fn finish(mut self, calls: &mut [ToolCall]) {
        show_reasoning(self.run, self.turn, self.reasoning.finish());
        show_text(self.run, self.turn, self.text.finish());
        for shown in &mut self.calls.begun {
            let arguments = shown.arguments.finish();
            if !arguments.is_empty() {
                self.run.event(self.turn, shown.piece(arguments));
            }
        }
        self.calls.name(self.run, calls);
    }
}

impl ShownCalls<'_> {
    /// The future id of a call in the conversation.
    fn own_id(&self, run: &AgentRun, id: &Arc<str>, redactor: Option<&Redactor>) -> Arc<str> {
        let tally = run.tally();
        let Some(redactor) = redactor else { return tally.ids.preview(id, &self.own_ids) };
        // Made unique before it is redacted, as for a complete answer.
        let mut redacted = tally.ids.preview(id, &HashSet::new());
        redactor.redact_id(&mut redacted);
        tally.ids.preview(&redacted, &self.own_ids)
    }

    /// Sets the ids of the answer's calls to the shown ones, and unique ids for the others.
    fn name(mut self, run: &AgentRun, calls: &mut [ToolCall]) {
        if self.begun.is_empty() {
            return;
        }
        for call in calls {
            if let Some(at) = self.places.remove(&call.id) {
                call.id = Arc::clone(&self.begun[at].own_id);
            } else {
                call.id = run.tally().ids.preview(&call.id, &self.own_ids);
                self.own_ids.insert(Arc::clone(&call.id));
            }
        }
    }

    /// Begins a call, and returns its index.
    fn begin(&mut self, run: &AgentRun, id: Arc<str>, mut name: Arc<str>) -> usize {
        let redactor = run.cx.concealed().redactor();
        let own_id = self.own_id(run, &id, redactor.as_deref());
        let is_answer = self.answer_tool.is_some_and(|tool| *tool == *name);
        let is_tool = |name: &str| self.table.find(name).is_some();
        let tool = match (self.table.find(&name), &redactor) {
            (Some(entry), _) => Arc::clone(&self.table.entry(entry).name),
            (None, Some(redactor)) => {
                redact_name(&mut name, redactor, is_tool);
                name
            }
            (None, None) => name,
        };
        let at = self.begun.len();
        self.own_ids.insert(Arc::clone(&own_id));
        self.places.insert(id, at);
        self.begun.push(ShownCall { own_id, tool, is_answer, arguments: filters(run).expect_json() });
        at
    }
}

impl ShownCall {
    fn piece(&self, arguments: String) -> EventKind {
        EventKind::tool_call_delta(
            Arc::clone(&self.own_id),
            Arc::clone(&self.tool),
            arguments,
            self.is_answer,
        )
    }
}

impl AgentRun {
    /// The arguments of a call after the filters for its pieces.
    pub(super) fn shown_arguments(&self, arguments: &Arc<str>) -> Arc<str> {
        let mut filters = filters(self).expect_json();
        if filters.is_empty() {
            return Arc::clone(arguments);
        }
        let shown = filters.push(arguments.to_string());
        format!("{shown}{}", filters.finish()).into()
    }

    /// Shows a whole text, if there is a reader of events.
    pub(super) fn show_text(&self, turn: u32, text: &str) {
        if !text.is_empty() && self.cx.events().are_kept() {
            let mut filters = text_filters(self);
            show_text(self, turn, filters.push(text.to_owned()));
            show_text(self, turn, filters.finish());
        }
    }
}

fn filters(run: &AgentRun) -> DeltaFilters {
    DeltaFilters::new(&run.instance.declaration.run_hooks, &run.cx)
}

fn text_filters(run: &AgentRun) -> DeltaFilters {
    let filters = filters(run);
    if run.answer.is_some() && !run.has_parser() { filters.expect_json() } else { filters }
}

fn show_text(run: &AgentRun, turn: u32, text: String) {
    if !text.is_empty() {
        run.event(turn, EventKind::text_delta(text));
    }
}

fn show_reasoning(run: &AgentRun, turn: u32, text: String) {
    if !text.is_empty() {
        run.event(turn, EventKind::reasoning_delta(text));
    }
}
