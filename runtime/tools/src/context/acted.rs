//! The calls that a child agent made, summarised for the model of its parent.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use crate::event::CallOutcome;
use onionskin_definitions::error::ErrorKind;
use onionskin_definitions::lock::lock;

/// The maximum number of tools to name.
const MAX_NAMED_TOOLS: usize = 10;

/// The calls of a run and its child runs that may have had an effect.
#[derive(Default)]
pub struct Acted {
    above: Option<Arc<Self>>,
    tools: Mutex<Vec<(Arc<str>, Times)>>,
}

/// The calls of one tool.
#[derive(Default, Clone, Copy)]
struct Times {
    all: u32,
    failed: u32,
    /// The calls with an unknown outcome.
    unknown: u32,
}

impl Acted {
    /// Starts an empty record for a run, with the record of its parent run.
    pub fn for_child_of(above: Option<&Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { above: above.cloned(), tools: Mutex::default() })
    }

    /// Records a call whose tool started, here and in the records of all parent runs.
    pub fn note(&self, tool: &Arc<str>, outcome: CallOutcome) {
        let (failed, unknown) = match outcome {
            CallOutcome::Ok | CallOutcome::Stop | CallOutcome::Error(ErrorKind::Withheld) => (0, 0),
            CallOutcome::Paused => return,
            CallOutcome::Abort => (0, 1),
            CallOutcome::Error(kind) if kind.is_in_doubt() => (0, 1),
            CallOutcome::Error(_) => (1, 0),
        };
        let mut run = Some(self);
        while let Some(acted) = run {
            let mut tools = lock(&acted.tools);
            let at = tools.iter().position(|(name, _)| name == tool).unwrap_or_else(|| {
                tools.push((Arc::clone(tool), Times::default()));
                tools.len() - 1
            });
            let times = &mut tools[at].1;
            (times.all, times.failed, times.unknown) =
                (times.all + 1, times.failed + failed, times.unknown + unknown);
            run = acted.above.as_deref();
        }
    }

    /// The calls as a sentence; `None` if there are none.
    pub fn sentence(&self) -> Option<String> {
        let tools = lock(&self.tools);
        if tools.is_empty() {
            return None;
        }
        let mut listed: Vec<_> =
            tools.iter().take(MAX_NAMED_TOOLS).map(|(name, times)| times.describe(name)).collect();
        match tools.len().saturating_sub(MAX_NAMED_TOOLS) {
            0 => {}
            1 => listed.push("1 other tool".to_owned()),
            more => listed.push(format!("{more} other tools")),
        }
        let last = listed.pop().unwrap_or_default();
        let before = if listed.is_empty() { String::new() } else { format!("{} and ", listed.join(", ")) };
        Some(format!("Before, it ran {before}{last}."))
    }
}

impl Times {
    fn describe(self, name: &str) -> String {
        let mut text = match self.all {
            1 => format!("`{name}` once"),
            2 => format!("`{name}` twice"),
            times => format!("`{name}` {times} times"),
        };
        let (failed, unknown) = match self.all {
            1 => ("with an error".to_owned(), "its outcome is not known".to_owned()),
            _ => (
                format!("{} with an error", self.failed),
                format!("{} whose outcome is not known", self.unknown),
            ),
        };
        match (self.failed, self.unknown) {
            (0, 0) => Ok(()),
            (_, 0) => write!(text, " ({failed})"),
            (0, _) => write!(text, " ({unknown})"),
            _ => write!(text, " ({failed}, {unknown})"),
        }
        .unwrap_or_else(|_| unreachable!("a text takes any text"));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a5_what_was_done_is_one_short_sentence() {
        let top = Acted::for_child_of(None);
        let child = Acted::for_child_of(Some(&top));
        assert_eq!(child.sentence(), None);
        let note = |tool: &str, outcome| child.note(&tool.into(), outcome);
        note("book", CallOutcome::Ok);
        assert_eq!(child.sentence().unwrap(), "Before, it ran `book` once.");
        note("book", CallOutcome::Error(ErrorKind::Withheld));
        note("wait", CallOutcome::Paused);
        note("pay", CallOutcome::Error(ErrorKind::Cancelled));
        let said = "Before, it ran `book` twice and `pay` once (its outcome is not known).";
        assert_eq!(child.sentence().unwrap(), said);
        note("pay", CallOutcome::Error(ErrorKind::Failed));
        note("send", CallOutcome::Error(ErrorKind::Remote));
        let said = "Before, it ran `book` twice, `pay` twice (1 with an error, 1 whose outcome is not known) and `send` once \
                    (with an error).";
        assert_eq!(child.sentence().unwrap(), said);
        // The run above did it too.
        assert_eq!(top.sentence(), child.sentence());
        for index in 0..20 {
            note(&format!("tool_{index}"), CallOutcome::Ok);
        }
        let said = child.sentence().unwrap();
        assert!(said.ends_with("`tool_6` once and 13 other tools."), "{said}");
    }
}
