//! Error texts with causes.

use std::error::Error;
use std::fmt;
use std::iter::successors;

/// Writes the text of an error, followed by the texts of causes that it does not contain already.
///
/// # Errors
/// Returns the error of the formatter.
pub fn write_with_causes(error: &dyn Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = error.to_string();
    for cause in successors(error.source(), |&cause| cause.source()) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    f.write_str(&text)
}
