//! The comments of a YAML text, which JSON cannot hold.

use std::ops::Range;

use crate::yaml::{Node, Value};

/// The number of lines with a comment.
pub(super) fn count(text: &str, node: Option<&Node>) -> usize {
    let mut values = Vec::new();
    if let Some(node) = node {
        places(node, &mut values);
    }
    values.sort_by_key(|place| place.start);
    let is_in_value = |at: usize| {
        let after = values.partition_point(|place| place.start <= at);
        after > 0 && values[after - 1].end > at
    };
    let mut start = 0;
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        let is_comment = |(at, _): &(usize, &str)| {
            let is_alone = *at == 0 || line[..*at].ends_with([' ', '\t']);
            is_alone && !is_in_value(start + at)
        };
        lines += usize::from(line.match_indices('#').any(|found| is_comment(&found)));
        start += line.len();
    }
    lines
}

/// The places of all keys and values.
fn places(node: &Node, into: &mut Vec<Range<usize>>) {
    match &node.value {
        Value::Scalar(_) => into.push(node.span.clone()),
        Value::List(items) => items.iter().for_each(|item| places(item, into)),
        Value::Map(entries) => {
            for (key, value) in entries {
                into.push(key.span.clone());
                places(value, into);
            }
        }
    }
}
