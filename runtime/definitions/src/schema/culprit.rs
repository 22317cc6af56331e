//! Finds the part of a value that the schema accepts and the type rejects, such as a map key that is not a
//! number.

use serde_json::Value;

use super::budget::weight;

/// The maximum number of trial reads.
const MOST_READS: usize = 64;
/// The maximum total number of parts in these reads.
const MOST_PARTS: u64 = 100_000;

/// The path of the innermost entry without which the type reads the value. It is `name`, the path of the
/// value itself, if there is no such entry or the search takes too long.
pub fn culprit(name: &str, value: &Value, reads: impl Fn(Value) -> bool) -> String {
    let weight = weight(value).max(1);
    let most = MOST_READS.min(usize::try_from(MOST_PARTS / weight).unwrap_or_default());
    let mut search = Search { root: value.clone(), reads, left: most };
    match search.within(&mut String::new(), value) {
        Some(path) if name.is_empty() => path.trim_start_matches('.').to_owned(),
        Some(path) => format!("{name}{path}"),
        None => name.to_owned(),
    }
}

struct Search<R> {
    root: Value,
    reads: R,
    left: usize,
}

impl<R: Fn(Value) -> bool> Search<R> {
    /// The path of the entry within the part at this JSON pointer.
    fn within(&mut self, pointer: &mut String, part: &Value) -> Option<String> {
        let entries: Vec<(String, String, &Value)> = match part {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), format!(".{name}"), value))
                .collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, value)| (index.to_string(), format!("[{index}]"), value))
                .collect(),
            _ => return None,
        };
        for (step, shown, value) in entries {
            let length = pointer.len();
            pointer.push_str(&format!("/{step}"));
            let inner = self.within(pointer, value);
            pointer.truncate(length);
            if let Some(inner) = inner {
                return Some(format!("{shown}{inner}"));
            }
            if self.reads_without(pointer, &step) {
                return Some(shown);
            }
        }
        None
    }

    fn reads_without(&mut self, pointer: &str, step: &str) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let mut without = self.root.clone();
        match without.pointer_mut(pointer) {
            Some(Value::Object(fields)) => {
                fields.remove(&step.replace("~1", "/").replace("~0", "~"));
            }
            Some(Value::Array(items)) => {
                if let Ok(index) = step.parse::<usize>() {
                    items.remove(index);
                }
            }
            _ => {}
        }
        (self.reads)(without)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "it is read only")]
    struct Target {
        maps: Vec<BTreeMap<bool, u8>>,
        name: char,
    }

    #[test]
    fn t11_the_innermost_entry_that_a_type_refuses_is_named() {
        let reads = |value| Target::deserialize(value).is_ok();
        let wrong = json!({ "maps": [{ "true": 1 }, { "false": 1, "yes": 2 }], "name": "a" });
        assert_eq!(culprit("x", &wrong, reads), "x.maps[1].yes");
        assert_eq!(culprit("", &wrong, reads), "maps[1].yes");
        assert_eq!(culprit("x", &json!({ "maps": [], "name": "ab" }), reads), "x");
        let many: BTreeMap<String, u8> = (0..1000).map(|number| (format!("k{number}"), 1)).collect();
        assert_eq!(culprit("x", &json!({ "maps": [many], "name": "a" }), reads), "x");
    }
}
