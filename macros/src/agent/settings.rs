//! The settings of an agent, and the entries of `request_params` and `limits`.

use onionskin_vocabulary::agent::{Choice, Limit, RequestParam, Setting, SettingKind};
use onionskin_vocabulary::settings::{COUNT, Unit, ValueKind, timeout_mistake};
use onionskin_vocabulary::{Word, messages, unknown};
use proc_macro2::Ident;
use syn::{Expr, LitBool};

use super::ast::Number;
use super::fields::RawSetting;
use crate::diag::Errors;
use crate::number;

/// The way in which an entry becomes a field of the runtime's struct.
#[derive(Clone, Copy)]
pub(super) enum Write {
    /// The value itself.
    Value,
    /// The value in an `Option`.
    Optional,
    /// The value as `Some`, for types without a default.
    Some,
    /// Each of its items, converted.
    List,
    /// A time.
    Seconds,
    /// A time in an `Option`.
    OptionalSeconds,
}

/// An entry that was written, and how the expansion writes it.
pub(super) struct ExplicitSetting<'a> {
    pub(super) key: &'a Ident,
    pub(super) value: &'a Expr,
    pub(super) write: Write,
}

/// The value of a setting, understood.
pub(super) enum SettingValue<'a> {
    Boolean(&'a LitBool),
    Text(&'a Expr),
    Count(usize),
    Seconds(f64),
    /// A variant of the runtime's type that is called as the setting.
    Word(Ident),
}

pub(super) fn request_params<'a>(
    table: &'a [(Ident, Expr)],
    errors: &mut Errors,
) -> Vec<ExplicitSetting<'a>> {
    let write = |param| match param {
        RequestParam::Temperature | RequestParam::TopP | RequestParam::MaxTokens | RequestParam::Seed => {
            Write::Optional
        }
        RequestParam::StopSequences => Write::List,
        RequestParam::ToolChoice | RequestParam::ExtraBody => Write::Value,
        RequestParam::ResponseSchema => Write::Some,
    };
    entries("request parameter", table, RequestParam::kind, write, errors)
}

pub(super) fn limits<'a>(table: &'a [(Ident, Expr)], errors: &mut Errors) -> Vec<ExplicitSetting<'a>> {
    let kind = |limit: Limit| ValueKind::Number(limit.number());
    let write = |limit: Limit| match (limit.number().unit, limit.is_optional()) {
        (Unit::Seconds, true) => Write::OptionalSeconds,
        (Unit::Seconds, false) => Write::Seconds,
        (Unit::Whole | Unit::LongWhole | Unit::Fraction, true) => Write::Optional,
        (Unit::Whole | Unit::LongWhole | Unit::Fraction, false) => Write::Value,
    };
    entries("limit", table, kind, write, errors)
}

/// Resolves the known entries and reports mistakes.
fn entries<'a, W: Word>(
    what: &str,
    table: &'a [(Ident, Expr)],
    kind: impl Fn(W) -> ValueKind,
    write: impl Fn(W) -> Write,
    errors: &mut Errors,
) -> Vec<ExplicitSetting<'a>> {
    let mut given: Vec<ExplicitSetting<'a>> = Vec::new();
    for (key, value) in table {
        let name = key.to_string();
        let Some(word) = W::from_word(&name) else {
            errors.push(key.span(), messages::unknown_entry::<W>(what, &name));
            continue;
        };
        if given.iter().any(|earlier| earlier.key == key) {
            errors.push(key.span(), format_args!("`{name}` is given twice; keep one of them"));
        }
        check(&name, kind(word), value, errors);
        given.push(ExplicitSetting { key, value, write: write(word) });
    }
    given
}

/// Checks a value that is written as a literal.
fn check(name: &str, kind: ValueKind, value: &Expr, errors: &mut Errors) {
    if let Some(error) = number::digits(value).and_then(number::with_unit) {
        errors.add(error);
        return;
    }
    match kind {
        ValueKind::Number(bounds) => {
            let Some(number) = number::literal(value) else { return };
            let example = format!("{name}: {}", bounds.example());
            let mistake = errors.take(number::whole(value));
            let mistake = mistake.and_then(|whole| bounds.mistake(name, number, whole, &example));
            if let Some(mistake) = mistake {
                errors.at(value, mistake);
            }
        }
        ValueKind::Texts if matches!(value, Expr::Lit(_)) => {
            errors.at(value, format_args!("expected a list: `{name}: [\"END\"]`"));
        }
        ValueKind::Texts | ValueKind::ToolChoice | ValueKind::Map => {}
    }
}

/// The settings without mistakes.
pub(super) fn settings<'a>(
    written: &'a [(Setting, RawSetting)],
    errors: &mut Errors,
) -> Vec<(Setting, SettingValue<'a>)> {
    let mut settings = Vec::new();
    for (setting, written) in written {
        let word = setting.word();
        let value = match (setting.kind(), written) {
            (SettingKind::Word { choice, .. }, RawSetting::Word(written)) => {
                variant(choice, written, errors).map(SettingValue::Word)
            }
            (SettingKind::Seconds(_), RawSetting::Number(Number { value, span, .. })) => {
                if let Some(mistake) = timeout_mistake(word, *value) {
                    errors.push(*span, mistake);
                }
                Some(SettingValue::Seconds(*value))
            }
            (SettingKind::Count(example), RawSetting::Number(Number { value, whole, span })) => {
                if let Some(mistake) = COUNT.mistake(word, *value, *whole, &format!("{word}: {example}")) {
                    errors.push(*span, mistake);
                }
                whole.map(|count| SettingValue::Count(usize::try_from(count).unwrap_or(usize::MAX)))
            }
            (_, RawSetting::Boolean(value)) => Some(SettingValue::Boolean(value)),
            (_, RawSetting::Text(value)) => Some(SettingValue::Text(value)),
            (_, RawSetting::Word(_) | RawSetting::Number(_)) => None,
        };
        settings.extend(value.map(|value| (*setting, value)));
    }
    settings.sort_by_key(|(setting, _)| *setting);
    settings
}

fn variant(choice: Choice, written: &Ident, errors: &mut Errors) -> Option<Ident> {
    let word = written.to_string();
    let variant = choice.variant(&word);
    if variant.is_none() {
        errors.push(written.span(), unknown("value", &word, choice.words()));
    }
    variant.map(|variant| Ident::new(variant, written.span()))
}
