//! The keywords of JSON Schema: the kind of each keyword's value, and the schemas in it.

use serde_json::Value;

/// The kind of a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordKind {
    /// A schema, as of `items`, which holds a list of schemas in older drafts.
    Schema(Applies),
    /// A list of schemas, as of `anyOf`.
    SchemaList(Applies),
    /// Schemas by names, as of `properties`. The names are not keywords: a property can be called `default`.
    SchemaMap(Applies),
    /// `dependencies`: by names, schemas or lists of names.
    Dependencies,
    /// `$ref`: the location of a schema.
    Reference,
    /// `type`: the name of a type, or several.
    Types,
    /// `required`: a list of names.
    Names,
    /// `dependentRequired`: lists of names by names.
    NameMap,
    /// A bound for numbers, such as `minimum`.
    Limit,
    /// A bound for lengths, such as `maxItems`.
    Count,
    /// A boolean, such as `uniqueItems`.
    Flag,
    /// `pattern`: a regular expression.
    Pattern,
    /// A text for readers, such as `description`.
    Text,
    /// A name for the kind of a value, such as `format`.
    Word,
    /// `enum`: the allowed values.
    Members,
    /// An instance of the schema: `const` or `default`.
    Value,
    /// Example instances, which are not compared with anything.
    Examples,
    /// Any value: the keyword is unknown.
    Unknown,
}

/// How the schemas of a keyword apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// To the same value as the schema around them: `anyOf`, `oneOf`, `allOf`.
    ToValue,
    /// To a part of the value, such as `properties`.
    ToPart,
    /// As a condition, such as `not`.
    AsCondition,
    /// Where a reference points to them, such as `$defs`.
    ByReference,
}

impl KeywordKind {
    /// The kind of the keyword `key`.
    pub fn new(key: &str) -> Self {
        match key {
            "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "additionalProperties"
            | "unevaluatedProperties" => Self::Schema(Applies::ToPart),
            "contains" | "propertyNames" | "not" | "if" | "then" | "else" => {
                Self::Schema(Applies::AsCondition)
            }
            "anyOf" | "oneOf" | "allOf" => Self::SchemaList(Applies::ToValue),
            "prefixItems" => Self::SchemaList(Applies::ToPart),
            "properties" | "patternProperties" => Self::SchemaMap(Applies::ToPart),
            "dependentSchemas" => Self::SchemaMap(Applies::AsCondition),
            "$defs" | "definitions" => Self::SchemaMap(Applies::ByReference),
            "dependencies" => Self::Dependencies,
            "$ref" => Self::Reference,
            "type" => Self::Types,
            "required" => Self::Names,
            "dependentRequired" => Self::NameMap,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Self::Limit,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
            | "minContains" | "maxContains" => Self::Count,
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Self::Flag,
            "pattern" => Self::Pattern,
            "title" | "description" | "$comment" => Self::Text,
            "format" | "$schema" | "contentEncoding" | "contentMediaType" => Self::Word,
            "enum" => Self::Members,
            "const" | "default" => Self::Value,
            "examples" | "example" => Self::Examples,
            _ => Self::Unknown,
        }
    }

    /// How the schemas of the keyword apply; `None` for a keyword without schemas.
    pub fn applies(self) -> Option<Applies> {
        match self {
            Self::Schema(applies) | Self::SchemaList(applies) | Self::SchemaMap(applies) => Some(applies),
            Self::Dependencies => Some(Applies::AsCondition),
            Self::Reference
            | Self::Types
            | Self::Names
            | Self::NameMap
            | Self::Limit
            | Self::Count
            | Self::Flag
            | Self::Pattern
            | Self::Text
            | Self::Word
            | Self::Members
            | Self::Value
            | Self::Examples
            | Self::Unknown => None,
        }
    }
}

/// A schema directly in another one.
#[derive(Debug, PartialEq)]
pub struct Subschema<'s, S = &'s Value> {
    /// The keyword that has it; empty for an item of a list.
    pub keyword: &'s str,
    /// Its name, for a keyword with schemas by names.
    pub name: Option<&'s str>,
    /// How it applies; `None` if the keyword is unknown.
    pub applies: Option<Applies>,
    /// The schema.
    pub schema: S,
}

/// Whether a keyword's value can be or contain a schema. Most cannot, so their keywords need no lookup.
pub(crate) fn may_hold_schemas(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Number(_) | Value::String(_))
}

/// Defines a visitor of subschemas, shared or mutable.
macro_rules! each_subschema {
    ($schema:expr, $visit:expr) => {
        match $schema {
            Value::Object(keywords) => {
                for (keyword, value) in keywords {
                    if !may_hold_schemas(&value) {
                        continue;
                    }
                    let kind = KeywordKind::new(keyword);
                    let applies = kind.applies();
                    if applies.is_none() && kind != KeywordKind::Unknown {
                        continue;
                    }
                    let is_map = matches!(kind, KeywordKind::SchemaMap(_) | KeywordKind::Dependencies);
                    match (is_map, value) {
                        (true, Value::Object(named)) => {
                            for (name, schema) in named {
                                $visit(Subschema { keyword, name: Some(name), applies, schema });
                            }
                        }
                        (_, Value::Array(list)) => {
                            for schema in list {
                                $visit(Subschema { keyword, name: None, applies, schema });
                            }
                        }
                        (_, schema) => $visit(Subschema { keyword, name: None, applies, schema }),
                    }
                }
            }
            Value::Array(list) => {
                for schema in list {
                    $visit(Subschema { keyword: "", name: None, applies: None, schema });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    };
}

/// Passes each of the [`subschemas`] to `visit`, mutably.
pub(crate) fn change_subschemas(schema: &mut Value, mut visit: impl FnMut(Subschema<'_, &mut Value>)) {
    each_subschema!(schema, visit);
}

/// The schemas directly in a schema, or in a list of schemas. The values of unknown keywords are included
/// because a reference may point there.
///
/// ```
/// use onionskin_definitions::schema::subschemas;
/// use serde_json::json;
///
/// let schema = json!({ "properties": { "default": { "type": "string" } }, "default": { "a": {} }, "not": {} });
/// let mut found: Vec<_> = subschemas(&schema).iter().map(|part| (part.keyword, part.name)).collect();
/// found.sort();
/// assert_eq!(found, [("not", None), ("properties", Some("default"))]);
/// ```
pub fn subschemas(schema: &Value) -> Vec<Subschema<'_>> {
    let mut found = Vec::new();
    each_subschema!(schema, |part| found.push(part));
    found
}

/// The schemas of `anyOf`, `oneOf` and `allOf`, which apply to the same value as the schema itself.
pub(crate) fn combined(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten()
}

/// Whether a schema names this type, alone or among others.
pub(crate) fn names_type(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|each| each == kind),
        _ => false,
    }
}

/// The target of a reference such as `#/$defs/Name`.
pub(crate) fn referenced<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}
