//! The functions that a program calls on the type of an agent.

use proc_macro2::TokenStream;
use quote::quote;

use crate::agent::model::AgentModel;

pub(super) fn handles(agent: &AgentModel<'_>) -> TokenStream {
    let ty = &agent.ty;
    let runs = if agent.output.is_some() { typed_runs() } else { runs() };
    quote! {
        #[allow(dead_code)]
        impl #ty {
            /// Begins to build the agent: give it a model, a state, servers and dynamic hooks, then `.build().await`.
            pub fn builder() -> __rt::AgentBuilder<Self> {
                ::core::default::Default::default()
            }

            #runs
        }
    }
}

/// The functions of an agent whose answers are text.
fn runs() -> TokenStream {
    quote! {
        /// Builds the agent with the model that it names, asks it once and ends its servers.
        ///
        /// Cancel safety: dropping the future ends the run and kills the servers.
        ///
        /// # Errors
        /// If it cannot be built or has no answer.
        pub async fn run(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::RunOutput, __rt::RunError> {
            Self::builder().run(input).await
        }

        /// Builds the agent with the model that it names, asks it once and gives the events as they come.
        ///
        /// Cancel safety: dropping the future kills the servers that were started. The run begins when the stream is polled.
        ///
        /// # Errors
        /// If it cannot be built.
        pub async fn stream(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::RunStream, __rt::BuildError> {
            Self::builder().stream(input).await
        }

        /// As `run`, for programs that are not async.
        ///
        /// # Errors
        /// As `run`.
        pub fn run_blocking(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::RunOutput, __rt::RunError> {
            Self::builder().run_blocking(input)
        }
    }
}

/// The functions of an agent whose answers have a type.
fn typed_runs() -> TokenStream {
    quote! {
        /// Builds the agent with the model that it names, asks it once and ends its servers.
        ///
        /// Cancel safety: dropping the future ends the run and kills the servers.
        ///
        /// # Errors
        /// If it cannot be built or has no answer that fits.
        pub async fn run(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::TypedRunOutput<__Output>, __rt::RunError> {
            Self::builder().run_typed(input).await
        }

        /// Builds the agent with the model that it names, asks it once and gives the events as they come.
        ///
        /// Cancel safety: dropping the future kills the servers that were started. The run begins when the stream is polled.
        ///
        /// # Errors
        /// If it cannot be built.
        pub async fn stream(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::TypedRunStream<__Output>, __rt::BuildError> {
            Self::builder().stream_typed(input).await
        }

        /// As `run`, for programs that are not async.
        ///
        /// # Errors
        /// As `run`.
        pub fn run_blocking(
            input: impl ::core::convert::Into<__rt::RunInput>,
        ) -> ::core::result::Result<__rt::TypedRunOutput<__Output>, __rt::RunError> {
            Self::builder().run_typed_blocking(input)
        }
    }
}
