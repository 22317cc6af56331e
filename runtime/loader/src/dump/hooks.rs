//! The hooks of a card that is written.

use onionskin_cards::{Approval, ApprovalRule, Called, Card, Filter, Hook, HookItem, Target};
use onionskin_core::__private0::outline::{FilterWord, Filtered, HookType, RuleSource};

use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::ToolSource;

use super::{Dump, DumpError, last, spanned};
use crate::registered_item::RegisteredItem;

impl Dump<'_> {
    pub(super) fn hooks(&self, card: &mut Card) -> Result<(), DumpError> {
        for (index, (ty, filter)) in self.outline.hooks.iter().enumerate() {
            if index == self.outline.seam && index > 0 {
                card.tool_hooks.push(HookItem::Rest(spanned(())));
            }
            let filter = filter.map(|filter| self.filter(last(ty.name), filter, card)).transpose()?;
            card.tool_hooks.push(HookItem::Hook(self.hook(ty, "tool_hooks", "tool_hook")?, filter));
        }
        let count = self.outline.hooks.len();
        if count > 0 && self.outline.seam == count {
            card.tool_hooks.push(HookItem::Rest(spanned(())));
        }
        for (ty, filter) in &self.outline.input_guardrails {
            let filter = filter.map(|filter| self.filter(last(ty.name), filter, card)).transpose()?;
            card.input_guardrails.push((self.hook(ty, "input_guardrails", "input_guardrail")?, filter));
        }
        for (ty, filter) in &self.outline.output_guardrails {
            let filter = filter.map(|filter| self.filter(last(ty.name), filter, card)).transpose()?;
            card.output_guardrails.push((self.hook(ty, "output_guardrails", "output_guardrail")?, filter));
        }
        if !self.outline.approval.is_empty() {
            card.approval = Some(self.approval(card)?);
        }
        let around = &self.outline.around;
        for ty in &around.run {
            card.run_hooks.push(self.hook(ty, "run_hooks", "run_hook")?);
        }
        for ty in &around.turn {
            card.turn_hooks.push((None, self.hook(ty, "turn_hooks", "turn_hook")?));
        }
        for ty in &around.message {
            card.message_hooks.push(self.hook(ty, "message_hooks", "message_hook")?);
        }
        Ok(())
    }

    fn approval(&self, card: &Card) -> Result<Vec<Approval>, DumpError> {
        let mut approval = Vec::new();
        for (rule, filter) in &self.outline.approval {
            let code = || {
                self.code(
                    "a rule of `approval`".to_owned(),
                    "a card has it in `rule`: write the card yourself",
                )
            };
            let filter = filter.ok_or_else(|| {
                self.code("the approval of all calls".to_owned(), "a card names the calls in `approval`")
            })?;
            let Filter { except, targets } = self.filter("approval", filter, card)?;
            let mut push = |rule, targets| {
                approval.push(Approval { rule, filter: Filter { except, targets }, span: 0..0 });
            };
            match rule {
                RuleSource::Code => return Err(code()),
                RuleSource::Always(Some(reason)) => {
                    push(ApprovalRule::Because(spanned(reason.clone())), targets);
                }
                RuleSource::Always(None) if except => return Err(code()),
                RuleSource::Always(None) => {
                    for target in targets {
                        push(ApprovalRule::Always, vec![target]);
                    }
                }
            }
        }
        Ok(approval)
    }

    fn hook(&self, ty: &HookType, field: &'static str, method: &'static str) -> Result<Hook, DumpError> {
        if ty.has_values {
            let part = format!("the value of `{}`", last(ty.name));
            return Err(self.code(part, "a card has it in `with`: write the card yourself"));
        }
        let fits = |entry: &RegisteredItem| matches!(entry, RegisteredItem::Hook(uses) if uses.iter().any(|(_, hook)| hook.id == Some(ty.id)));
        Ok(Hook { item: spanned(self.item(fits, ty, field, method)?), with: Vec::new() })
    }

    /// The filter of a hook or a guardrail, or of `approval`: `owner` is its name.
    fn filter(&self, owner: &str, filter: Filtered, card: &Card) -> Result<Filter, DumpError> {
        let code = |what: &str| {
            let part = format!("the {what} of `{owner}`");
            self.code(part, "a card filters by tools, toolboxes, children, servers and sources")
        };
        let mut targets = Vec::new();
        for word in filter.words.ok_or_else(|| code("tool"))? {
            let name = |called: Option<Called<'_>>| {
                called.map(|called| word_for(card, called)).ok_or_else(|| code("filter"))
            };
            targets.push(spanned(match *word {
                FilterWord::Function(index) => {
                    let at = self.outline.tools.iter().position(|(known, _)| *known == index);
                    let tool = at.and_then(|at| card.function_tools.get(at));
                    name(tool.map(|tool| Called::Tool(&tool.value)))?
                }
                FilterWord::Child(index) => {
                    name(card.agents.get(index).map(|child| Called::Child(&child.value)))?
                }
                FilterWord::Toolbox(index) => {
                    name(card.toolboxes.get(index).map(|toolbox| Called::Toolbox(&toolbox.item.value)))?
                }
                FilterWord::Method(_) => return Err(code("filter")),
                FilterWord::Server(server) => Target::Server(server.to_owned()),
                FilterWord::Source(source) => {
                    Target::Source(ToolSource::from_word(source).ok_or_else(|| code("filter"))?)
                }
                FilterWord::Added(tool) => Target::tool(tool).ok_or_else(|| code("filter"))?,
                FilterWord::Named(tool) => Target::Name(tool.to_owned()),
                FilterWord::Everywhere => Target::Everywhere,
            }));
        }
        Ok(Filter { except: filter.except, targets })
    }
}

/// The word for an item in a filter: the last part of its name, or the item as its list has it if others are called so too.
fn word_for(card: &Card, called: Called<'_>) -> Target {
    let last = match called {
        Called::Tool(item) | Called::Toolbox(item) => item.last_name(),
        Called::Child(child) => last(child),
    };
    match (card.called(last).as_slice(), called) {
        ([_], _) => Target::Name(last.to_owned()),
        (_, Called::Child(child)) if !child.contains("::") => Target::Tool(format!("agent__{child}")),
        (_, Called::Tool(_) | Called::Toolbox(_) | Called::Child(_)) => Target::Name(called.full_word()),
    }
}
