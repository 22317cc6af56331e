//! Finds keys without a field, and lists and objects in place of other types, without a walk over the schema. It uses a
//! compact form of the schema that is computed when the tool is defined. Most parameters need none, and cost nothing.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::closed::has_parts;

/// The keys and the forms in a schema, at every depth.
#[derive(Debug)]
pub(crate) struct Keys {
    nodes: Vec<Node>,
}

/// The rules for one value. The numbers are indices in the list of nodes; [`ANY`] means no rules.
#[derive(Debug)]
enum Node {
    Object {
        fields: Box<[(Box<str>, usize)]>,
        closed: bool,
        rest: usize,
    },
    List {
        first: Box<[usize]>,
        rest: usize,
    },
    /// One of several texts, neither a list nor an object.
    Text,
    /// Only the schema can decide, because the known keys depend on the value.
    Depends,
}

const ANY: usize = usize::MAX;

impl Keys {
    /// The keys in a schema, a part of `root`; `None` if it forbids none.
    pub(crate) fn of(schema: &Value, root: &Value) -> Option<Self> {
        if !has_forms(schema) {
            return None;
        }
        let mut maker = Maker { root, nodes: Vec::new(), known: HashMap::new() };
        maker.add(schema);
        let refuses = |node: &Node| match node {
            Node::Object { fields, closed, .. } => *closed || !fields.is_empty(),
            Node::List { .. } => false,
            Node::Text | Node::Depends => true,
        };
        maker.nodes.iter().any(refuses).then_some(Self { nodes: maker.nodes })
    }

    /// Whether all keys and forms of a JSON text are known for certain.
    pub(crate) fn know(&self, json: &str) -> bool {
        if let Some(Node::Text) = self.nodes.first() {
            return json.starts_with('"') || json == "null";
        }
        let mut deserializer = serde_json::Deserializer::from_str(json);
        // The first node is that of the whole value.
        KeyReader { keys: self, node: 0 }.deserialize(&mut deserializer).is_ok()
    }
}

struct Maker<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    /// Where the node of a schema is, by the schema's own place: one that refers to itself has an end.
    known: HashMap<*const Value, usize>,
}

impl<'s> Maker<'s> {
    fn add(&mut self, schema: &'s Value) -> usize {
        if let Some(&node) = self.known.get(&std::ptr::from_ref(schema)) {
            return node;
        }
        let Value::Object(object) = schema else { return ANY };
        if !has_forms(schema) && !may_be(schema, "object") {
            return ANY;
        }
        let has = |key: &str| object.contains_key(key);
        let alone =
            !has("properties") && !has("items") && !has("prefixItems") && !has("additionalProperties");
        if alone && let Some(target) = self.resolve(object) {
            // A schema that refers directly to itself has no values.
            self.known.insert(schema, ANY);
            let node = self.add(target);
            self.known.insert(schema, node);
            return node;
        }
        let options = object.get("anyOf").or_else(|| object.get("oneOf")).and_then(Value::as_array);
        if let Some(options) = options
            && alone
            && let Some(only) = only_option(options)
        {
            return self.add(only);
        }
        // Its node is reserved before its parts are visited, because they may refer to it.
        let node = self.nodes.len();
        let nothing = Node::Object { fields: Box::default(), closed: false, rest: ANY };
        self.nodes.push(nothing);
        self.known.insert(schema, node);
        self.nodes[node] = if is_of_texts(schema) {
            Node::Text
        } else if options.is_some() || has("allOf") || has("$ref") {
            Node::Depends
        } else if has("items") || has("prefixItems") {
            self.list(object)
        } else {
            self.object(object)
        };
        node
    }

