//! [`Args`]: the arguments of one tool call.

mod from;
mod parse;
#[cfg(test)]
mod tests;
mod unknown;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::json::{self, Literals, repair};
use crate::schema::{coerce, fill_defaults};

pub use parse::ArgsError;
pub(crate) use parse::parse_object;
use unknown::unknown;

/// The arguments of one tool call: a JSON object.
///
/// They are kept as the model's text until a value is read, so a hook that only passes them on costs nothing.
/// Names and types are checked in the innermost layer. A hook sees what the tool gets: if the schema requires
/// a number, `"41"` reads as 41.
///
/// ```
/// use onionskin::Args;
/// let mut args = Args::from(r#"{"x": 41}"#);
/// assert_eq!(args["x"], 41);
/// args["x"] = 10.into();
/// assert_eq!(args.to_string(), r#"{"x":10}"#);
/// ```
///
/// Text that is not one JSON object reads as an empty one: [`Args::get`] returns `None`. The text is kept,
/// and the call is refused where the tool would have run. [`Args::as_object`] returns the reason, and
/// [`Args::replace`] sets another object.
///
/// A [`Value`] holds whole numbers from `i64::MIN` to `u64::MAX`; longer ones read as the nearest fraction.
/// They keep their digits all the same, also if a hook changed or moved arguments. Two different ones that
/// read as the same fraction are refused if a hook changed the arguments, because they cannot be
/// distinguished.
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own of one text")]
pub struct Args {
    text: Arc<str>,
    object: OnceLock<Result<Map<String, Value>, Arc<Broken>>>,
    /// The object was borrowed for changes: it is now the truth and `text` is stale. If it cannot be written
    /// back, the error is permanent.
    changed: bool,
    /// A read may not show what the tool gets: no schema is attached, or values were borrowed for changes
    /// since they were last converted to the schema's types.
    is_uncoerced: bool,
    /// Whether each layer looks at them, because a question may show them.
    is_watched: bool,
    /// Whether reads show the schema's defaults of missing arguments.
    shows_defaults: bool,
    /// The schema of the called tool.
    schema: Option<Arc<Value>>,
}

/// Arguments that are not an object.
#[derive(Clone)]
struct Broken {
    error: ArgsError,
    /// Receives values that are set in them.
    lost: Value,
}

impl From<ArgsError> for Arc<Broken> {
    fn from(error: ArgsError) -> Self {
        Self::new(Broken { error, lost: Value::Null })
    }
}

impl From<Arc<str>> for Args {
    /// The arguments of a model's call. The text is read later: at the first read, or by the tool.
    fn from(text: Arc<str>) -> Self {
        Self {
            text,
            object: OnceLock::new(),
            changed: false,
            is_uncoerced: true,
            is_watched: false,
            shows_defaults: true,
            schema: None,
        }
    }
}

