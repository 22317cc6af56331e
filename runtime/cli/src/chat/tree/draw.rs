//! The tree as lines.

use std::time::Duration;

use onionskin_core::event::CallOutcome;

use crate::text;

use super::{Call, Does, Line, Run, RunStatus, Style, Tree};

/// The calls of each agent that are tried to be shown, until the tree has few enough lines.
const CALLS_SHOWN: [usize; 7] = [usize::MAX, 20, 10, 5, 3, 1, 0];

impl Tree {
    /// The lines at this time: at most `most`. If there are more, each agent shows fewer of its calls: those in progress first, then the
    /// newest.
    pub(in crate::chat) fn drawn(&self, now: Duration, most: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for calls in CALLS_SHOWN {
            lines.clear();
            if let Some(run) = self.runs.get("") {
                lines.push(agent_line(Line::default(), run, now));
                self.beneath(run, "", calls, now, &mut lines);
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

    /// The lines of the calls of a run, beneath its own line.
    fn beneath(&self, run: &Run, indent: &str, most: usize, now: Duration, lines: &mut Vec<Line>) {
        let (shown, left_out) = run.shown(most);
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
            self.call_lines(call, &format!("{indent}{fork}"), &format!("{indent}{stem}"), most, now, lines);
        }
        for group in &run.groups {
            let (child, count) = (text::line(&group.child, 40), group.running + group.ended);
            let running =
                if group.running > 0 { format!(", {} running", group.running) } else { String::new() };
            let line = Line::default().with(Style::Faint, format!("{indent}{}", branch().0));
            lines.push(line.with(Style::Plain, format!("and {count} more {child}{running}")));
        }
    }

    fn call_lines(
        &self,
        call: &Call,
        fork: &str,
        stem: &str,
        most: usize,
        now: Duration,
        lines: &mut Vec<Line>,
    ) {
        let runs: Vec<_> = call.runs.iter().filter_map(|scope| self.runs.get(scope)).collect();
        let begun = Line::default().with(Style::Faint, fork);
        let Some((last, earlier)) = runs.split_last() else {
            lines.push(call_line(begun, call, now));
            return;
        };
        // Only a call whose hooks asked the agent again has earlier runs.
        for run in earlier {
            lines.push(agent_line(begun.clone(), run, now));
            self.beneath(run, stem, most, now, lines);
        }
        let line = agent_line(begun.with(mark_of(call).0, mark_of(call).1), last, now);
        lines.push(said(line, call));
        self.beneath(last, stem, most, now, lines);
    }
}

impl Run {
    /// The calls to show, in their order, and the number of the others.
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

fn call_line(line: Line, call: &Call, now: Duration) -> Line {
    let (style, mark) = mark_of(call);
    let time = call.ended.map_or_else(|| now.saturating_sub(call.began), |(time, _)| time);
    let line = line.with(style, mark).with(Style::Plain, format!("{} · {}", call.tool, text::time(time)));
    said(line, call)
}

/// The line with what the call was asked, and what it gave or reports.
fn said(line: Line, call: &Call) -> Line {
    let line = line.with(Style::Faint, format!("  {}", call.arguments));
    let arrow = if call.ended.is_some() { " → " } else { " · " };
    if call.note.is_empty() { line } else { line.with(Style::Plain, format!("{arrow}{}", call.note)) }
}

fn mark_of(call: &Call) -> (Style, &'static str) {
    match call.ended {
        None => (Style::Faint, "• "),
        Some((_, CallOutcome::Ok)) => (Style::Good, "✓ "),
        Some((_, CallOutcome::Paused)) => (Style::Plain, "? "),
        Some((_, CallOutcome::Stop)) => (Style::Plain, "■ "),
        Some(_) => (Style::Bad, "✗ "),
    }
}
