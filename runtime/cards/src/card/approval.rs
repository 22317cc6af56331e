//! The calls that need approval.

use onionskin_vocabulary::unknown;

use super::{Approval, ApprovalRule, Filter};
use crate::reader::{Field, Reader};
use crate::yaml::{Node, Value};

/// The entries of the field.
pub(super) fn approval(reader: &mut Reader, field: Field<'_>) -> Vec<Approval> {
    let nodes = reader.list(field, "approval: [shell.execute]");
    nodes.iter().filter_map(|node| reader.approval(node)).collect()
}

impl Reader {
    /// A target alone, or a reason or a rule with a filter.
    fn approval(&mut self, node: &Node) -> Option<Approval> {
        const EXAMPLE: &str = "{ reason: \"it costs money\", for: [add_one] }";
        let span = node.span.clone();
        let Value::Map(entries) = &node.value else {
            let target = self.target(node, "approval: [shell.execute]")?;
            let filter = Filter { except: false, targets: vec![target] };
            return Some(Approval { rule: ApprovalRule::Always, filter, span });
        };
        let (mut rules, mut filter, mut count) = (Vec::new(), None, 0);
        let mut is_known = true;
        for (key, value) in entries {
            let field = Field { key, value };
            match &*key.value {
                "reason" => {
                    count += 1;
                    rules.extend(self.text(field).map(ApprovalRule::Because));
                }
                "rule" => {
                    count += 1;
                    rules.extend(self.item(value, "rules.rs:is_large").map(ApprovalRule::Function));
                }
                "for" | "except" => {
                    if filter.is_some() {
                        self.note(&key.span, "an entry takes `for` or `except`, not both");
                    }
                    filter = Some(self.filter(field));
                }
                other => {
                    is_known = false;
                    self.note(
                        &key.span,
                        unknown("approval key", other, &["reason", "rule", "for", "except"]),
                    );
                }
            }
        }
        let Some(filter) = filter else {
            self.note(&span, format!("this names no calls: `{EXAMPLE}`"));
            return None;
        };
        match count {
            // It may be the rule.
            0 if !is_known => None,
            1 => Some(Approval { rule: rules.pop()?, filter, span }),
            0 => {
                self.note(&span, format!("name the calls alone, or add a reason: `{EXAMPLE}`"));
                None
            }
            _ => {
                self.note(
                    &span,
                    "an entry has a `reason` or a `rule`, and a rule gives its own reason: keep one",
                );
                None
            }
        }
    }
}
