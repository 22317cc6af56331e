//! The ids of calls and the names of tools in them, in the form that a provider accepts: a conversation can have calls of other providers,
//! and names that a model invented.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The ids that a provider accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// Any text up to this length.
    Any(usize),
    /// Letters, digits, `_` and `-`, up to this length. No two calls of a conversation may have the same.
    Word(usize),
    /// Nine letters and digits.
    Nine,
}

/// The ids of a request. A call and its result get the same one.
pub(crate) struct Ids {
    form: IdForm,
    used: HashSet<String>,
    calls: usize,
    /// The ids of the calls of the last answer that were changed.
    changed: HashMap<String, String>,
}

impl Ids {
    pub(crate) fn new(form: IdForm) -> Self {
        Self { form, used: HashSet::new(), calls: 0, changed: HashMap::new() }
    }

    /// Begins the calls of another answer.
    pub(crate) fn next_turn(&mut self) {
        self.changed.clear();
    }

    /// The id of a call of the answer.
    pub(crate) fn call(&mut self, id: &str) -> String {
        self.calls += 1;
        let mut own = if self.form.accepts(id) { id.to_owned() } else { self.form.rewrite(id, self.calls) };
        if !matches!(self.form, IdForm::Any(_)) && !self.used.insert(own.clone()) {
            let mut number = self.calls;
            own = self.form.rewrite(id, number);
            // A call before can have this id of its own.
            while !self.used.insert(own.clone()) {
                number += 1;
                own = self.form.rewrite(id, number);
            }
        }
        if own != id {
            self.changed.insert(id.to_owned(), own.clone());
        }
        own
    }

    /// The id of the call that a result belongs to.
    pub(crate) fn result(&self, id: &str) -> String {
        self.changed.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

/// The most characters of a tool's name that all providers accept.
const NAME: usize = 64;

/// The name of a tool in a call or a result. An offered tool has such a name; one that a model invented may not, and a provider would refuse each
/// later request with it.
pub(crate) fn sent_name(name: &str) -> Cow<'_, str> {
    let is_legal = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '_' | '-');
    if !name.is_empty() && name.len() <= NAME && name.chars().all(is_legal) {
        return name.into();
    }
    let legal = name.chars().map(|mark| if is_legal(mark) { mark } else { '_' });
    let legal: String = legal.take(NAME).collect();
    if legal.is_empty() { "_".into() } else { legal.into() }
}

impl IdForm {
    fn longest(self) -> usize {
        match self {
            Self::Any(most) | Self::Word(most) => most,
            Self::Nine => 9,
        }
    }

    fn accepts(self, id: &str) -> bool {
        let word = |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '_' | '-');
        let fits = !id.is_empty() && id.len() <= self.longest();
        match self {
            Self::Any(_) => fits && !id.contains(char::is_control),
            Self::Word(_) => fits && id.chars().all(word),
            Self::Nine => id.len() == 9 && id.chars().all(|mark| mark.is_ascii_alphanumeric()),
        }
    }

    /// An accepted id that is like this one. The number of the call in the conversation makes it unique.
    fn rewrite(self, id: &str, number: usize) -> String {
        if self == Self::Nine {
            return format!("call{number:05}").chars().take(9).collect();
        }
        let end = format!("_n{number}");
        let retained =
            id.chars().map(|mark| if mark.is_ascii_alphanumeric() || mark == '-' { mark } else { '_' });
        let retained: String = retained.take(self.longest() - end.len()).collect();
        format!("{retained}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_ids_of_other_providers_get_the_form_of_this_one() {
        let mut ids = Ids::new(IdForm::Word(64));
        for (id, sent) in [("call_1", "call_1"), ("call#weather#0", "call_weather_0_n2"), ("w:0", "w_0_n3")] {
            assert_eq!((ids.call(id), ids.result(id)), (sent.to_owned(), sent.to_owned()));
        }
        assert_eq!(ids.call(&"x".repeat(80)).len(), 64);
        assert_eq!(ids.result("unknown"), "unknown");
        let mut nine = Ids::new(IdForm::Nine);
        assert_eq!([nine.call("abcdefghi"), nine.call("call_1")], ["abcdefghi", "call00002"]);
        let mut any = Ids::new(IdForm::Any(40));
        assert_eq!(any.call("functions.weather:0"), "functions.weather:0");
        assert!(any.call(&"x".repeat(80)).len() <= 40);
    }

    #[test]
    fn o3_an_id_of_nine_letters_belongs_to_one_call() {
        let mut ids = Ids::new(IdForm::Nine);
        assert_eq!(
            [ids.call("call00002"), ids.call("zzz"), ids.call("call00003")],
            ["call00002", "call00003", "call00004"]
        );
        assert_eq!(
            ["call00002", "zzz", "call00003"].map(|id| ids.result(id)),
            ["call00002", "call00003", "call00004"]
        );
    }

    #[test]
    fn o3_the_calls_of_two_turns_have_different_ids() {
        let mut ids = Ids::new(IdForm::Word(64));
        assert_eq!((ids.call("_1"), ids.result("_1")), ("_1".to_owned(), "_1".to_owned()));
        ids.next_turn();
        assert_eq!((ids.call("_1"), ids.result("_1")), ("_1_n2".to_owned(), "_1_n2".to_owned()));
    }
}
