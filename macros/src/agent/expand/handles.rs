//! The functions that a program calls on the type of an agent, or of a workflow.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::agent::model::AgentModel;

pub(super) fn handles(agent: &AgentModel<'_>) -> TokenStream {
    let ty = &agent.ty;
    let is_typed = agent.fields.output.is_some();
    let runs = runs(Span::call_site(), is_typed, &Words::AGENT);
    let (output, run_blocking) = if is_typed {
        (quote!(TypedRunOutput<__Output>), quote!(run_typed_blocking))
    } else {
        (quote!(RunOutput), quote!(run_blocking))
    };
    quote! {
        #[allow(dead_code)]
        impl #ty {
            /// Begins to build the agent: give it a model, a state, servers and dynamic hooks, then `.build().await`.
            pub fn builder() -> __rt::AgentBuilder<Self> {
                ::core::default::Default::default()
            }

            #runs

            /// As `run`, for programs that are not async.
            ///
            /// # Errors
            /// As `run`.
            pub fn run_blocking(
                input: impl ::core::convert::Into<__rt::RunInput>,
            ) -> ::core::result::Result<__rt::#output, __rt::RunError> {
                Self::builder().#run_blocking(input)
            }
        }
    }
}

/// What the documentation says of an agent or a workflow.
pub(crate) struct Words {
    /// What a run does first.
    asks: &'static str,
    /// What it ends.
    servers: &'static str,
    /// Why there is no run.
    fails: &'static str,
}

impl Words {
    const AGENT: Self = Self {
        asks: "Builds the agent with the model that it names, asks it once",
        servers: "its servers",
        fails: "it cannot be built",
    };
    #[cfg(feature = "cards")]
    pub(crate) const WORKFLOW: Self = Self {
        asks: "Builds the agents with the models that they name, runs the start agent once",
        servers: "the servers",
        fails: "they cannot be built",
    };
}

/// `run` and `stream`. A run `is_typed` if its answer is a value.
pub(crate) fn runs(span: Span, is_typed: bool, Words { asks, servers, fails }: &Words) -> TokenStream {
    let (answer, output, stream, [run_method, stream_method]) = if is_typed {
        (
            "no answer that fits",
            quote!(TypedRunOutput<__Output>),
            quote!(TypedRunStream<__Output>),
            [quote!(run_typed), quote!(stream_typed)],
        )
    } else {
        ("no answer", quote!(RunOutput), quote!(RunStream), [quote!(run), quote!(stream)])
    };
    let [runs, streams] =
        [format!(" {asks} and ends {servers}."), format!(" {asks} and gives the events as they come.")];
    let [no_answer, not_built] = [format!(" If {fails}, or there is {answer}."), format!(" If {fails}.")];
    quote_spanned! {span=>
        #[doc = #runs]
        ///
        /// Cancel safety: dropping the future ends the run and kills the servers.
        ///
        /// # Errors
        #[doc = #no_answer]
        pub async fn run(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::#output, __rt::RunError> {
            Self::builder().#run_method(input).await
        }

        #[doc = #streams]
        ///
        /// Cancel safety: dropping the future kills the servers that were started. The run begins when the stream is polled.
        ///
        /// # Errors
        #[doc = #not_built]
        pub async fn stream(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::#stream, __rt::BuildError> {
            Self::builder().#stream_method(input).await
        }
    }
}
