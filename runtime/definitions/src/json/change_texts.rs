//! Changes the strings in JSON text.

use std::collections::HashMap;

use serde::de::IgnoredAny;

use super::number_literals::after_string;

/// Changes the strings, the keys and the numbers of a JSON text. `change` receives a number as its digits; a
/// changed number becomes a string. The rest of the text stays unchanged. Returns `None` if nothing changes.
///
/// If two keys of an object become equal, the second one gets a numeric suffix, so that no value is lost.
///
/// # Errors
/// Returns an error if the text is not JSON. The nesting depth is not limited.
pub fn change_texts(
    json: &str,
    change: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<Option<String>, serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(json)?;
    let mut changed = String::new();
    let (mut from, mut at) = (0, 0);
    let mut open: Vec<Option<Keys>> = Vec::new();
    while let Some(&byte) = json.as_bytes().get(at) {
        let begin = at;
        let new = match byte {
            b'"' => {
                at = json.len() - after_string(&json[at + 1..]).len();
                let text: String = serde_json::from_str(&json[begin..at])?;
                let new = change(&text);
                match open.last_mut() {
                    Some(Some(keys)) if keys.is_next => {
                        keys.is_next = false;
                        keys.make_unique(text, new)
                    }
                    _ => new,
                }
            }
            b'-' | b'0'..=b'9' => {
                let is_digit = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                at += json.as_bytes()[at..].iter().take_while(|byte| is_digit(byte)).count();
                change(&json[begin..at])
            }
            _ => {
                match byte {
                    b'{' => open.push(Some(Keys { is_next: true, used: HashMap::new() })),
                    b'[' => open.push(None),
                    b'}' | b']' => drop(open.pop()),
                    b',' => {
                        if let Some(Some(keys)) = open.last_mut() {
                            keys.is_next = true;
                        }
                    }
                    _ => {}
                }
                at += 1;
                None
            }
        };
        if let Some(new) = new {
            changed.push_str(&json[from..begin]);
            changed.push_str(&serde_json::Value::from(new).to_string());
            from = at;
        }
    }
    Ok((from > 0).then(|| changed + &json[from..]))
}

/// The keys of an object.
struct Keys {
    /// Whether a key comes next.
    is_next: bool,
    /// The keys so far, each with whether it was changed and its last numeric suffix.
    used: HashMap<String, (bool, u32)>,
}

impl Keys {
    /// Adds a suffix to a key that is in use, unless both were written that way.
    fn make_unique(&mut self, old: String, new: Option<String>) -> Option<String> {
        let is_changed = new.is_some();
        let key = new.unwrap_or(old);
        let Some((first_is_changed, number)) = self.used.get_mut(&key) else {
            self.used.insert(key.clone(), (is_changed, 1));
            return is_changed.then_some(key);
        };
        if !is_changed && !*first_is_changed {
            return None;
        }
        let mut last = *number;
        let apart = loop {
            last += 1;
            let apart = format!("{key} {last}");
            if !self.used.contains_key(&apart) {
                break apart;
            }
        };
        self.used.insert(key, (true, last));
        self.used.insert(apart.clone(), (true, 1));
        Some(apart)
    }
}

#[cfg(test)]
mod tests {
    use super::change_texts;

    fn masked(json: &str) -> Option<String> {
        change_texts(json, &mut |text| text.contains('@').then(|| "[email]".to_owned())).unwrap()
    }

    #[test]
    fn a9_only_what_changes_is_written_anew() {
        let json = "{ \"b\" : [1.50, \"a\\u0040x\"],\n \"a\": {\"@\": null} }";
        assert_eq!(masked(json).unwrap(), "{ \"b\" : [1.50, \"[email]\"],\n \"a\": {\"[email]\": null} }");
        for same in ["{\"b\": [1, \"x\\\"y\", true], \"a\": {}}", "[]", "\"\"", "1"] {
            assert_eq!(masked(same), None, "{same}");
        }
        for wrong in ["a@x", "{\"a@x\": }", "[1] 2", ""] {
            assert!(change_texts(wrong, &mut |_| None).is_err(), "{wrong}");
        }
        let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(masked(&format!("{open}\"@\"{close}")).unwrap(), format!("{open}\"[email]\"{close}"));
        let doubled = change_texts("[\"a\\\\\", 12, -3e5]", &mut |text| Some(format!("{text}{text}")));
        assert_eq!(doubled.unwrap().unwrap(), "[\"a\\\\a\\\\\", \"1212\", \"-3e5-3e5\"]");
    }

    #[test]
    fn a9_keys_that_become_equal_get_suffixes() {
        assert_eq!(
            masked(r#"{"a@x":1,"b@x":2,"in":{"c@x":3},"[email] 2":4,"d@x":5}"#).unwrap(),
            r#"{"[email]":1,"[email] 2":2,"in":{"[email]":3},"[email] 2 2":4,"[email] 3":5}"#
        );
        // A key that is there twice stays a mistake of its writer.
        assert_eq!(masked(r#"{"a":"@","a":1}"#).unwrap(), r#"{"a":"[email]","a":1}"#);
    }
}
