//! Which keywords of JSON Schema hold schemas.

/// What a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A schema; in older drafts `items` holds a list of them.
    Schema,
    /// A list of schemas.
    Schemas,
    /// Schemas by names, which are not keywords: a field can be called `default`.
    NamedSchemas,
    /// Values, in which no schema is looked for.
    Values,
    /// No schemas, or the keyword is not known.
    NoSchema,
}

impl Holds {
    /// What the keyword `key` holds.
    pub(crate) fn of(key: &str) -> Self {
        match key {
            "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else" => Self::Schema,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Self::Schemas,
            "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
                Self::NamedSchemas
            }
            "default" | "examples" | "example" | "enum" | "const" => Self::Values,
            _ => Self::NoSchema,
        }
    }
}
