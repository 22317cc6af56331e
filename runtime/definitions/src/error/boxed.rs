//! Boxed errors.

use std::error::Error;
use std::sync::Arc;

use crate::secret::Redactor;

/// An error of any type.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Replaces an error whose text contains a secret with the redacted text.
pub fn redact_error(error: &mut Arc<dyn Error + Send + Sync>, redactor: &Redactor) {
    let (mut inner, mut is_clean): (Option<&(dyn Error + 'static)>, _) = (Some(&**error), true);
    while let Some(this) = inner {
        let text = this.to_string();
        is_clean &= redactor.redact(&*text) == text;
        inner = this.source();
    }
    if !is_clean {
        *error = BoxError::from(redactor.redact(error.to_string()).into_owned()).into();
    }
}
