//! Conditions in a schema: parameters that depend on each other or on values. Imported schemas use them (JSON
//! Schema 2020-12: core, section 10.2; validation, section 6.5).

use serde_json::{Map, Value};

use super::param_changes::ParamChanges;
use onionskin_definitions::json;

impl ParamChanges {
    /// Renames the parameters in the conditions of a schema to their visible names. Conditions on invisible
    /// values are removed; the tool itself checks them.
    pub(super) fn rename_in_conditions(&self, schema: &mut Map<String, Value>) {
        for key in ["allOf", "anyOf", "oneOf"] {
            let Some(parts) = schema.get_mut(key).and_then(Value::as_array_mut) else { continue };
            parts.iter_mut().filter_map(Value::as_object_mut).for_each(|part| self.rename_in_part(part));
        }
        if schema.get("if").is_some_and(|condition| self.depends_on_invisible(condition)) {
            for key in ["if", "then", "else"] {
                json::remove(schema, key);
            }
        }
        if schema.get("not").is_some_and(|denied| self.depends_on_invisible(denied)) {
            json::remove(schema, "not");
        }
        for key in ["if", "then", "else", "not"] {
            if let Some(part) = schema.get_mut(key).and_then(Value::as_object_mut) {
                self.rename_in_part(part);
            }
        }
        for key in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(dependents) = schema.get_mut(key).and_then(Value::as_object_mut) else { continue };
            self.rename_keys(dependents);
            for dependent in dependents.values_mut() {
                match dependent {
                    Value::Array(names) => self.rename_names(names),
                    Value::Object(part) => self.rename_in_part(part),
                    _ => {}
                }
            }
        }
        if let Some(names) = schema.get_mut("propertyNames").and_then(|names| names["enum"].as_array_mut()) {
            self.rename_names(names);
        }
    }

    /// Renames within a schema that applies to all arguments together.
    fn rename_in_part(&self, part: &mut Map<String, Value>) {
        if let Some(properties) = part.get_mut("properties").and_then(Value::as_object_mut) {
            self.rename_keys(properties);
        }
        if let Some(required) = part.get_mut("required").and_then(Value::as_array_mut) {
            self.rename_names(required);
        }
        self.rename_in_conditions(part);
    }

    fn rename_keys(&self, fields: &mut Map<String, Value>) {
        for (own, field) in std::mem::take(fields) {
            if self.fill(&own).is_none() {
                fields.insert(self.name(&own).to_owned(), field);
            }
        }
    }

    fn rename_names(&self, names: &mut Vec<Value>) {
        names.retain(|own| own.as_str().is_none_or(|own| self.fill(own).is_none()));
        for own in names {
            if let Value::String(own) = own {
                *own = self.name(own).to_owned();
            }
        }
    }

    /// Whether a condition depends on an invisible parameter.
    fn depends_on_invisible(&self, condition: &Value) -> bool {
        match condition {
            Value::Object(fields) => fields.iter().any(|(key, value)| {
                let names_invisible = match value {
                    Value::Object(parts) if key == "properties" || key.starts_with("depend") => {
                        parts.keys().any(|own| self.fill(own).is_some())
                    }
                    _ => false,
                };
                names_invisible || self.depends_on_invisible(value)
            }),
            Value::Array(items) => items.iter().any(|item| self.depends_on_invisible(item)),
            Value::String(text) => self.fill(text).is_some(),
            _ => false,
        }
    }
}
