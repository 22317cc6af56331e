//! The settings of an agent, and the entries of `request_params` and `limits`.

use onionskin_vocabulary::agent::{Limit, RequestParam, Setting, SettingKind};
use onionskin_vocabulary::settings::{COUNT, Unit, ValueKind, timeout_mistake};
use onionskin_vocabulary::{Word, messages, unknown};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Expr, LitBool};

use super::value::{bare, boolean, model, number};
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
    /// A variant of a type of the runtime, as `Some`.
    Word { ty: &'static str, variant: &'static str },
}

/// An entry that was written, and how the expansion writes it.
pub(super) struct ExplicitSetting<'a> {
    pub(super) key: &'a Ident,
    pub(super) value: &'a Expr,
    pub(super) write: Write,
}

/// The value of a setting.
pub(super) enum SettingValue {
    Boolean(LitBool),
    Text(Expr),
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
        RequestParam::ResponseSchema
        | RequestParam::ReasoningEffort
        | RequestParam::Verbosity
        | RequestParam::ServiceTier
        | RequestParam::ParallelToolCalls => Write::Some,
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
        let variant = || match kind(word) {
            ValueKind::Word(choice) => choice.variant(&bare_word(value)?.to_string()),
            ValueKind::Number(_)
            | ValueKind::Texts
            | ValueKind::ToolChoice
            | ValueKind::Map
            | ValueKind::Boolean => None,
        };
        let write =
            variant().map_or_else(|| write(word), |variant| Write::Word { ty: word.variant(), variant });
        given.push(ExplicitSetting { key, value, write });
    }
    given
}

/// A value that is one word in lower case. Other values are expressions.
fn bare_word(value: &Expr) -> Option<&Ident> {
    let Expr::Path(path) = value else { return None };
    path.path.get_ident().filter(|ident| ident.to_string().starts_with(|mark: char| mark.is_lowercase()))
}

/// Checks a value that is written as a literal or as a word.
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
        ValueKind::Word(choice) => match (bare_word(value), value) {
            (Some(word), _) => {
                if let Some(mistake) = choice.mistake(&word.to_string()) {
                    errors.at(value, mistake);
                }
            }
            (None, Expr::Lit(_)) => errors.at(value, choice.expected(name)),
            (None, _) => {}
        },
        ValueKind::Boolean if matches!(value, Expr::Lit(lit) if !matches!(lit.lit, syn::Lit::Bool(_))) => {
            errors.at(value, messages::expected_boolean(name));
        }
        ValueKind::Texts | ValueKind::ToolChoice | ValueKind::Map | ValueKind::Boolean => {}
    }
}

/// Reads the value of a setting.
pub(super) fn read(setting: Setting, input: ParseStream<'_>) -> syn::Result<SettingValue> {
    let word = setting.word();
    let mistake = |at: &dyn ToTokens, mistake: Option<String>| match mistake {
        Some(mistake) => Err(syn::Error::new_spanned(at, mistake)),
        None => Ok(()),
    };
    Ok(match setting.kind() {
        SettingKind::Boolean => SettingValue::Boolean(boolean(input, word)?),
        SettingKind::Text => SettingValue::Text(model(input, setting)?),
        SettingKind::Seconds(example) => {
            let (expr, seconds) = number(input, &format!("{word}: {example}"))?;
            mistake(&expr, timeout_mistake(word, seconds))?;
            SettingValue::Seconds(seconds)
        }
        SettingKind::Count(example) => {
            let example = format!("{word}: {example}");
            let (expr, count) = number(input, &example)?;
            let whole = number::whole(&expr)?;
            mistake(&expr, COUNT.mistake(word, count, whole, &example))?;
            SettingValue::Count(whole.and_then(|whole| whole.try_into().ok()).unwrap_or(usize::MAX))
        }
        SettingKind::Word { choice, example } => {
            let written = bare(input, &format!("{word}: {example}"))?;
            let text = written.to_string();
            match choice.variant(&text) {
                Some(variant) => SettingValue::Word(Ident::new(variant, written.span())),
                None => return Err(syn::Error::new(written.span(), unknown("value", &text, choice.words()))),
            }
        }
    })
}
