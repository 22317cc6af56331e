//! The text of a part: fixed, or with placeholders that are filled from the state in each turn.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::sync::Arc;

use onionskin_vocabulary::placeholders::{SESSION_STATE, TextPiece, escape, split};
use serde_json::Value;

use super::change::PromptChange;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::{RunContext, State};

/// A text of a prompt. Each turn fills the placeholder `{key}` with a field of the agent's state, or with a
/// value of the session's state ([`SessionState`](crate::SessionState)), both under a dotted name. A
/// placeholder without a value, or for a secret, is left unchanged. `{{key}}` is the text `{key}`, and
/// `{{key:?}}` is `{key:?}`; other braces are text.
///
/// In `agent!`, the compiler checks the placeholders of a literal if the agent has a `state`: they name
/// fields, and `{session_state.key}` is a value of the session's state. Placeholders of other languages, such
/// as `{key:?}` and `{{ key }}`, are errors there.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// #[derive(Clone)]
/// struct Visit {
///     guest: String,
/// }
///
/// agent! {
///     Host { instruction: "Greet {guest}.", state: Visit }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Hello!")]);
/// let visit = Visit { guest: "Ada".to_owned() };
/// let host = Host::builder().model(model).state(visit).build().await.unwrap();
/// assert_eq!(host.system_prompt().await.unwrap().unwrap(), "Greet Ada.");
/// # });
/// ```
#[derive(Clone)]
pub struct PromptText(Kind);

#[derive(Clone)]
enum Kind {
    Fixed(Arc<str>),
    Template(Arc<[Piece]>),
}

/// Reads a field of the agent's state.
type Field = dyn Fn(&RunContext) -> Result<String, BoxError> + Send + Sync;

/// A piece of a template.
enum Piece {
    Text(String),
    /// A value of the agent's state or of the session's.
    Key(String),
    Field(Box<Field>),
}

impl PromptText {
    /// The text, if it has no placeholders.
    pub(super) fn fixed(&self) -> Option<&Arc<str>> {
        match &self.0 {
            Kind::Fixed(text) => Some(text),
            Kind::Template(_) => None,
        }
    }

    /// How often the text changes.
    pub(super) fn changes(&self) -> PromptChange {
        if self.fixed().is_some() { PromptChange::Never } else { PromptChange::EachTurn }
    }

    /// The names of the placeholders that are filled by name: `guest` for `{guest}`, and `session_state.key`.
    /// Fields of the state that the compiler checks are not included.
    ///
    /// ```
    /// use onionskin::prompt::PromptText;
    ///
    /// let text = PromptText::from("Greet {guest}, not {{anybody}}, in {session_state.language}.");
    /// assert_eq!(text.placeholders().collect::<Vec<_>>(), ["guest", "session_state.language"]);
    /// ```
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        let pieces: &[Piece] = match &self.0 {
            Kind::Fixed(_) => &[],
            Kind::Template(pieces) => pieces,
        };
        pieces.iter().filter_map(|piece| match piece {
            Piece::Key(key) => Some(key.as_str()),
            Piece::Text(_) | Piece::Field(_) => None,
        })
    }

    /// The texts and the names of the placeholders.
    pub(super) fn shape(&self) -> Vec<&str> {
        match &self.0 {
            Kind::Fixed(text) => vec![text],
            Kind::Template(pieces) => {
                let shape = pieces.iter().map(|piece| match piece {
                    Piece::Text(words) | Piece::Key(words) => words.as_str(),
                    Piece::Field(_) => "{}",
                });
                shape.collect()
            }
        }
    }

    /// The source text of this template; `None` if it has fields of a type.
    pub(super) fn source(&self) -> Option<String> {
        let mut text = String::new();
        match &self.0 {
            Kind::Fixed(words) => text.push_str(&escape(words)),
            Kind::Template(pieces) => {
                for piece in &**pieces {
                    match piece {
                        Piece::Text(words) => text.push_str(&escape(words)),
                        Piece::Key(key) => text.extend(["{", key, "}"]),
                        Piece::Field(_) => return None,
                    }
                }
            }
        }
        Self::from(text.as_str()).is_like(self).then_some(text)
    }

    /// Whether two texts without fields are equal.
    fn is_like(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Fixed(one), Kind::Fixed(other)) => one == other,
            (Kind::Template(one), Kind::Template(other)) => {
                one.len() == other.len()
                    && one.iter().zip(&**other).all(|pair| match pair {
                        (Piece::Text(one), Piece::Text(other)) | (Piece::Key(one), Piece::Key(other)) => {
                            one == other
                        }
                        _ => false,
                    })
            }
            _ => false,
        }
    }

    /// The text in this run.
    pub(super) fn in_run(&self, run: &RunContext) -> Result<Cow<'_, str>, BoxError> {
        let pieces = match &self.0 {
            Kind::Fixed(text) => return Ok(Cow::Borrowed(text)),
            Kind::Template(pieces) => pieces,
        };
        let mut text = String::new();
        let mut known = Values { run, state: None };
        for piece in &**pieces {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Field(field) => text.push_str(&field(run)?),
                Piece::Key(key) => match known.get(key) {
                    Some(Value::String(words)) => text.push_str(&words),
                    Some(value) => text.push_str(&value.to_string()),
                    None => text.extend(["{", key, "}"]),
                },
            }
        }
        Ok(Cow::Owned(text))
    }
}

