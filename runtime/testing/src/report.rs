//! The outcomes of the cases of a suite.

use std::fmt;
use std::time::Duration;

use onionskin_tools::model::RequestOption;
use onionskin_tools::onion::caught_async;

/// The maximum duration of a case.
const PATIENCE: Duration = Duration::from_secs(20);

/// The outcome of a case, which is a failure too if the case panics or takes too long.
pub(crate) async fn case_outcome(case: impl Future<Output = CaseOutcome>) -> CaseOutcome {
    match tokio::time::timeout(PATIENCE, caught_async(case)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(words)) => CaseOutcome::Failed(format!("it panicked: {words}")),
        Err(_) => CaseOutcome::Failed(format!("it took more than {PATIENCE:?}")),
    }
}

/// The outcomes of the cases of a suite, such as [`model_suite`](super::model_suite). `Display` lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "assert that all cases passed"]
pub struct SuiteReport {
    pub(crate) cases: Vec<(&'static str, CaseOutcome)>,
}

/// The outcome of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaseOutcome {
    /// It passed.
    Passed,
    /// The model declares that it does not support the option:
    /// [`ModelError::Unsupported`](onionskin_tools::model::ModelError::Unsupported). It sent no request.
    Refused(RequestOption),
    /// A part of the request or answer was not passed on. Not every provider supports it, so it is not a
    /// failure.
    NotShown(String),
    /// The mistake.
    Failed(String),
}

impl SuiteReport {
    /// The cases by name, in order.
    pub fn cases(&self) -> impl Iterator<Item = (&'static str, &CaseOutcome)> {
        self.cases.iter().map(|(name, outcome)| (*name, outcome))
    }

    /// The names of the failed cases.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.cases().filter(|(_, outcome)| matches!(outcome, CaseOutcome::Failed(_)));
        failed.map(|(name, _)| name).collect()
    }

    /// The options that the model refuses.
    pub fn refused(&self) -> Vec<RequestOption> {
        let mut refused = Vec::new();
        for (_, outcome) in self.cases() {
            if let CaseOutcome::Refused(option) = outcome
                && !refused.contains(option)
            {
                refused.push(*option);
            }
        }
        refused
    }

    /// The names of the cases with a part that was not passed on ([`CaseOutcome::NotShown`]). If the provider
    /// of this model supports all parts, assert that the list is empty.
    pub fn not_shown(&self) -> Vec<&'static str> {
        let missing = self.cases().filter(|(_, outcome)| matches!(outcome, CaseOutcome::NotShown(_)));
        missing.map(|(name, _)| name).collect()
    }

    /// Asserts that no case failed.
    ///
    /// # Panics
    /// Panics with the whole report if a case failed.
    pub fn assert_passed(&self) {
        self.assert_passed_except(&[]);
    }

    /// Asserts that exactly these cases failed: cases that the test's provider cannot simulate.
    ///
    /// # Panics
    /// Panics with the whole report if another case failed, or if one of these passed.
    pub fn assert_passed_except(&self, cases: &[&str]) {
        let failed = self.failed();
        let more: Vec<_> = failed.iter().filter(|name| !cases.contains(name)).collect();
        assert!(more.is_empty(), "failed: {more:?}:\n{self}");
        let fewer: Vec<_> = cases.iter().filter(|name| !failed.contains(name)).collect();
        assert!(
            fewer.is_empty(),
            "these cases did not fail, so remove them from the exceptions: {fewer:?}\n{self}"
        );
    }
}

impl fmt::Display for SuiteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in self.cases() {
            match outcome {
                CaseOutcome::Passed => writeln!(f, "ok       {name}")?,
                CaseOutcome::Refused(option) => {
                    writeln!(f, "refused  {name}: the model does not support `{option}`")?;
                }
                CaseOutcome::NotShown(what) => writeln!(f, "unshown  {name}: {what}")?,
                CaseOutcome::Failed(reason) => writeln!(f, "FAILED   {name}: {reason}")?,
            }
        }
        Ok(())
    }
}
