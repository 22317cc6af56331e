//! The words for calls that ended.

use std::time::Duration;

use onionskin_core::content::ContentBlock;
use onionskin_core::event::CallOutcome;

use crate::text;

/// The characters of what a call gave.
const LONGEST_SAYING: usize = 200;

/// What a call gave: its result, or the error behind a failure.
pub(crate) fn said(outcome: CallOutcome, content: &[ContentBlock], errors: &[String]) -> String {
    match errors.first() {
        Some(error) if outcome != CallOutcome::Ok => error.clone(),
        _ => {
            content.iter().map(|block| block.as_text().unwrap_or("(not text)")).collect::<Vec<_>>().join(" ")
        }
    }
}

/// How a call ended, as one line: `failed: no such city (3.5 ms)`. The result of a call that went well is left out.
pub(crate) fn ended(outcome: CallOutcome, said: &str, duration: Duration) -> String {
    let said = text::line(said, LONGEST_SAYING);
    let why = match outcome {
        CallOutcome::Ok | CallOutcome::Paused => String::new(),
        CallOutcome::Error(_) | CallOutcome::Stop | CallOutcome::Abort if said.is_empty() => said,
        CallOutcome::Error(_) | CallOutcome::Stop | CallOutcome::Abort => format!(": {said}"),
    };
    let time = match duration.as_secs() {
        0 => format!("{:.1} ms", duration.as_secs_f64() * 1000.0),
        _ => text::time(duration),
    };
    format!("{}{why} ({time})", word(outcome))
}

fn word(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Ok => "ok",
        CallOutcome::Stop => "stopped the run",
        CallOutcome::Abort => "aborted the run",
        CallOutcome::Paused => "waits for an answer",
        CallOutcome::Error(kind) => kind.phrase(),
    }
}

#[cfg(test)]
mod tests {
    use onionskin_core::ErrorKind;

    use super::*;

    #[test]
    fn o1_a_call_that_ended_has_words() {
        let millis = Duration::from_micros(3540);
        assert_eq!(ended(CallOutcome::Ok, "42", millis), "ok (3.5 ms)");
        assert_eq!(
            ended(CallOutcome::Error(ErrorKind::Failed), "no\n such  city", millis),
            "failed: no such city (3.5 ms)"
        );
        assert_eq!(
            ended(CallOutcome::Error(ErrorKind::Timeout), "", Duration::from_secs(2)),
            "timed out (2.0 s)"
        );
        assert_eq!(
            ended(CallOutcome::Error(ErrorKind::Panic), &"ü".repeat(300), millis),
            format!("panicked: {}… (3.5 ms)", "ü".repeat(200))
        );
        assert_eq!(
            ended(CallOutcome::Abort, "a\u{1b}[31m", millis),
            "aborted the run: a\\u{1b}[31m (3.5 ms)"
        );
    }

    #[test]
    fn o1_an_error_of_a_call_is_shown_with_its_own_words() {
        let content = [ContentBlock::text("Try later.")];
        let errors = ["the shop is closed".to_owned()];
        assert_eq!(said(CallOutcome::Error(ErrorKind::Failed), &content, &errors), "the shop is closed");
        assert_eq!(said(CallOutcome::Error(ErrorKind::Failed), &content, &[]), "Try later.");
        assert_eq!(said(CallOutcome::Ok, &content, &errors), "Try later.");
    }
}
