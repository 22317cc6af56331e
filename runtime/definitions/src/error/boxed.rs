//! `BoxError` holds an error of any type.

use std::error::Error;
use std::sync::Arc;

use crate::secret::Redactor;

/// An error of any type, as code of a program or of another crate returns it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Replaces an error whose text has a secret by its redacted text.
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
