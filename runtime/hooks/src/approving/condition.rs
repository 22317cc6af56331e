//! Conditions for arguments that cards can write: `cents > 1000`, `path ~ ^/etc/`.

use std::cmp::Ordering;

use onionskin_core::Args;
use regex_lite::Regex;
use serde_json::{Number, Value};

/// A condition for an argument.
#[derive(Debug)]
pub(crate) struct Condition {
    written: String,
    /// The name of the argument, and the fields and positions inside of it.
    path: Vec<String>,
    test: Test,
}

#[derive(Debug)]
enum Test {
    /// The number compares so with the bound.
    Bound(&'static [Ordering], Number),
    /// The text has a match.
    Pattern(Regex),
}

impl Condition {
    /// Reads a path, one of `>`, `>=`, `<`, `<=` and `~`, and a number, or a regular expression after `~`.
    ///
    /// # Errors
    /// Returns why it is no condition.
    pub(crate) fn new(written: &str) -> Result<Self, String> {
        Self::read(written).map_err(|mistake| {
            format!(
                "the condition `{written}` of `require_approval` {mistake}: write an argument and a bound, as in `order.cents > 1000`, or \
                 an argument and a pattern, as in `path ~ ^/etc/`"
            )
        })
    }

    fn read(written: &str) -> Result<Self, String> {
        let at = written.find(['<', '>', '~']).ok_or("has none of `>`, `>=`, `<`, `<=` and `~`")?;
        let (path, rest) = written.split_at(at);
        let path: Vec<String> = path.trim().split('.').map(str::to_owned).collect();
        let is_no_name =
            |name: &String| name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '=');
        if path.iter().any(is_no_name) {
            return Err("names no argument".to_owned());
        }
        let (operator, with) =
            rest.split_at(if rest.starts_with(">=") || rest.starts_with("<=") { 2 } else { 1 });
        let bound = |orders| {
            let bound =
                serde_json::from_str(with.trim()).map_err(|_| format!("has no number after `{operator}`"))?;
            Ok::<_, String>(Test::Bound(orders, bound))
        };
        let test = match operator {
            ">" => bound(&[Ordering::Greater])?,
            ">=" => bound(&[Ordering::Greater, Ordering::Equal])?,
            "<" => bound(&[Ordering::Less])?,
            "<=" => bound(&[Ordering::Less, Ordering::Equal])?,
            _ if with.trim().is_empty() => return Err("has no pattern after `~`".to_owned()),
            _ => Test::Pattern(
                Regex::new(with.trim())
                    .map_err(|error| format!("has no regular expression after `~` ({error})"))?,
            ),
        };
        Ok(Self { written: written.trim().to_owned(), path, test })
    }

    /// The reason why a call needs approval, if it does. An argument that is missing, or of another type, needs it too.
    pub(crate) fn holds(&self, args: &Args) -> Option<String> {
        let is_clear = self.value(args).and_then(|value| match (&self.test, value) {
            (Test::Bound(orders, bound), Value::Number(number)) => {
                compare(number, bound).map(|order| orders.contains(&order))
            }
            (Test::Pattern(pattern), Value::String(text)) => Some(pattern.is_match(text)),
            (Test::Bound(..) | Test::Pattern(_), _) => None,
        });
        is_clear.unwrap_or(true).then(|| self.written.clone())
    }

    fn value<'a>(&self, args: &'a Args) -> Option<&'a Value> {
        let (name, inside) = self.path.split_first()?;
        inside.iter().try_fold(args.get(name)?, |value, key| match value.as_array() {
            Some(items) => items.get(key.parse::<usize>().ok()?),
            None => value.get(key),
        })
    }
}

/// Compares numbers, integers exactly.
fn compare(number: &Number, bound: &Number) -> Option<Ordering> {
    match (number.as_i128(), bound.as_i128()) {
        (Some(number), Some(bound)) => Some(number.cmp(&bound)),
        _ => number.as_f64()?.partial_cmp(&bound.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h9_a_condition_holds_for_the_arguments_that_it_describes_and_for_unclear_ones() {
        for (condition, args, holds) in [
            ("cents > 1000", r#"{"cents": 1000}"#, false),
            ("cents > 1000", r#"{"cents": 1000.5}"#, true),
            ("cents>=1000", r#"{"cents": 1000}"#, true),
            ("cents < 0", r#"{"cents": -1}"#, true),
            ("cents <= -1", r#"{"cents": 0}"#, false),
            ("cents > 9007199254740992", r#"{"cents": 9007199254740993}"#, true),
            ("cents > 1000", r#"{"cents": 99999999999999999999999999}"#, true),
            ("cents > 1000", r#"{"cents": "5"}"#, true),
            ("cents > 1000", r#"{"cents": null}"#, true),
            ("cents > 1000", "{}", true),
            ("cents > 1000", "[]", true),
            ("order.items.1.cents > 5", r#"{"order": {"items": [{}, {"cents": 5}]}}"#, false),
            ("order.items.1.cents > 5", r#"{"order": {"items": [{"cents": 5}]}}"#, true),
            ("path ~ ^/etc/", r#"{"path": "/etc/passwd"}"#, true),
            ("path ~ ^/etc/", r#"{"path": "/home/etc/"}"#, false),
            ("path ~ ^/etc/", r#"{"path": ["/home"]}"#, true),
            ("text ~ a > b", r#"{"text": "if a > b"}"#, true),
        ] {
            let reason = holds.then(|| condition.to_owned());
            assert_eq!(
                Condition::new(condition).unwrap().holds(&Args::from(args)),
                reason,
                "{condition}: {args}"
            );
        }
    }

    #[test]
    fn h9_what_is_no_condition_says_why() {
        for (condition, mistake) in [
            ("cents", "has none of `>`, `>=`, `<`, `<=` and `~`"),
            (" > 1", "names no argument"),
            ("a..b > 1", "names no argument"),
            ("cents > many", "has no number after `>`"),
            ("cents > ", "has no number after `>`"),
            ("cents => 1", "names no argument"),
            ("path ~ ", "has no pattern after `~`"),
            ("path ~ (", "has no regular expression after `~`"),
        ] {
            let error = Condition::read(condition).unwrap_err();
            assert!(error.starts_with(mistake), "{condition}: {error}");
        }
    }
}
