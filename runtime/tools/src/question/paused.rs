//! `Paused` is a paused run as a value.

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

/// A run that waits for answers: its open questions, and the data that is needed to continue it
/// (`AgentHandle::resume`), in this process or another one. A run ends with it as
/// `RunError::Paused`. Cheap to clone.
///
/// It can be serialised. The stored form has a version; a later version is refused where it is read, and so are questions that do not belong to the run. It holds the input, the
/// questions, and without a journal of the program the results of all steps so far: store it where you would store a conversation.
/// The secrets that the session knows are masked; answers are kept as they were given.
///
/// What people are shown is bound to what runs: a stored value whose questions were changed is refused where it is read, and an answer counts only if the
/// run asks what the value shows. Whoever can write the stored value and knows its form can still change the past of the run; a value that leaves the
/// hands of the program is [sealed](Self::seal).
///
/// Without a journal of the program, each value continues the run from the moment when it paused, so it can be resumed once: when a tool has run, the value
/// and its clones are used, also if the run failed, and [`AnswerError::Used`] refuses them. A process that reads the stored value again cannot know that. With a
/// [journal](crate::journal::Journal), each step and each answer is recorded, and happens once in all processes.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Unique", into = "Stored")]
pub struct Paused {
    run: Arc<PausedRun>,
    /// Whether a run goes on with the value, or went on with it and ran a tool. Clones share it.
    used: Arc<AtomicBool>,
}

impl PartialEq for Paused {
    fn eq(&self, other: &Self) -> bool {
        self.run == other.run
    }
}

/// The records of a run: the name of each step, and its record.
type Records = Vec<(String, StepRecord)>;

/// The parts of a paused run, as they are stored too.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct PausedRun {
    /// The id of the run.
    pub run_id: Arc<str>,
    /// The id that runs share.
    pub correlation_id: Arc<str>,
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Arc<str>>,
    /// The agent.
    pub agent: Arc<str>,
    /// The text of the input.
    pub input: String,
    /// All parts of the input, if there are others than one text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<ContentBlock>,
    /// The open questions.
    pub questions: Vec<Question>,
    /// What each question asks, as a hash: secrets are not masked in it.
    pub hashes: Vec<String>,
    /// `None` if a journal of the program has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
    /// The span that the resumed run is beneath.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<TraceParent>,
    /// Whether the program gave the run a session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_session: bool,
}

#[derive(Serialize)]
struct Stored {
    version: u64,
    /// The hash of each question as people are shown it.
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
            // One that cannot be read is left out: it decides where spans are shown, and no more.
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
        // Older values have no such field. Their questions are compared with those of the run, as all are, when they are resumed.
        if let Some(shown) = shown
            && let Some(changed) = changed(&run.questions, &shown)
        {
            return Err(format!(
                "the question `{}` of the paused run `{}` is not as it was stored: show people the run unchanged",
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

/// The key of a question that has another hash than the stored one.
fn changed<'q>(questions: &'q [Question], shown: &Value) -> Option<&'q str> {
    let mut questions = questions.iter().enumerate();
    let changed = questions.find(|(index, question)| shown.get(index) != Some(&fingerprint(question).into()));
    changed.map(|(_, question)| question.key())
}

/// Checks that the questions are those of the run.
fn fit(run_id: &Arc<str>, questions: &[Question], hashes: &[String]) -> Result<(), String> {
    let mut keys = HashSet::new();
    for question in questions {
        let key = question.key();
        if Step::of_run(Arc::clone(run_id), Arc::default(), question.step().clone()).to_string() != key {
            return Err(format!(
                "the question `{}` is not one of the paused run `{run_id}`: store the paused run unchanged",
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
    /// Whether the program gave the run a session (`RunRequest::session`): a resumed run needs it too.
    pub fn has_session(&self) -> bool {
        self.run.in_session
    }

    /// Begins to use the value; `None` if it is used.
    pub(crate) fn begin(&self) -> Option<Use> {
        let is_free = !self.used.swap(true, Ordering::Relaxed);
        is_free.then(|| Use { used: Arc::clone(&self.used), questions: None })
    }

    /// The id of the run. It has the same id when it is resumed.
    pub fn run_id(&self) -> &str {
        &self.run.run_id
    }

    /// The agent.
    pub fn agent_name(&self) -> &str {
        &self.run.agent
    }

    /// The text of the input that the run began with.
    pub fn input(&self) -> &str {
        &self.run.input
    }

    /// The span `invoke_agent` of the run, whose trace the resumed run continues; `None` without a
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

    /// The hash of what the open question with this key asks.
    pub(crate) fn hash(&self, key: &str) -> String {
        let index = self.questions().iter().position(|question| question.key() == key);
        index.map(|index| self.run.hashes[index].clone()).unwrap_or_default()
    }

    /// Checks an answer, as a run that is resumed with it does.
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

/// A run that goes on with a value. If it ends and no tool has run, the value can be resumed again.
pub struct Use {
    used: Arc<AtomicBool>,
    questions: Option<Arc<Questions>>,
}

impl Use {
    /// The use by a run with these questions.
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
    /// The part that holds a secret which the session learned after the run was asked or the step was recorded: masked now, it would
    /// differ in a replay. Answers of people are kept as they were given.
    pub(crate) fn late_secret(&self, redactor: &Redactor) -> Option<String> {
        fn changes<T: Redact + PartialEq + Clone>(part: &T, redactor: &Redactor) -> bool {
            let mut masked = part.clone();
            masked.redact(redactor);
            masked != *part
        }
        if changes(&self.input, redactor) || self.attached.iter().any(|part| changes(part, redactor)) {
            return Some("the input".to_owned());
        }
        let mut records = self.records.iter().flatten().filter(|(step, _)| !is_answer(step));
        let (step, _) = records.find(|(_, record)| changes(record.value(), redactor))?;
        Some(format!("step `{step}`"))
    }
}

/// Whether a step, by its name, is a question of a call: `turn 1/call 2/ask pay`. Names of tools can hold the word too.
fn is_answer(step: &str) -> bool {
    let of_call = step.match_indices("call ").filter_map(|(at, word)| {
        let (number, rest) = step[at + word.len()..].split_once('/')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
    });
    of_call.last().is_some_and(|rest| rest.starts_with("ask "))
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

    /// The same value; `in_session` tells whether the program gave the run a session.
    #[must_use]
    pub fn in_session(mut self, in_session: bool) -> Self {
        Arc::make_mut(&mut self.run).in_session = in_session;
        self
    }

    /// The same value with the span of the run.
    #[must_use]
    pub fn with_traceparent(mut self, traceparent: Option<TraceParent>) -> Self {
        Arc::make_mut(&mut self.run).traceparent = traceparent;
        self
    }

    /// The value at the end of the outermost run: with its input, and with its records if the run keeps its own. Secrets are masked.
    ///
    /// # Errors
    /// Returns an error if a step has no record, or if a part holds a secret that the session learned later.
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
                "the run cannot pause, because {part} holds a secret that the session learned later, and a paused run has no \
                 secrets: tell the session the secret before the run (`SessionState::set_secret`)"
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
