//! The tree as lines.

use std::time::Duration;

use onionskin_core::event::CallOutcome;

use crate::text;

use super::{Call, Does, Line, Run, RunStatus, Style, Tree};

/// The calls of each agent that are tried to be shown, until the tree has few enough lines.
const CALLS_SHOWN: [usize; 7] = [usize::MAX, 20, 10, 5, 3, 1, 0];

/// The most lines of the reason of one call.
const REASON_LINES: usize = 3;

/// How a tree is drawn.
#[derive(Clone, Copy)]
struct Drawing {
    now: Duration,
    /// The most calls of each agent.
    calls: usize,
    /// The columns of the window if the reason of a failed call has lines of its own.
    reasons: Option<usize>,
}

impl Tree {
    /// The lines at this time: at most `most`. If there are more, each agent shows fewer of its calls: those in progress first, then the
    /// newest.
    pub(in crate::chat) fn drawn(&self, now: Duration, most: usize) -> Vec<Line> {
        self.fitted(now, None, most)
    }

    /// As [`Self::drawn`]; the reason of a failed call is below it, in lines of at most `columns`.
    pub(in crate::chat) fn drawn_with_reasons(
        &self,
        now: Duration,
        most: usize,
        columns: usize,
    ) -> Vec<Line> {
        self.fitted(now, Some(columns), most)
    }

    fn fitted(&self, now: Duration, reasons: Option<usize>, most: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for calls in CALLS_SHOWN {
            lines.clear();
            if let Some(run) = self.runs.get("") {
                lines.push(agent_line(Line::default(), run, now));
                self.below(run, "", Drawing { now, calls, reasons }, &mut lines);
            }
            if lines.len() <= most {
                return lines;
            }
        }
        let more = lines.len() - most.saturating_sub(1);
        lines.truncate(most.saturating_sub(1));
        if most > 0 {
            lines.push(Line::default().with(Style::Faint, format!("and {more} more lines")));
        }
        lines
    }

    /// The lines of the calls of a run, below its own line.
    fn below(&self, run: &Run, indent: &str, how: Drawing, lines: &mut Vec<Line>) {
        let (shown, left_out) = run.shown(how.calls);
        let count = shown.len() + run.groups.len() + usize::from(left_out > 0);
        let mut at = 0;
        let mut branch = || {
            at += 1;
            if at == count { ("└ ", "  ") } else { ("├ ", "│ ") }
        };
        if left_out > 0 {
            let call = if left_out == 1 { "call" } else { "calls" };
            let text = format!("{indent}{}{left_out} {call} before", branch().0);
            lines.push(Line::default().with(Style::Faint, text));
        }
        for call in shown {
            let (fork, stem) = branch();
            self.call_lines(call, &format!("{indent}{fork}"), &format!("{indent}{stem}"), how, lines);
        }
        for group in &run.groups {
            let (child, count) = (text::line(&group.child, 40), group.running + group.ended);
            let running =
                if group.running > 0 { format!(", {} running", group.running) } else { String::new() };
            let line = Line::default().with(Style::Faint, format!("{indent}{}", branch().0));
            lines.push(line.with(Style::Plain, format!("and {count} more {child}{running}")));
        }
    }

    fn call_lines(&self, call: &Call, fork: &str, stem: &str, how: Drawing, lines: &mut Vec<Line>) {
        let runs: Vec<_> = call.runs.iter().filter_map(|scope| self.runs.get(scope)).collect();
        let begun = Line::default().with(Style::Faint, fork);
        let Some((last, earlier)) = runs.split_last() else {
            let (style, mark) = mark_of(call);
            let time = call.ended.map_or_else(|| how.now.saturating_sub(call.began), |(time, _)| time);
            let facts = format!("{} · {}", call.tool, text::time(time));
            said(begun.with(style, mark).with(Style::Plain, facts), call, &format!("{stem}  "), how, lines);
            return;
        };
        // Only a call whose hooks asked the agent again has earlier runs.
        for run in earlier {
            lines.push(agent_line(begun.clone(), run, how.now));
            self.below(run, stem, how, lines);
        }
        let line = agent_line(begun.with(mark_of(call).0, mark_of(call).1), last, how.now);
        let has_more = last.earlier + last.calls.len() + last.groups.len() > 0;
        let indent = if has_more { "│ " } else { "  " };
        said(line, call, &format!("{stem}{indent}"), how, lines);
        self.below(last, stem, how, lines);
    }
}

impl Run {
    /// The calls to show, in order, and the number of the others.
    fn shown(&self, most: usize) -> (Vec<&Call>, usize) {
        let mut by_rank: Vec<_> = (0..self.calls.len()).collect();
        by_rank.sort_by_key(|at| (self.calls[*at].ended.is_some(), usize::MAX - at));
        by_rank.truncate(most);
        by_rank.sort_unstable();
        let left_out = self.earlier + self.calls.len() - by_rank.len();
        (by_rank.into_iter().map(|at| &self.calls[at]).collect(), left_out)
    }
}

fn agent_line(line: Line, run: &Run, now: Duration) -> Line {
    let line = line.with(Style::Strong, text::line(&run.name, 60));
    let mut facts = format!(" · {}", text::time(run.time(now)));
    if run.usage.total() > 0 {
        facts.push_str(&format!(" · {}", text::counted(run.usage.total(), "token")));
    }
    let line = line.with(Style::Plain, facts);
    match run.ended {
        Some((_, RunStatus::Failed)) => line.with(Style::Bad, " · failed"),
        Some((_, RunStatus::Cancelled)) => line.with(Style::Bad, " · cancelled"),
        Some((_, RunStatus::Paused)) => line.with(Style::Plain, " · waits for an answer"),
        Some((_, RunStatus::Answered)) => line,
        None => line.with(
            Style::Faint,
            match run.does {
                Does::Begins | Does::Calls => "",
                Does::AsksModel => " · asks the model",
                Does::Thinks => " · thinks",
                Does::Writes => " · writes",
            },
        ),
    }
}

/// Adds the line with what the call was asked, and what it gave or reports. A reason that has lines of its own is below it.
fn said(line: Line, call: &Call, indent: &str, how: Drawing, lines: &mut Vec<Line>) {
    let line = line.with(Style::Faint, format!("  {}", call.arguments));
    let has_failed = matches!(call.ended, Some((_, CallOutcome::Error(_) | CallOutcome::Abort)));
    if let (true, Some(columns)) = (has_failed, how.reasons) {
        lines.push(line);
        let room = columns.saturating_sub(text::width(indent));
        let reason = text::wrapped(&call.note, room, REASON_LINES);
        lines.extend(
            reason
                .into_iter()
                .map(|part| Line::default().with(Style::Faint, indent).with(Style::Plain, part)),
        );
        return;
    }
    let arrow = if call.ended.is_some() { " → " } else { " · " };
    lines.push(if call.note.is_empty() {
        line
    } else {
        line.with(Style::Plain, format!("{arrow}{}", call.note))
    });
}

fn mark_of(call: &Call) -> (Style, &'static str) {
    match call.ended {
        None => (Style::Faint, "• "),
        Some((_, CallOutcome::Ok)) => (Style::Good, "✓ "),
        Some((_, CallOutcome::Paused)) => (Style::Plain, "? "),
        Some((_, CallOutcome::Stop)) => (Style::Plain, "■ "),
        Some((_, CallOutcome::Error(_) | CallOutcome::Abort)) => (Style::Bad, "✗ "),
    }
}
