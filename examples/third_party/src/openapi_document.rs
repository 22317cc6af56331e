//! The operations of an OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The reason why a document cannot be read. Places are JSON pointers, such as `/paths/~1books/get`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The document is not JSON.
    #[error("{file}: {reason}")]
    #[non_exhaustive]
    Json {
        /// The file.
        file: String,
        /// The reason, with line and column.
        reason: String,
    },
    /// A part of the document is missing, or has a form that cannot be called.
    #[error("{file}#{place}: {reason}")]
    #[non_exhaustive]
    Place {
        /// The file.
        file: String,
        /// The part of the document.
        place: String,
        /// The reason.
        reason: String,
    },
}

/// An operation of the document.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) description: String,
    /// `GET`, in capital letters.
    pub(crate) method: String,
    /// The path, with `{name}` for parameters.
    pub(crate) path: String,
    /// The names of the parameters in the query.
    pub(crate) query: Vec<String>,
    /// The schema of all parameters; the request's body is the parameter `body`.
    pub(crate) schema: Value,
    /// Whether only admins have it: `"x-admin": true`.
    pub(crate) for_admins: bool,
}

/// A document, and its file for errors.
pub(crate) struct Document<'d> {
    pub(crate) file: &'d str,
    pub(crate) root: &'d Value,
}

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

impl Document<'_> {
    /// All operations, in the order of paths and methods.
    pub(crate) fn operations(&self) -> Result<Vec<Operation>, OpenApiError> {
        let paths =
            self.root["paths"].as_object().ok_or_else(|| self.error("/paths", "there are no paths"))?;
        let mut operations: Vec<Operation> = Vec::new();
        for (path, item) in paths {
            for method in METHODS {
                let Some(described) = item.get(method) else { continue };
                let above = format!("/paths/{}", escaped(path));
                let place = format!("{above}/{method}");
                let shared = (&item["parameters"], format!("{above}/parameters"));
                let operation = self.operation(path, method, described, shared, &place)?;
                if operations.iter().any(|other| other.id == operation.id) {
                    return Err(
                        self.error(&place, &format!("a second operation is called `{}`", operation.id))
                    );
                }
                operations.push(operation);
            }
        }
        Ok(operations)
    }

    fn operation(
        &self,
        path: &str,
        method: &str,
        described: &Value,
        shared: (&Value, String),
        place: &str,
    ) -> Result<Operation, OpenApiError> {
        let text = |key: &str| described[key].as_str().unwrap_or_default();
        let id = described["operationId"].as_str();
        let id = id.ok_or_else(|| self.error(place, "the operation has no `operationId`"))?;
        let (mut properties, mut required, mut query) = (Map::new(), Vec::new(), Vec::new());
        let path_names: BTreeSet<_> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        // A parameter of the operation replaces the path's parameter of this name, so it is read first.
        let lists = [(&described["parameters"], format!("{place}/parameters")), shared];
        for (list, place) in &lists {
            for (index, parameter) in list.as_array().into_iter().flatten().enumerate() {
                let place = format!("{place}/{index}");
                let parameter = self.resolved(parameter, &place, &mut Vec::new())?;
                let name = parameter["name"].as_str();
                let name = name.ok_or_else(|| self.error(&place, "the parameter has no `name`"))?;
                let is_required = parameter["required"] == true;
                match parameter["in"].as_str() {
                    _ if properties.contains_key(name) => continue,
                    Some("path") if path_names.contains(name) => {}
                    Some("query") => query.push(name.to_owned()),
                    Some("header" | "cookie") if !is_required => continue,
                    _ => {
                        return Err(
                            self.error(&place, "a required parameter has to be in the path or in the query")
                        );
                    }
                }
                let mut schema = parameter["schema"].clone();
                describe(&mut schema, &parameter["description"]);
                properties.insert(name.to_owned(), schema);
                if is_required {
                    required.push(name.to_owned());
                }
            }
        }
        if let Some(missing) = path_names.iter().find(|name| !properties.contains_key(**name)) {
            return Err(self.error(place, &format!("the path names `{missing}`, which is not a parameter")));
        }
        if let Some(body) = described.get("requestBody") {
            let place = format!("{place}/requestBody");
            let body = self.resolved(body, &place, &mut Vec::new())?;
            let schema = body["content"]["application/json"].get("schema");
            let schema =
                schema.ok_or_else(|| self.error(&place, "the body has no schema for `application/json`"))?;
            let mut schema = schema.clone();
            describe(&mut schema, &body["description"]);
            if properties.insert("body".to_owned(), schema).is_some() {
                return Err(self.error(&place, "a parameter is called `body`, as the body itself is"));
            }
            if body["required"] == true {
                required.push("body".to_owned());
            }
        }
        let description = [text("summary"), text("description")];
        Ok(Operation {
            id: id.to_owned(),
            description: description
                .iter()
                .copied()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n"),
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            query,
            schema: json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }),
            for_admins: described["x-admin"] == true,
        })
    }

    /// A copy of a part, with what its `$ref`s name in their place. `open` are the references that contain it.
    fn resolved(&self, part: &Value, place: &str, open: &mut Vec<String>) -> Result<Value, OpenApiError> {
        match part {
            Value::Object(object) => {
                if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                    let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
                    let target = target.ok_or_else(|| {
                        self.error(
                            place,
                            &format!("`{reference}` is not in this document; copy it into `components`"),
                        )
                    })?;
                    if open.iter().any(|other| other == reference) {
                        return Err(self
                            .error(place, &format!("`{reference}` contains itself, which has no end here")));
                    }
                    open.push(reference.to_owned());
                    let resolved = self.resolved(target, &reference[1..], open);
                    open.pop();
                    return resolved;
                }
                let each = object.iter().map(|(key, value)| {
                    let place = format!("{place}/{}", escaped(key));
                    Ok((key.clone(), self.resolved(value, &place, open)?))
                });
                Ok(Value::Object(each.collect::<Result<_, _>>()?))
            }
            Value::Array(items) => {
                let each = items.iter().enumerate();
                let each = each.map(|(index, item)| self.resolved(item, &format!("{place}/{index}"), open));
                Ok(Value::Array(each.collect::<Result<_, _>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    fn error(&self, place: &str, reason: &str) -> OpenApiError {
        OpenApiError::Place { file: self.file.to_owned(), place: place.to_owned(), reason: reason.to_owned() }
    }
}

/// Adds a description to a schema that has none.
fn describe(schema: &mut Value, text: &Value) {
    if schema.is_null() {
        *schema = json!({});
    }
    if let (Value::Object(schema), Value::String(_)) = (schema, text) {
        schema.entry("description").or_insert_with(|| text.clone());
    }
}

/// A key in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