impl Args {
    /// Makes arguments from an object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self { object: OnceLock::from(Ok(object)), changed: true, ..Self::from("") }
    }

    /// The text: as the model wrote it, or serialised again after a hook changed it.
    pub fn text(&self) -> Arc<str> {
        match self.object.get() {
            Some(Ok(object)) if self.changed => {
                self.encode(object).unwrap_or_else(|_| json::rounded_text(object)).into()
            }
            _ => Arc::clone(&self.text),
        }
    }

    /// The object.
    ///
    /// # Errors
    /// Returns an error if the text is not one JSON object, even after the listed repairs (a code fence
    /// around it, a trailing comma, an object encoded twice), or if it has a duplicate key.
    pub fn as_object(&self) -> Result<&Map<String, Value>, &ArgsError> {
        self.object.get_or_init(|| Ok(self.parsed()?)).as_ref().map_err(|broken| &broken.error)
    }

    fn parsed(&self) -> Result<Map<String, Value>, ArgsError> {
        let object = parse_object(&self.text)?;
        Ok(match &self.schema {
            Some(schema) => self.coerced(object, schema),
            None => object,
        })
    }

    fn coerced(&self, object: Map<String, Value>, schema: &Value) -> Map<String, Value> {
        let mut value = Value::Object(object);
        coerce(&mut value, schema, schema, &self.literals());
        match value {
            Value::Object(mut object) => {
                if self.shows_defaults {
                    fill_defaults(&mut object, schema);
                }
                object
            }
            _ => unreachable!("an object is read as nothing else"),
        }
    }

    /// Whether reads show the defaults of missing arguments.
    pub(crate) fn shows_defaults(&self) -> bool {
        self.shows_defaults
    }

    /// Converts what was read before the schema was attached.
    #[cold]
    fn coerce_again(&mut self, schema: &Value) {
        if !self.changed {
            self.object = OnceLock::new();
        } else if let Some(Ok(object)) = self.object.get_mut() {
            let object = std::mem::take(object);
            self.object = OnceLock::from(Ok(self.coerced(object, schema)));
        }
    }

    /// The object, for changes.
    ///
    /// # Errors
    /// As [`Args::as_object`]; the text is then unchanged. [`Args::replace`] sets a new object.
    pub fn as_object_mut(&mut self) -> Result<&mut Map<String, Value>, &ArgsError> {
        let _ = self.as_object();
        match self.object.get_mut() {
            Some(Ok(object)) => {
                self.changed = true;
                self.is_uncoerced = true;
                Ok(object)
            }
            Some(Err(broken)) => Err(&broken.error),
            None => unreachable!("the object was just read"),
        }
    }

    /// The value of one argument, converted to the type in the tool's schema if that is possible without
    /// loss. `None` if it is missing, or if the text is not one JSON object; [`Self::as_object`] tells these
    /// apart. `args["x"]` reads a missing argument as `null`, and panics at one that the tool does not have.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object().ok()?.get(name)
    }

    /// The value of one argument, for changes; `None` as for [`Self::get`].
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.get(name)?;
        self.as_object_mut().ok()?.get_mut(name)
    }

    /// Sets one argument and returns its earlier value. Text that is not an object is unchanged.
    ///
    /// # Errors
    /// As [`Args::as_object`].
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        value: impl Into<Value>,
    ) -> Result<Option<Value>, &ArgsError> {
        Ok(self.as_object_mut()?.insert(name.into(), value.into()))
    }

    /// Removes one argument and returns its value; `None` as for [`Self::get`].
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.get(name)?;
        json::remove(self.as_object_mut().ok()?, name)
    }

    /// Replaces all arguments, whatever they were.
    pub fn replace(&mut self, object: Map<String, Value>) {
        let (schema, shows_defaults) = (self.schema.take(), self.shows_defaults);
        *self = Self { shows_defaults, schema, ..Self::new(object) };
    }

    #[cold]
    fn write_back(&mut self) {
        let Some(Ok(object)) = self.object.get() else { return };
        match self.encode(object) {
            Ok(text) => {
                self.text = text.into();
                self.changed = false;
            }
            // The arguments stay changed, so that a clone is refused as well.
            Err(error) => {
                self.text = Arc::from("");
                self.object = OnceLock::from(Err(error.into()));
            }
        }
    }

    /// The changed object as text. Long numbers keep their digits from the original text.
    fn encode(&self, object: &Map<String, Value>) -> Result<String, ArgsError> {
        match repair(&self.text) {
            Some(repaired) => json::to_text(object, &repaired),
            None => json::to_text(object, &self.text),
        }
        .map_err(ArgsError::new)
    }

    /// The reason why changes could not be made or written back.
    pub(crate) fn refused(&self) -> Option<&ArgsError> {
        if self.changed { self.object.get()?.as_ref().err().map(|broken| &broken.error) } else { None }
    }

    /// The original text of the first number that a [`Value`] rounds.
    pub fn rounded_number(&mut self) -> Option<String> {
        let text = self.flush();
        let repaired = repair(text);
        json::rounded_number(repaired.as_deref().unwrap_or(text)).map(str::to_owned)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Args {
    /// Makes reads return the values as a tool with this schema gets them: the tool reads `"41"` as 41 if the
    /// schema requires a number, so a hook must not see a string. The text is parsed on the first read.
    ///
    /// `shows_defaults` is whether reads also show the schema's defaults of missing arguments.
    #[inline]
    pub fn attach(&mut self, schema: &Arc<Value>, shows_defaults: bool) {
        self.shows_defaults = shows_defaults;
        self.attach_schema(schema);
    }

    /// As [`Self::attach`], with another schema for the same tool.
    #[inline]
    pub fn attach_schema(&mut self, schema: &Arc<Value>) {
        if self.object.get().is_some() {
            self.coerce_again(schema);
        }
        self.is_uncoerced = self.is_watched;
        self.schema = Some(Arc::clone(schema));
    }

    /// Whether a layer must process the arguments before it passes them on.
    #[inline]
    pub fn is_uncoerced(&self) -> bool {
        self.is_uncoerced
    }

    /// As [`Self::attach_schema`], for arguments that one hook passes to the next. It keeps a schema that is
    /// attached already.
    pub fn attach_again(&mut self, schema: &Arc<Value>) {
        match self.schema.take() {
            Some(known) => self.attach_schema(&known),
            None => self.attach_schema(schema),
        }
    }

    /// Makes each layer process the arguments and their clones.
    pub fn watch(&mut self) {
        (self.is_watched, self.is_uncoerced) = (true, true);
    }

    /// The attached schema.
    pub fn attached_schema(&self) -> Option<&Value> {
        self.schema.as_deref()
    }

    /// Whether a read returns the default for this missing argument.
    pub fn is_default(&self, name: &str) -> bool {
        let shown = self.schema.as_ref().and_then(|schema| schema["properties"][name].get("default"));
        shown.is_some_and(|default| self.get(name) == Some(default))
    }

    /// Makes reads return the values as they were written.
    pub fn detach_schema(&mut self) -> Option<Arc<Value>> {
        if !self.changed {
            self.object = OnceLock::new();
        }
        self.is_uncoerced = true;
        self.schema.take()
    }

    /// Replaces the text. The numbers of the new text keep their digits.
    pub fn replace_text(&mut self, text: String) {
        let (schema, shows_defaults) = (self.schema.take(), self.shows_defaults);
        *self = Self { shows_defaults, schema, ..Self::from(text) };
    }

    /// Writes changes back into the text, which the tool reads.
    #[inline]
    pub fn flush(&mut self) -> &str {
        if self.changed {
            self.write_back();
        }
        &self.text
    }

    /// The text of flushed arguments.
    #[inline]
    pub fn flushed_text(&self) -> &str {
        &self.text
    }

    /// The numbers as they were written.
    pub fn literals(&self) -> Literals<'_> {
        Literals::new(repair(&self.text).map_or_else(|| Cow::Borrowed(&*self.text), Cow::Owned))
    }
}

