//! The types that a derive cannot visit.

use super::parse::Input;
use crate::diag::Errors;

pub(super) fn input(input: &Input<'_>, errors: &mut Errors) {
    if let Some(union) = input.union {
        errors.push(
            union,
            format_args!(
                "the fields of a union share their memory, so a derive cannot know which of them holds a secret: make it an \
                 enum, or write `impl onionskin::secret::VisitSecrets for {}`",
                input.item.ident
            ),
        );
    }
}
