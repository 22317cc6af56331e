//! Warnings of the compiler. A macro cannot emit a warning, so it uses an item that it marks as deprecated.

use onionskin_cards::Workflow;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The warnings, each at this place.
pub(super) fn warnings(workflow: &Workflow, span: Span) -> TokenStream {
    let warnings = workflow.warning_lines().map(|words| {
        quote_spanned! {span=>
            const _: () = {
                #[deprecated(note = #words)]
                #[allow(non_upper_case_globals)]
                const of_a_workflow: () = ();
                let () = of_a_workflow;
            };
        }
    });
    warnings.collect()
}
