//! The agents of fast-agent that call others in an order: a text says it to a model.

use onionskin_cards::yaml::{Node, Value};

use super::fields::Kind;
use super::source::{AgentFile, Note, scalar};
use super::text::beginning;
use super::tools::names_in;
use super::types::{Flow, TYPES};

/// The order in which an agent calls others.
#[derive(Debug)]
pub(super) struct Directions {
    flow: Flow,
    /// The agents that it calls first, each with its line.
    agents: Vec<(usize, String)>,
    /// The agent that gets their answers: the evaluator, or the one that fans in.
    last: Option<(usize, String)>,
    /// What the sentences say.
    is_cumulative: bool,
    with_request: bool,
    rounds: Option<u64>,
    rating: Option<String>,
    refinement: Option<String>,
}

impl Directions {
    /// The order that a file says, and what its type is here; `None` for an agent that calls others as it likes.
    ///
    /// # Errors
    /// Returns why there is no such agent here, or what is missing.
    pub(super) fn read(kind: Kind, file: &AgentFile) -> Result<(Option<Self>, Option<Note>), Note> {
        let get = |name: &str| {
            file.fields.iter().find(|field| field.name == name).filter(|field| !field.value.is_null())
        };
        let Some(field) = get("type").filter(|_| kind == Kind::FastAgent) else {
            return Ok((None, None));
        };
        let written = scalar(&field.value).unwrap_or_default();
        let Some((name, flow, here)) =
            TYPES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(written.trim()))
        else {
            return Err(Note::new(
                field.line,
                format!("there is no agent of the type `{}`", beginning(written, 60)),
            ));
        };
        let note = Some(Note::new(field.line, format!("`type: {name}` is {here}")));
        let agents_field = match flow {
            Flow::Plain => return Ok((None, note.filter(|_| *name == "smart"))),
            Flow::Refused => {
                return Err(Note::new(field.line, format!("`type: {name}` is {here}")));
            }
            Flow::Chain => "sequence",
            Flow::Parallel => "fan_out",
            Flow::Router | Flow::Planner => "agents",
            Flow::Refine => "generator",
        };
        let names = |name: &str| get(name).map_or_else(Vec::new, |field| names_in(&field.value, file));
        let needed = |name: &'static str| {
            let names = names(name);
            if names.is_empty() {
                return Err(Note::new(
                    field.line,
                    format!("`type: {written}` needs `{name}`, with the names of agents"),
                ));
            }
            Ok(names)
        };
        let agents = needed(agents_field)?;
        let last = match flow {
            Flow::Parallel => names("fan_in").into_iter().next(),
            Flow::Refine => needed("evaluator")?.into_iter().next(),
            Flow::Plain | Flow::Chain | Flow::Router | Flow::Planner | Flow::Refused => None,
        };
        let text = |name: &str| get(name).and_then(|field| scalar(&field.value)).map(str::to_owned);
        let is = |name: &str, word: &str| text(name).is_some_and(|text| text.eq_ignore_ascii_case(word));
        let number = |name: &str| get(name).and_then(|field| number(&field.value));
        let directions = Self {
            flow: *flow,
            agents,
            last,
            is_cumulative: is("cumulative", "true"),
            with_request: !is("include_request", "false"),
            rounds: number("max_refinements").or_else(|| number("plan_iterations")),
            rating: text("min_rating"),
            refinement: text("refinement_instruction"),
        };
        Ok((Some(directions), note))
    }

    /// The agents that it needs. Those of a router and of a planner are in its field `agents`.
    pub(super) fn children(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_of_field = matches!(self.flow, Flow::Router | Flow::Planner);
        let agents = self.agents.iter().filter(move |_| !is_of_field).chain(&self.last);
        agents.map(|(line, name)| (*line, &**name))
    }

    /// What a model is told; `tool` gives the tool of an agent.
    pub(super) fn text(&self, tool: impl Fn(&str) -> String) -> String {
        let tools: Vec<String> = self.agents.iter().map(|(_, name)| tool(name)).collect();
        let last = self.last.as_ref().map(|(_, name)| tool(name));
        let all = tools.join(", ");
        match self.flow {
            Flow::Plain | Flow::Refused => String::new(),
            Flow::Chain => {
                let input = if self.is_cumulative {
                    "the request and all answers so far"
                } else {
                    "the answer of the one before, as it is"
                };
                format!(
                    "Call these tools one after the other, in this order: {all}. Give the first one the request, and each later one {input}. Your answer is the answer of the last one, word for word."
                )
            }
            Flow::Parallel => {
                let first = format!("Call these tools at once, each with the request as it is: {all}.");
                let request = if self.with_request { "the request and " } else { "" };
                match last {
                    Some(last) => format!(
                        "{first} Then call {last} with {request}all their answers, each below the name of its tool. Your answer is the answer of {last}, word for word."
                    ),
                    None => format!(
                        "{first} Your answer is all their answers, each below the name of its tool, word for word."
                    ),
                }
            }
            Flow::Router => format!(
                "Choose the one tool that suits the request best, among these: {all}. Call it with the request as it is. Your answer is its answer, word for word."
            ),
            Flow::Planner => {
                let rounds =
                    self.rounds.map_or_else(String::new, |rounds| format!(" Plan at most {rounds} times."));
                format!(
                    "Plan the next steps, and give each to the tool that suits it, among these: {all}. Call the tools of steps that do not need each other at once. Look at the results, then plan the next steps, until the request is fulfilled.{rounds} Then answer the request with the results."
                )
            }
            Flow::Refine => {
                let evaluator = last.unwrap_or_default();
                let rating = self.rating.as_deref().unwrap_or("GOOD");
                let rounds = self.rounds.unwrap_or(3);
                let refinement = self
                    .refinement
                    .as_ref()
                    .map_or_else(String::new, |text| format!(" Add this to the call: {}", text.trim()));
                format!(
                    "Call {all} with the request. Call {evaluator} with the request and the text that came back, and ask it for a rating (POOR, FAIR, GOOD or EXCELLENT) and for what to improve. If the rating is less than {rating}, call {all} again with the request, the text and what to improve, and have the new text rated; do this at most {rounds} times.{refinement} Your answer is the text with the best rating, word for word."
                )
            }
        }
    }
}

fn number(node: &Node) -> Option<u64> {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.trim().parse().ok(),
        Value::List(_) | Value::Map(_) => None,
    }
}
