//! Paused runs as values.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, AnswerError, Question, Questions};
use crate::journal::{JournalError, Step, StepRecord, fingerprint};
use crate::trace::TraceParent;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::json::{Problem, Unique, Unread, read_stored};
use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_definitions::text::short;

/// The version of the stored form. A later one adds fields or changes their meaning.
const VERSION: u64 = 1;

/// The field with the hashes of the questions.
const SHOWN: &str = "shown";

/// The field with the span of the paused run.
const TRACEPARENT: &str = "traceparent";

/// A run that waits for answers: its open questions, and the data to continue it (`AgentHandle::resume`), in
/// this process or another one. `RunError::Paused` contains it. Cheap to clone.
///
/// It can be serialised. The stored form has a version; deserialisation fails for another version, and for
/// questions that do not belong to the run. It contains the input, the questions and, without a journal of
/// the program, the results of all steps so far: store it where you would store a conversation. Secrets that
/// the session knows are masked; answers are stored unchanged.
///
/// People decide about what will run: deserialisation fails if stored questions were changed, and an answer
/// counts only if the resumed run asks the question that was shown. Someone who can write the stored value
/// and knows its form can still change the past of the run; [seal](Self::seal) a value that leaves the
/// program.
///
/// Without a journal of the program, a value continues the run from the point of the pause, so it can be
/// resumed only once: after a tool has run, also in a failed run, the value and its clones are used up
/// ([`AnswerError::Used`]). A process that deserialises the stored value again cannot detect this. With a
/// [journal](crate::journal::Journal), each step and each answer happens once across all processes.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Unique", into = "Stored")]
pub struct Paused {
    run: Arc<PausedRun>,
    /// Whether a run uses the value, or used it and ran a tool. Clones share it.
    used: Arc<AtomicBool>,
}

impl PartialEq for Paused {
    fn eq(&self, other: &Self) -> bool {
        self.run == other.run
    }
}

/// The records of a run: the name and the record of each step.
type Records = Vec<(String, StepRecord)>;

/// The parts of a paused run, also as its stored form.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct PausedRun {
    /// The id of the run.
    pub run_id: Arc<str>,
    /// The correlation id.
    pub correlation_id: Arc<str>,
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Arc<str>>,
    /// The agent.
    pub agent: Arc<str>,
    /// The text of the input.
    pub input: String,
    /// All parts of the input, unless it is a single text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<ContentBlock>,
    /// The open questions.
    pub questions: Vec<Question>,
    /// The hash of each question, with unmasked secrets.
    pub hashes: Vec<String>,
    /// The records; `None` if a journal of the program has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
    /// The parent span of the resumed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<TraceParent>,
    /// Whether the program gave the run a session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_session: bool,
    /// The tool, if the run is a single call by the program; the input is then the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<Arc<str>>,
}

#[derive(Serialize)]
struct Stored {
    version: u64,
    /// The hash of each question as it is shown.
    shown: Vec<String>,
    #[serde(flatten)]
    run: PausedRun,
}

/// The version is read first, because a later one may have other fields. The errors quote no values.
impl TryFrom<Unique> for Paused {
    type Error = String;

    fn try_from(Unique(mut stored): Unique) -> Result<Self, String> {
        let version = stored.get("version").and_then(serde_json::Value::as_u64);
        let version = version.ok_or("this is not a paused run: it has no version")?;
        if version != VERSION {
            return Err(format!(
                "the paused run has version {version}, and this program reads version {VERSION}: resume it with the version of \
                 onionskin that wrote it"
            ));
        }
        let mut shown = None;
        if let Some(fields) = stored.as_object_mut() {
            fields.remove("version");
            shown = fields.remove(SHOWN);
            // An invalid one is ignored, because it only places spans.
            if let Some(Err(_)) = fields.get(TRACEPARENT).map(TraceParent::deserialize) {
                fields.remove(TRACEPARENT);
            }
        }
        let run = read_stored::<PausedRun>(&stored).map_err(|Unread { path, problem }| match problem {
            Problem::UnknownField => {
                format!("this version of onionskin does not know the field `{path}` of a paused run")
            }
            Problem::Other(reason) if path.is_empty() => format!("the paused run cannot be read: {reason}"),
            Problem::Other(reason) => format!("the paused run cannot be read: `{path}`: {reason}"),
        })?;
        fit(&run.run_id, &run.questions, &run.hashes)?;
        // Older values lack this field. All questions are compared with those of the run when it is resumed.
        if let Some(shown) = shown
            && let Some(changed) = changed(&run.questions, &shown)
        {
            return Err(format!(
                "the question `{}` of the paused run `{}` was changed after it was stored: show people the run unchanged",
                short(changed, 200),
                run.run_id
            ));
        }
        Ok(Self { run: Arc::new(run), used: Arc::default() })
    }
}

