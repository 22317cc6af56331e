//! The settings of a card that is written.

use onionskin_cards::{Card, Spanned};
use onionskin_core::__private0::settings::Settings;
use onionskin_vocabulary::Word;
use onionskin_vocabulary::agent::{Part, Setting};
use onionskin_vocabulary::settings::{TOOL_CHOICES, ValueKind};
use serde_json::Value;

use super::{Dump, DumpError, spanned};

impl Dump<'_> {
    /// Writes the settings that differ from their defaults.
    pub(super) fn settings(&self, card: &mut Card) -> Result<(), DumpError> {
        let json = |settings: &Settings| {
            let json = serde_json::to_value(settings);
            json.map_err(|error| self.code(format!("a setting ({error})"), "write the card yourself"))
        };
        let (settings, usual) = (json(&self.outline.settings)?, json(&Settings::default())?);
        for setting in Setting::ALL {
            let value = differing(&settings, &usual, setting.word());
            card.settings.extend(value.map(|value| (*setting, value)));
        }
        card.limits = entries(&settings, &usual, Part::Limits);
        card.request_params = entries(&settings, &usual, Part::RequestParams);
        for (param, value) in &mut card.request_params {
            if let (ValueKind::ToolChoice, Some(tool)) = (param.value.kind(), value.value.get("tool")) {
                if let Some(tool) = tool.as_str().filter(|tool| TOOL_CHOICES.contains(tool)) {
                    let (agent, tool) = (self.outline.name.to_string(), tool.to_owned());
                    return Err(DumpError::ToolChoice { agent, tool });
                }
                value.value = tool.clone();
            }
        }
        Ok(())
    }
}

fn entries<W: Word>(settings: &Value, usual: &Value, table: Part) -> Vec<(Spanned<W>, Spanned<Value>)> {
    let (settings, usual) = (&settings[table.word()], &usual[table.word()]);
    let entry = |word: &W| Some((spanned(*word), differing(settings, usual, word.word())?));
    W::ALL.iter().filter_map(entry).collect()
}

fn differing(settings: &Value, usual: &Value, word: &str) -> Option<Spanned<Value>> {
    let value = settings.get(word).filter(|value| !value.is_null() && Some(*value) != usual.get(word))?;
    Some(spanned(value.clone()))
}
