//! Shows a run as a person wants to see it.

use std::collections::HashMap;
use std::time::Duration;

use onionskin::RunOutput;
use onionskin::content::ContentBlock;
use onionskin::definition::ToolSource;
use onionskin::event::{CallOutcome, Event, EventKind};

/// Prints events as they come: caller, tool, arguments, duration and result of each call.
#[derive(Debug, Default)]
pub struct View {
    /// Calls that have begun, to show their arguments beside their result.
    open: HashMap<String, String>,
    saying: bool,
}

impl View {
    /// Prints one event.
    pub fn show(&mut self, event: &Event) {
        let agent = &event.agent;
        if self.saying && !matches!(event.kind, EventKind::TextDelta { .. }) {
            println!();
            self.saying = false;
        }
        match &event.kind {
            EventKind::RunStarted { input, shown: true, .. } => println!("{agent} <- {input}"),
            EventKind::TextDelta { text, .. } if event.is_outermost() => {
                if !self.saying {
                    print!("{agent} says: ");
                }
                print!("{text}");
                self.saying = true;
            }
            EventKind::ToolStarted { call_id, tool, source, arguments, .. } => {
                let source = source.map_or("unknown".to_owned(), |source| source.to_string());
                println!("{agent} calls {tool} ({source}) {arguments}");
                self.open.insert(format!("{agent} {call_id}"), arguments.to_string());
            }
            EventKind::ToolFinished { call_id, tool, outcome, content, duration, attempts, .. } => {
                let arguments = self.open.remove(&format!("{agent} {call_id}")).unwrap_or_default();
                println!("{agent} got  {tool} {arguments} {}", ended(*outcome, *duration, *attempts));
                println!("     = {}", text(content));
            }
            EventKind::Notice { text, .. } => println!("{agent} note: {text}"),
            EventKind::RunFailed { error, .. } => println!("{agent} failed: {error}"),
            _ => {}
        }
    }

    /// Prints the answer and what the run took.
    pub fn summary(&self, output: &RunOutput) {
        println!("\n--- answer ---\n{}", output.text.trim_end());
        let by = |source| output.tool_calls.iter().filter(|call| call.source == Some(source)).count();
        println!(
            "\n{} turns, {} tool calls (mcp {}, function {}, agent {}, runtime {}), {} tokens",
            output.turns,
            output.tool_calls.len(),
            by(ToolSource::Mcp),
            by(ToolSource::Function),
            by(ToolSource::Agent),
            by(ToolSource::Runtime),
            output.usage.total(),
        );
    }
}

fn ended(outcome: CallOutcome, duration: Duration, attempts: u32) -> String {
    let how = match outcome {
        CallOutcome::Ok => "ok".to_owned(),
        CallOutcome::Error(kind) => format!("error ({kind:?})"),
        CallOutcome::Stop => "stop".to_owned(),
        _ => "abort".to_owned(),
    };
    let by = if attempts == 0 { ", answered by a hook" } else { "" };
    format!("{how} in {:.1} ms{by}", duration.as_secs_f64() * 1e3)
}

fn text(content: &[ContentBlock]) -> String {
    let blocks = content.iter().map(|block| block.as_text().unwrap_or("(not text)"));
    blocks.collect::<Vec<_>>().join(" ").replace('\n', " ")
}
