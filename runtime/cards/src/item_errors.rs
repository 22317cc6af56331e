//! The errors in items that a card names: the macros and the loader give the same ones.

use onionskin_vocabulary::{nearest, ready_hook};

use crate::item::Item;
use crate::needs::{Kind, Need, ValueKind};
use crate::problem::Problem;

/// The types that have no place.
const TYPES: [&str; 17] = [
    "String", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// The most names that a mistake lists.
const MOST_LISTED: usize = 20;

impl Need<'_> {
    fn problem(&self, message: String) -> Problem {
        Problem { message, span: self.item.span.clone() }
    }

    /// The error if the item is named without its place: `add_one`. `file` looks for a file beside the card that has
    /// it.
    pub fn without_place(&self, file: impl FnOnce() -> Option<String>) -> Option<Problem> {
        let Item::Path(name) = &self.item.value else { return None };
        if name.contains("::") || self.kind == Kind::Type && TYPES.contains(&&**name) {
            return None;
        }
        let file = file();
        if file.is_none()
            && self.kind.is_hook()
            && let Some(ready) = ready_hook(name)
        {
            return Some(self.problem(format!(
                "`{name}` has no file and no path: write `{ready}` for onionskin's own, or `{}:{name}` for one in a file",
                self.kind.file()
            )));
        }
        let file = file.unwrap_or_else(|| self.kind.file().to_owned());
        let module = file.trim_end_matches(".rs");
        Some(self.problem(format!(
            "`{name}` has no file and no path: write `{file}:{name}`, or a path, `crate::{module}::{name}`"
        )))
    }

    /// The error if the file of the item does not exist. `file` is its path, as messages show it.
    pub fn missing_file(&self, file: &str) -> Problem {
        self.problem(format!("there is no file `{file}`; a card names files relative to its own folder"))
    }

    /// The error if the file exists and the program has registered nothing of it. `file` is its path, as messages show it.
    pub fn unregistered_file(&self, file: &str) -> Problem {
        self.problem(format!(
            "the program registers nothing of `{file}`: call `file(\"{file}\", ..)` of its `Registry`"
        ))
    }

    /// The error if a type is registered for other fields than this one.
    pub fn another_use(&self, field: &str) -> Problem {
        let item = &self.item.value;
        self.problem(format!(
            "`{item}` is not registered for `{field}`: the program calls `{field}::<..>()` for it"
        ))
    }

    /// The error if the place where the item should be has no item of this name; `names` are the names that exist.
    pub fn missing<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Problem {
        let names: Vec<&str> = names.into_iter().collect();
        let (name, of) = match &self.item.value {
            Item::File { file, name } => (name, format!("`{file}` has no `{name}`")),
            Item::Path(path) => (path, format!("the program has no `{path}`")),
        };
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => format!("nothing in it is {}", self.kind),
            None if names.len() > MOST_LISTED => {
                let more = names.len() - MOST_LISTED;
                format!("there are: {}, and {more} more", names[..MOST_LISTED].join(", "))
            }
            None => format!("there are: {}", names.join(", ")),
        };
        self.problem(format!("{of}; {hint}"))
    }

    /// As [`Self::missing`], without what the names are like: for a mistake that is not shown.
    pub fn missing_too(&self) -> Problem {
        self.problem(format!("there is no `{}`", self.item.value))
    }

    /// The error if the item is something else: of the kind `found`, or of none of them.
    pub fn another_kind(&self, found: Option<Kind>) -> Problem {
        let item = &self.item.value;
        let message = match (found, self.kind) {
            (Some(Kind::TurnHook(Some(found))), Kind::TurnHook(Some(wanted))) => {
                format!("`{item}` is a hook of `{found}`, and not of `{wanted}`: name it below `{found}`")
            }
            (Some(kind), _) => match kind.field() {
                Some(field) => format!("`{item}` is {kind}: name it in `{field}`"),
                None => format!("`{item}` is {kind}, and not {}", self.kind),
            },
            (None, _) => match self.kind.attribute() {
                Some(attribute) => {
                    format!("`{item}` is not {}: write `#[{attribute}]` above it", self.kind)
                }
                None => format!("`{item}` is not {}", self.kind),
            },
        };
        self.problem(message)
    }

    /// The error in the values for a hook that takes these: each with its name, and with its kind if that is known.
    pub fn wrong_values(&self, takes: &[(String, Option<ValueKind>)]) -> Option<Problem> {
        let (with, item) = (self.with?, &self.item.value);
        if with.len() != takes.len() {
            let much = if with.len() < takes.len() { "few" } else { "many" };
            let (wanted, given) = (takes.len(), with.len());
            let names: Vec<&str> = takes.iter().map(|(name, _)| &**name).collect();
            let hint = match &*names {
                [] => String::new(),
                names => format!(": `with: [{}]`", names.join(", ")),
            };
            return Some(self.problem(format!(
                "too {much} values for `{item}`: it takes {wanted}, and this gives {given}{hint}"
            )));
        }
        takes.iter().zip(with).find_map(|((name, kind), value)| {
            let kind = kind.filter(|kind| !kind.takes(&value.value))?;
            let message = format!("`{name}` of `{item}` must be {kind}");
            Some(Problem { message, span: value.span.clone() })
        })
    }

    /// The error for a script, where only Rust can be.
    pub fn script(&self) -> Problem {
        let item = &self.item.value;
        self.problem(format!(
            "`{item}` is a script, which is run when a program loads the card: write it in Rust here"
        ))
    }

    /// The error if other files cannot use the item.
    pub fn private(&self) -> Problem {
        let item = &self.item.value;
        self.problem(format!("`{item}` is private: write `pub` before it"))
    }
}
