//! The strict dialects of providers, as data.

use serde_json::Value;

/// The form of an optional property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Optional {
    /// Required, and `null` is one of its values.
    Null,
    /// Not in `required`, and `null` is not one of its values.
    LeftOut,
}

/// A strict dialect of a provider: the part of JSON Schema in which the provider enforces schemas.
/// [`ToolExport::strict_schema`](super::ToolExport::strict_schema) rewrites a tool's schema into it. In every
/// dialect all objects are closed, every value has a type, unions are `anyOf`, and what a text can express
/// moves into the descriptions.
///
/// [`Dialect::OPENAI`] and [`Dialect::ANTHROPIC`] are the dialects of the exports for these providers.
///
/// ```
/// use onionskin::export::Dialect;
///
/// // Optional properties accept `null`, and numbers keep their bounds.
/// const STRICT: Dialect = Dialect::new()
///     .optional_as_null()
///     .keeping(|kind, keyword, _| kind == "integer" && matches!(keyword, "minimum" | "maximum"));
/// # let _ = STRICT;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    pub(super) optional: Optional,
    /// Whether recursive references are allowed.
    pub(super) recursion: bool,
    /// `"type": ["string", "null"]`.
    pub(super) type_lists: bool,
    /// Whether a limit (type, keyword, value) may stay in the schema.
    pub(super) stays: fn(&str, &str, &Value) -> bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self::new()
    }
}

impl Dialect {
    /// The smallest dialect: optional properties are not in `required` and do not accept `null`, nothing is
    /// recursive, each schema has one type, and all limits move into the descriptions.
    pub const fn new() -> Self {
        Self { optional: Optional::LeftOut, recursion: false, type_lists: false, stays: |_, _, _| false }
    }

    /// Makes every property required; an optional one also accepts `null`.
    #[must_use]
    pub const fn optional_as_null(mut self) -> Self {
        self.optional = Optional::Null;
        self
    }

    /// Allows recursive types, as references to `$defs`.
    #[must_use]
    pub const fn with_recursion(mut self) -> Self {
        self.recursion = true;
        self
    }

    /// Writes unions of scalars as a list of types: `"type": ["integer", "null"]`.
    #[must_use]
    pub const fn with_type_lists(mut self) -> Self {
        self.type_lists = true;
        self
    }

    /// Sets which limits stay in the schema. `keeps` gets the type, the keyword and the keyword's value:
    /// `"string"`, `"format"` and `"date"`.
    #[must_use]
    pub const fn keeping(mut self, keeps: fn(&str, &str, &Value) -> bool) -> Self {
        self.stays = keeps;
        self
    }
}