    /// The schema that a reference into the same document names.
    fn resolve(&self, object: &serde_json::Map<String, Value>) -> Option<&'s Value> {
        self.root.pointer(object.get("$ref")?.as_str()?.strip_prefix('#')?)
    }

    fn object(&mut self, object: &'s serde_json::Map<String, Value>) -> Node {
        let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.map(|(name, schema)| (name.as_str().into(), self.add(schema))).collect();
        let patterns = object.get("patternProperties").and_then(Value::as_object);
        let more = object.get("additionalProperties");
        let rest = match patterns.map(|patterns| (patterns.len(), patterns.values().next())) {
            Some((1, Some(schema))) => self.add(schema),
            Some(_) => return Node::Depends,
            None => more.map_or(ANY, |schema| self.add(schema)),
        };
        let closed = patterns.is_none() && more == Some(&Value::Bool(false));
        Node::Object { fields, closed, rest }
    }

    fn list(&mut self, object: &'s serde_json::Map<String, Value>) -> Node {
        let first = object.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
        let first = first.map(|schema| self.add(schema)).collect();
        let rest = object.get("items").map_or(ANY, |schema| self.add(schema));
        Node::List { first, rest }
    }
}

/// Whether there is more to say of a schema's values than that they are of one plain type.
pub(crate) fn has_forms(schema: &Value) -> bool {
    has_parts(schema) || is_of_texts(schema)
}

/// Whether a schema lists texts: those of an enum's variants, which a type may read from an object too.
pub(super) fn is_of_texts(schema: &Value) -> bool {
    schema.get("const").is_some_and(Value::is_string)
        || schema
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|members| members.iter().any(Value::is_string))
}

/// Whether values of a type are named by a schema.
fn may_be(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|each| each == kind),
        _ => false,
    }
}

/// The only option that has keys at all, else one that lists texts.
fn only_option(options: &[Value]) -> Option<&Value> {
    let single = |option: &&Value| {
        let is_single = |kind: &Value| !matches!(kind.as_str(), Some("object" | "array"));
        match &option["type"] {
            Value::String(kind) => !matches!(kind.as_str(), "object" | "array"),
            Value::Array(kinds) => kinds.iter().all(is_single),
            _ => option.get("const").is_some_and(|only| !only.is_object() && !only.is_array()),
        }
    };
    let mut others = options.iter().filter(|option| !single(option));
    let only = others
        .next()
        .or_else(|| options.iter().find(|option| is_of_texts(option)))
        .or_else(|| options.first())?;
    others.next().is_none().then_some(only)
}

/// Reads a value to find keys that its node does not know.
#[derive(Clone, Copy)]
struct KeyReader<'k> {
    keys: &'k Keys,
    node: usize,
}

impl<'k> KeyReader<'k> {
    fn at(self, node: usize) -> Self {
        Self { node, ..self }
    }

    fn node(self) -> Option<&'k Node> {
        self.keys.nodes.get(self.node)
    }
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.node() {
            Some(Node::Depends) => Err(D::Error::custom("it depends")),
            Some(_) => deserializer.deserialize_any(self),
            None => IgnoredAny::deserialize(deserializer).map(drop),
        }
    }
}

impl<'de> Visitor<'de> for KeyReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some(Node::List { first, rest }) = self.node() else {
            return Err(A::Error::custom("a list for something else"));
        };
        let (first, rest) = (&**first, *rest);
        let mut nodes = first.iter().copied();
        while seq.next_element_seed(self.at(nodes.next().unwrap_or(rest)))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some(Node::Object { fields, closed, rest }) = self.node() else {
            return Err(A::Error::custom("an object for something else"));
        };
        let (fields, closed, rest) = (&**fields, *closed, *rest);
        while let Some(found) = map.next_key_seed(FieldName(fields))? {
            match found {
                None if closed => return Err(A::Error::custom("an unknown key")),
                found => map.next_value_seed(self.at(found.unwrap_or(rest)))?,
            }
        }
        Ok(())
    }
}

/// Finds the node of a field without copying the key.
#[derive(Clone, Copy)]
struct FieldName<'k>(&'k [(Box<str>, usize)]);

impl<'de> DeserializeSeed<'de> for FieldName<'_> {
    type Value = Option<usize>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().find(|(field, _)| **field == *name).map(|(_, node)| *node))
    }
}