impl From<Paused> for Stored {
    fn from(paused: Paused) -> Self {
        let run = Arc::unwrap_or_clone(paused.run);
        Self { version: VERSION, shown: run.questions.iter().map(fingerprint).collect(), run }
    }
}

/// The key of a question whose hash differs from the stored one.
fn changed<'q>(questions: &'q [Question], shown: &Value) -> Option<&'q str> {
    let mut questions = questions.iter().enumerate();
    let changed = questions.find(|(index, question)| shown.get(index) != Some(&fingerprint(question).into()));
    changed.map(|(_, question)| question.key())
}

/// Checks that the questions belong to the run.
fn fit(run_id: &Arc<str>, questions: &[Question], hashes: &[String]) -> Result<(), String> {
    let mut keys = HashSet::new();
    for question in questions {
        let key = question.key();
        if Step::in_run(Arc::clone(run_id), Arc::default(), question.step().clone()).to_string() != key {
            return Err(format!(
                "the question `{}` does not belong to the paused run `{run_id}`: store the paused run unchanged",
                short(key, 200)
            ));
        }
        if !keys.insert(key) {
            return Err(format!(
                "the paused run `{run_id}` has the question `{key}` twice: store it unchanged"
            ));
        }
    }
    if questions.is_empty() || questions.len() != hashes.len() {
        return Err(format!(
            "the paused run `{run_id}` has no question, or not one hash for each: store it unchanged"
        ));
    }
    Ok(())
}

impl Paused {
    /// Whether the run started in a session of the program (`RunRequest::session`). A resumed run needs it
    /// too.
    pub fn has_session(&self) -> bool {
        self.run.in_session
    }

    /// Starts using the value; `None` if it is in use or used up.
    pub(crate) fn begin(&self) -> Option<Use> {
        let is_free = !self.used.swap(true, Ordering::Relaxed);
        is_free.then(|| Use { used: Arc::clone(&self.used), questions: None })
    }

    /// The id of the run. The resumed run keeps it.
    pub fn run_id(&self) -> &str {
        &self.run.run_id
    }

    /// The agent.
    pub fn agent_name(&self) -> &str {
        &self.run.agent
    }

    /// The text of the run's input.
    pub fn input(&self) -> &str {
        &self.run.input
    }

    /// The tool that the program called, if the run is such a call (`AgentHandle::call_tool`). [`Self::input`] is then the JSON
    /// of its arguments.
    pub fn called_tool(&self) -> Option<&str> {
        self.run.called.as_deref()
    }

    /// The run's `invoke_agent` span, whose trace the resumed run continues; `None` without a
    /// [propagator](crate::trace::Propagator).
    pub fn traceparent(&self) -> Option<&TraceParent> {
        self.run.traceparent.as_ref()
    }

    /// The open questions, in the order of their calls. There is at least one.
    pub fn questions(&self) -> &[Question] {
        &self.run.questions
    }

    /// The open question with this key.
    pub fn question(&self, key: &str) -> Option<&Question> {
        self.questions().iter().find(|question| question.key() == key)
    }

    /// The hash of the open question with this key.
    pub(crate) fn hash(&self, key: &str) -> String {
        let index = self.questions().iter().position(|question| question.key() == key);
        index.map(|index| self.run.hashes[index].clone()).unwrap_or_default()
    }

    /// Checks an answer, as resuming the run does.
    ///
    /// # Errors
    /// Returns an error if no open question has this key, or if the answer does not fit the question.
    pub fn check(&self, key: &str, answer: &Answer) -> Result<(), AnswerError> {
        match self.question(key) {
            Some(question) => question.check(answer),
            None if !key.starts_with(&format!("{}: ", self.run_id())) && key.contains(": turn ") => {
                Err(AnswerError::OtherRun { run_id: Arc::clone(&self.run.run_id), key: key.to_owned() })
            }
            None => {
                let keys: Vec<_> =
                    self.questions().iter().map(|question| format!("`{}`", question.key())).collect();
                let run_id = Arc::clone(&self.run.run_id);
                Err(AnswerError::Unknown { run_id, key: key.to_owned(), open: keys.join(", ") })
            }
        }
    }
}

/// The use of a paused value by a run. If the run ends before a tool has run, the value can be resumed again.
pub struct Use {
    used: Arc<AtomicBool>,
    questions: Option<Arc<Questions>>,
}

impl Use {
    /// Sets the questions of the run that uses the value.
    pub(crate) fn by(mut self, questions: &Arc<Questions>) -> Self {
        self.questions = Some(Arc::clone(questions));
        self
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        if !self.questions.as_ref().is_some_and(|questions| questions.has_acted()) {
            self.used.store(false, Ordering::Relaxed);
        }
    }
}