/// The values for placeholders.
struct Values<'r> {
    run: &'r RunContext,
    /// The agent's state as JSON, serialised on first use.
    state: Option<Value>,
}

impl Values<'_> {
    fn get(&mut self, key: &str) -> Option<Value> {
        let of_session = key.strip_prefix(SESSION_STATE);
        if of_session.is_none() {
            let state = self.state.get_or_insert_with(|| self.run.state_json().unwrap_or_default());
            // A number is an index of a list, as for tuples.
            let field = key.split('.').try_fold(&*state, |value, part| match value.as_array() {
                Some(items) => items.get(part.parse::<usize>().ok()?),
                None => value.get(part),
            });
            if let Some(field) = field {
                return Some(field.clone());
            }
        }
        let session = self.run.session_state();
        session.get(key).or_else(|| session.get(of_session?))
    }
}

impl From<Arc<str>> for PromptText {
    fn from(text: Arc<str>) -> Self {
        let pieces = pieces(&text);
        match pieces.as_slice() {
            [] | [Piece::Text(_)] => Self(Kind::Fixed(match pieces.into_iter().next() {
                Some(Piece::Text(words)) if *words != *text => words.into(),
                _ => text,
            })),
            _ => Self(Kind::Template(pieces.into())),
        }
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl From<$text> for PromptText {
            fn from(text: $text) -> Self {
                let text: &str = &text;
                Arc::<str>::from(text).into()
            }
        }
    )*};
}

texts!(String, &String, &str, Cow<'_, str>, Box<str>);

impl fmt::Debug for PromptText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Fixed(text) => f.debug_tuple("PromptText").field(text).finish(),
            Kind::Template(_) => f.write_str("PromptText(template)"),
        }
    }
}

/// Creates a text from a literal of `agent!`, which the macro split: the texts, and between them the fields
/// of the state or the keys of the session's state.
#[doc(hidden)]
pub fn template<S: Clone + Send + Sync + 'static>(
    parts: impl IntoIterator<Item = TemplatePart<S>>,
) -> PromptText {
    let piece = |part: TemplatePart<S>| match part {
        TemplatePart::Text(words) => Piece::Text(words.to_owned()),
        TemplatePart::Key(key) => Piece::Key(key.to_owned()),
        TemplatePart::Field(field) => Piece::Field(Box::new(move |run| {
            let state = State::<S>::from_run(run)?;
            Ok(field(&state.latest()).to_string())
        })),
    };
    PromptText(Kind::Template(parts.into_iter().map(piece).collect()))
}

/// A part of a literal of `agent!`.
#[doc(hidden)]
pub enum TemplatePart<S> {
    Text(&'static str),
    Key(&'static str),
    Field(fn(&S) -> &dyn Display),
}

/// Splits a text at its placeholders.
fn pieces(text: &str) -> Vec<Piece> {
    let piece = |written| match written {
        TextPiece::Words(words) => Piece::Text(words),
        TextPiece::Placeholder(path) => Piece::Key(path),
    };
    split(text).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_a_text_is_written_as_it_is_read() {
        for text in [
            "Greet {guest}.",
            "{{name}} and {name}",
            "{ x } {0} {a.} {{ \"{a\"",
            "{{a:?}} {{{a.len()}}} {a:?}",
            "",
            "{a}{b.0}",
        ] {
            let text = PromptText::from(text);
            let written = text.source().unwrap();
            assert!(PromptText::from(written.as_str()).is_like(&text), "{written}");
        }
        let of_a_type = template::<u32>([TemplatePart::Text("Greet "), TemplatePart::Field(|guests| guests)]);
        assert_eq!(of_a_type.source(), None);
    }

    proptest::proptest! {
        #[test]
        fn c3_any_text_is_written_as_it_is_read_or_not_at_all(text in "[{}a.:?() ]{0,12}") {
            let text = PromptText::from(text);
            if let Some(written) = text.source() {
                proptest::prop_assert!(PromptText::from(written.as_str()).is_like(&text), "{}", written);
            }
        }
    }
}
