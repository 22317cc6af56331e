//! Completes a card when the other agents are known.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use onionskin_cards::{Card, Source, Spanned};
use onionskin_vocabulary::agent::{Setting, TextField};
use onionskin_vocabulary::placeholders::escape;
use onionskin_vocabulary::{Word as _, agent_tool};

use super::draft::Draft;
use super::source::Note;
use super::text::{AGENTS, DATE, beginning};

/// The characters of a description that is made of the beginning of a text.
const LONGEST_BEGINNING: usize = 200;

/// What the name of an agent in the file of another agent stands for.
pub(super) enum Link {
    /// The agent that has this name here.
    Agent(String),
    /// An agent that calls the other one.
    Circle,
    /// An agent whose file is not imported.
    Refused,
    /// No agent of the files.
    Missing,
}

/// The links, each from an agent to one that it calls, without which no circle is left. `here` gives the name of an agent here for its name
/// there. The agents that need others keep their links, and then those that call the most others.
pub(super) fn circles<'d>(
    drafts: impl Iterator<Item = &'d Draft>,
    here: impl Fn(&str) -> Option<&'d str>,
) -> BTreeSet<(String, String)> {
    let mut drafts: Vec<&Draft> = drafts.collect();
    drafts.sort_by_key(|draft| (draft.directions.is_none(), Reverse(draft.children.len())));
    let mut links: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut circles = BTreeSet::new();
    for draft in drafts {
        let parent = &*draft.card.name.value;
        for child in draft.children.iter().filter_map(|(_, name)| here(name)) {
            if child != parent && leads(&links, child, parent) {
                circles.insert((parent.to_owned(), child.to_owned()));
            } else {
                links.entry(parent).or_default().push(child);
            }
        }
    }
    circles
}

/// Whether links lead from an agent to another one.
fn leads(links: &HashMap<&str, Vec<&str>>, from: &str, to: &str) -> bool {
    let (mut visited, mut next) = (BTreeSet::from([from]), vec![from]);
    while let Some(agent) = next.pop() {
        if agent == to {
            return true;
        }
        next.extend(links.get(agent).into_iter().flatten().filter(|child| visited.insert(child)));
    }
    false
}

impl Draft {
    /// Puts its agents into the card.
    ///
    /// # Errors
    /// Returns the first agent without which the card does not work.
    pub(super) fn resolve(&mut self, link: impl Fn(&str) -> Link) -> Result<(), Note> {
        self.card.agents.clear();
        for (line, name) in self.children.clone() {
            let why = match link(&name) {
                Link::Agent(here) => {
                    if here == self.card.name.value {
                        self.note(
                            line,
                            format!("the agent `{name}` is left out: an agent does not call itself"),
                        );
                    } else if self.card.agents.iter().all(|known| known.value != here) {
                        self.card.agents.push(Spanned::new(here, 0..0));
                    }
                    continue;
                }
                Link::Circle => {
                    "it calls this one, directly or through others, and a circle of agents would have no end"
                        .to_owned()
                }
                Link::Refused => "its file is not imported".to_owned(),
                Link::Missing if self.kind.has_agent(&name) => {
                    format!("it is built into {} and has no file", self.kind.program())
                }
                Link::Missing => "import its file in the same command".to_owned(),
            };
            let shown = beginning(&name, 80);
            if self.directions.is_some() {
                let text =
                    format!("the agent `{shown}` is missing, without which this one does not work: {why}");
                return Err(Note::new(line, text));
            }
            self.note(line, format!("the agent `{shown}` is left out: {why}"));
        }
        let tool = |name: &str| match link(name) {
            Link::Agent(here) => format!("`{}`", agent_tool(&here)),
            Link::Circle | Link::Refused | Link::Missing => String::new(),
        };
        let directions = self.directions.as_ref().map(|directions| directions.text(tool));
        let text =
            [Some(self.text.clone()), directions].into_iter().flatten().filter(|text| !text.is_empty());
        let text = text.collect::<Vec<_>>().join("\n\n");
        let names: Vec<_> =
            self.card.agents.iter().map(|agent| format!("`{}`", agent_tool(&agent.value))).collect();
        let text = escape(&text).replace(AGENTS, &names.join(", "));
        self.put_text(TextField::Instructions, 1, &text);
        Ok(())
    }

    /// Gives a child a description, by which its parents choose it.
    pub(super) fn describe(&mut self) {
        if self.card.text(TextField::Description).is_none() {
            // What stands in place of a placeholder is said to the agent itself.
            let end = [AGENTS, DATE].iter().filter_map(|place| self.text.find(place)).min();
            let sentences = end.map_or(&*self.text, |end| {
                let last = self.text[..end].rfind(['.', '!', '?', '\n']);
                last.map_or("", |last| &self.text[..=last])
            });
            let mut text = beginning(sentences, LONGEST_BEGINNING);
            if text.is_empty() {
                text.clone_from(&self.card.name.value);
            }
            self.note(1, format!("the file has no `description`, by which other agents choose it; the card has this one: `{}`", beginning(&text, 80)));
            self.put_text(TextField::Description, 1, &text);
        }
    }

    /// Removes the settings with mistakes, and says why.
    ///
    /// # Errors
    /// Returns a mistake that is in no setting.
    pub(super) fn checked(&mut self) -> Result<String, Note> {
        loop {
            let text = self.card.to_markdown();
            let name = format!("{}.md", self.stem);
            let source = Source::new(&*name, &*text);
            let (_, problems) = Card::read_with_problems(name.as_ref(), &source);
            let Some(problem) = problems.first() else { return Ok(text) };
            let (line, _) = source.line_and_column(problem.span.start);
            let key = text
                .lines()
                .nth(line - 1)
                .and_then(|line| line.split_once(':'))
                .map_or("", |(key, _)| key.trim());
            let at = self.lines.iter().find(|(word, _)| *word == key).map_or(1, |(_, line)| *line);
            if !self.remove(key) {
                return Err(Note::new(at, problem.message.clone()));
            }
            self.note(at, format!("`{key}` is left out: {}", problem.message));
        }
    }

    /// Removes the setting of this name; false if there is none.
    fn remove(&mut self, key: &str) -> bool {
        let card = &mut self.card;
        let parts = card.settings.len() + card.limits.len() + card.request_params.len() + card.texts.len();
        card.settings.retain(|(setting, _)| setting.word() != key);
        card.limits.retain(|(limit, _)| limit.value.word() != key);
        card.request_params.retain(|(param, _)| param.value.word() != key);
        parts != card.settings.len() + card.limits.len() + card.request_params.len() + card.texts.len()
    }

    /// Leaves out `default: true`, because another card has it.
    pub(super) fn is_no_default(&mut self, other: &str) {
        if self.card.is_default() {
            self.card.settings.retain(|(setting, _)| *setting != Setting::Default);
            let line = self
                .lines
                .iter()
                .find(|(word, _)| *word == Setting::Default.word())
                .map_or(1, |(_, line)| *line);
            self.note(line, format!("`default: true` is left out: `{other}` has it already"));
        }
    }
}