impl PausedRun {
    /// Names a part that contains a secret that was registered after the part was recorded. If it were masked
    /// now, a replay would differ. Answers of people are never masked.
    pub(crate) fn late_secret(&self, redactor: &Redactor) -> Option<String> {
        if has_secret(&self.input, redactor) || self.attached.iter().any(|part| has_secret(part, redactor)) {
            return Some("the input".to_owned());
        }
        let mut records = self.records.iter().flatten();
        let (step, _) = records.find(|(step, record)| step_has_secret(step, record, redactor))?;
        Some(format!("step `{step}`"))
    }
}

fn has_secret<T: Redact + PartialEq + Clone>(part: &T, redactor: &Redactor) -> bool {
    let mut masked = part.clone();
    masked.redact(redactor);
    masked != *part
}

/// Whether the record of a step has a secret. Answers of people are never masked.
pub(crate) fn step_has_secret(step: &str, record: &StepRecord, redactor: &Redactor) -> bool {
    !is_answer(step) && has_secret(record.value(), redactor)
}

/// Whether a step's name is that of a question of a call: `turn 1/call 2/ask pay`. Names of tools can contain
/// `ask` too.
fn is_answer(step: &str) -> bool {
    let after_call = step.match_indices("call ").filter_map(|(at, word)| {
        let (number, rest) = step[at + word.len()..].split_once('/')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
    });
    after_call.last().is_some_and(|rest| rest.starts_with("ask "))
}

impl Redact for Paused {
    fn redact(&mut self, redactor: &Redactor) {
        let run = Arc::make_mut(&mut self.run);
        run.input.redact(redactor);
        run.attached.iter_mut().for_each(|part| part.redact(redactor));
        run.questions.iter_mut().for_each(|question| question.redact(redactor));
    }
}

impl fmt::Debug for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> = self.questions().iter().map(Question::key).collect();
        f.debug_struct("Paused")
            .field("run_id", &self.run_id())
            .field("questions", &keys)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.questions().len();
        write!(f, "the run `{}` of `{}` waits for {count} answer", self.run_id(), self.agent_name())?;
        f.write_str(if count == 1 { "" } else { "s" })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Paused {
    pub fn new(run: PausedRun) -> Self {
        Self { run: Arc::new(run), used: Arc::default() }
    }

    pub fn run(&self) -> &PausedRun {
        &self.run
    }

    /// Sets whether the run started in a session of the program.
    #[must_use]
    pub fn in_session(mut self, in_session: bool) -> Self {
        Arc::make_mut(&mut self.run).in_session = in_session;
        self
    }

    /// The same without the records of its steps, and these records.
    #[must_use]
    pub fn split_steps(mut self) -> (Self, Vec<(String, StepRecord)>) {
        let run = Arc::make_mut(&mut self.run);
        let steps = run.records.as_mut().map(std::mem::take).unwrap_or_default();
        (self, steps)
    }

    /// The same with records of its steps, unless a journal of the program has them, as if it was not resumed before.
    #[must_use]
    pub fn with_steps(mut self, steps: &[(String, StepRecord)]) -> Self {
        if let Some(records) = &mut Arc::make_mut(&mut self.run).records {
            steps.clone_into(records);
        }
        // Its session says whether it can be resumed.
        self.used = Arc::default();
        self
    }

    /// Sets the span of the run.
    #[must_use]
    pub fn with_traceparent(mut self, traceparent: Option<TraceParent>) -> Self {
        Arc::make_mut(&mut self.run).traceparent = traceparent;
        self
    }

    /// Completes the value at the end of the outermost run: adds the input, and the records unless a journal
    /// has them, and masks secrets.
    ///
    /// # Errors
    /// Returns an error if a step has no record, or if a part contains a secret that was registered later.
    pub fn complete(
        mut self,
        questions: &Questions,
        redactor: Option<&Redactor>,
    ) -> Result<Self, JournalError> {
        if let Some((step, problem)) = questions.unrecorded() {
            // The question was asked before.
            return Err(JournalError::unrecordable_at(self.run_id(), step, problem));
        }
        let run = Arc::make_mut(&mut self.run);
        (run.input, run.attached) = questions.input();
        run.records = questions.own().map(|own| own.records(&run.run_id));
        let Some(redactor) = redactor else { return Ok(self) };
        if let Some(part) = run.late_secret(redactor) {
            let reason = format!(
                "the run cannot pause, because {part} contains a secret that was registered later, and a paused run \
                 contains no secrets: register the secret before the run (`SessionState::set_secret`)"
            );
            return Err(JournalError::unrecordable_at(self.run_id(), "pause".to_owned(), reason));
        }
        self.redact(redactor);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::is_answer;

    #[test]
    fn t8_the_name_of_a_tool_makes_no_answer_of_its_result() {
        assert!(is_answer("turn 1/call 2/ask pay.e3cc4e58539c"));
        assert!(is_answer("London[1]/turn 1/call 2/ask pay"));
        assert!(!is_answer("turn 1/call 2/tool files/ask y"));
        assert!(!is_answer("turn 1/model"));
    }
}
