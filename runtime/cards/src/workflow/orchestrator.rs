//! Who begins a workflow, and when it ends.

use serde_json::Value as Json;

use onionskin_vocabulary::agent::{Limit, Setting};
use onionskin_vocabulary::unknown;

use super::files::Files;
use super::foreign;
use super::names::Names;
use crate::card::Card;
use crate::reader::{Field, Reader};
use crate::source::Spanned;
use crate::yaml::Value;

/// The fields of the orchestrator.
const FIELDS: [&str; 4] = ["start_agent", "initial_message", "turn_limit", "termination"];

/// The other fields of `workflow.json`.
const OTHERS: [&str; 4] = ["agents", "agent_tools", "ui_tools", "hooks"];

#[derive(Default)]
pub(super) struct Orchestrator {
    start_agent: Option<Spanned<String>>,
    pub(super) initial_message: Option<Spanned<String>>,
    turn_limit: Option<Spanned<u64>>,
    termination: Option<Spanned<String>>,
}

pub(super) fn read(files: &Files, reader: &mut Reader) -> Orchestrator {
    let mut orchestrator = Orchestrator::default();
    if files.is_broken("orchestrator") {
        return orchestrator;
    }
    let part = files.part("orchestrator");
    let Some(Value::Map(entries)) = part.value.map(|node| &node.value) else {
        reader.note(
            &(part.start..part.start),
            "expected the fields of the orchestrator: `\"start_agent\": \"..\"`",
        );
        return orchestrator;
    };
    let mut is_given = false;
    for (key, value) in entries {
        let field = Field { key, value };
        match &*key.value {
            "start_agent" => {
                is_given = true;
                orchestrator.start_agent = reader.text(field);
            }
            "initial_message" | "termination" if value.is_null() => {}
            "initial_message" => orchestrator.initial_message = reader.filled(field),
            "turn_limit" => orchestrator.turn_limit = turn_limit(field, reader),
            "termination" => orchestrator.termination = reader.filled(field),
            other if files.is_one() && OTHERS.contains(&other) => {}
            other => {
                let known: Vec<&str> = if files.is_one() {
                    FIELDS.iter().chain(&OTHERS).copied().collect()
                } else {
                    FIELDS.to_vec()
                };
                let (message, meant) = foreign::unknown("field", other, foreign::ORCHESTRATOR, &known);
                is_given |= meant.contains(&"start_agent");
                reader.note(&key.span, message);
            }
        }
    }
    if !is_given {
        reader.note(&(part.start..part.start), "the agent that begins is missing: `\"start_agent\": \"..\"`");
    }
    orchestrator
}

fn turn_limit(field: Field<'_>, reader: &mut Reader) -> Option<Spanned<u64>> {
    let limit = reader.whole(field, "\"turn_limit\": 20")?;
    if limit.value > u64::from(u32::MAX) {
        reader.note(&limit.span, format!("`turn_limit` must be at most {}", u32::MAX));
        return None;
    }
    Some(limit)
}

impl Orchestrator {
    /// Makes the start agent the default one, with the limit of turns.
    pub(super) fn begin(&self, names: &Names, cards: &mut [Option<Card>], reader: &mut Reader) {
        let Some(start) = &self.start_agent else { return };
        let Some(index) = names.all.iter().position(|name| *name == start.value) else {
            if names.is_complete {
                let known: Vec<&str> = names.all.iter().map(String::as_str).collect();
                reader.note(&start.span, unknown("agent", &start.value, &known));
            }
            return;
        };
        let Some(card) = &mut cards[index] else { return };
        card.settings.retain(|(known, _)| *known != Setting::Default);
        card.settings.push((Setting::Default, Spanned::new(Json::Bool(true), start.span.clone())));
        card.until.clone_from(&self.termination);
        if let (Some(termination), Some(_)) = (&self.termination, &card.output) {
            let message = format!(
                "`{}` has an `output`, and an answer of that type ends the work: remove `termination`",
                start.value
            );
            reader.note(&termination.span, message);
        }
        if let Some(limit) = &self.turn_limit {
            if let Some((turns, _)) = card.limits.iter().find(|(key, _)| key.value == Limit::Turns) {
                let message =
                    format!("`{}` has `limits: {{ turns: .. }}` too; keep one of them", start.value);
                reader.note(&turns.span, message);
            }
            let key = Spanned::new(Limit::Turns, limit.span.clone());
            card.limits.push((key, Spanned::new(Json::from(limit.value), limit.span.clone())));
        }
    }
}