impl Clone for Args {
    /// Shares the text; a changed object is cloned.
    fn clone(&self) -> Self {
        Self {
            text: Arc::clone(&self.text),
            object: if self.changed { self.object.clone() } else { OnceLock::new() },
            schema: self.schema.clone(),
            ..*self
        }
    }
}

impl Default for Args {
    fn default() -> Self {
        Self::from("{}")
    }
}

/// Writes the [text](Self::text).
impl fmt::Display for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Args").field(&self.text()).finish()
    }
}

impl Index<&str> for Args {
    type Output = Value;

    /// The argument, or `null` for a missing one, as in [`Value`].
    ///
    /// # Panics
    /// If the schema of the called tool lists its arguments and this is none of them: a check of an argument
    /// that does not exist would let everything through. The tool does not run then: a panic of a hook ends
    /// the run, one of a guardrail or an approver refuses the call. [`Args::get`] reads an argument that only
    /// some tools have.
    #[track_caller]
    fn index(&self, name: &str) -> &Value {
        match self.get(name) {
            Some(value) => value,
            None => match self.schema.as_ref().and_then(|schema| unknown(name, schema)) {
                Some(mistake) => panic!("{mistake}"),
                None => &Value::Null,
            },
        }
    }
}

impl IndexMut<&str> for Args {
    /// The argument; a missing one is set to `null` first. In arguments that are not a JSON object the value
    /// is lost, and the call is refused where the tool would have run. [`Args::insert`] returns this error.
    fn index_mut(&mut self, name: &str) -> &mut Value {
        let _ = self.as_object();
        self.changed = true;
        self.is_uncoerced = true;
        match self.object.get_mut() {
            Some(Ok(object)) => object.entry(name).or_insert(Value::Null),
            Some(Err(broken)) => {
                let broken = Arc::make_mut(broken);
                broken.lost = Value::Null;
                &mut broken.lost
            }
            None => unreachable!("the object was just read"),
        }
    }
}
