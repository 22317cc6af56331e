//! Guardrails check a tool's arguments before it runs, and its output before the caller sees it.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::context::ToolContext;
use crate::onion::{InArc, MadeBy, short_name};
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// A guardrail that is cloned with its tool.
struct ForEach<G>(G);

/// Declares a kind of guardrails: the trait that programs implement, with an `Arc` impl, the trait for trait
/// objects, and the trait for lists. A row declares the parameters of the check after the context, and its
/// result.
macro_rules! guardrails {
    (
        $(#[$about:meta])*
        pub trait $guardrail:ident {
            made { $($made:tt)+ }

            $(#[$check_about:meta])*
            check($($part:ident: $type:ty),+) -> $result:ty;
        }

        $(#[$dynamic_about:meta])*
        object $dynamic:ident;

        $(#[$list_about:meta])*
        list $list:ident;
    ) => {
        $(#[$about])*
        pub trait $guardrail: Send + Sync + Sized + 'static {
            /// How lists construct the guardrail, and which agent state it takes: a type of `made`. A
            /// hand-written guardrail uses `ByDefault` or `FromValues` if a list of a tool or an agent
            /// constructs it, and `AtRunTime` if it is only added at run time.
            $($made)+

            $(#[$check_about])*
            fn check<'a>(
                &'a self,
                cx: &'a ToolContext,
                $($part: $type),+
            ) -> impl Future<Output = $result> + Send + 'a;

            /// Lists the services that the guardrail takes with [`ToolContext::provided`]. `#[guardrail]`
            /// generates it. Building an agent compares the list with the provided services. The default list
            /// is empty. A wrapper of another guardrail forwards it.
            fn services(taken: &mut ServiceTypes) {
                let _ = taken;
            }
        }

        /// A shared guardrail.
        #[diagnostic::do_not_recommend]
        impl<G: $guardrail> $guardrail for Arc<G> {
            type Made = InArc<G::Made>;

            fn services(taken: &mut ServiceTypes) {
                G::services(taken);
            }

            fn check<'a>(
                &'a self,
                cx: &'a ToolContext,
                $($part: $type),+
            ) -> impl Future<Output = $result> + Send + 'a {
                (**self).check(cx, $($part),+)
            }
        }

        $(#[$dynamic_about])*
        ///
        /// Programs do not implement it, except for wrappers of other guardrails, which forward all methods.
        pub trait $dynamic: Send + Sync + 'static {
            /// The name of the guardrail's type: the function's name for a `#[guardrail]`.
            fn name(&self) -> &'static str;

            /// The guardrail for a clone of its [`ToolSpec`](crate::ToolSpec); `None`, the default, if clones
            /// share it. A wrapper of another guardrail wraps that guardrail's answer.
            fn for_clone(&self) -> Option<Arc<dyn $dynamic>> {
                None
            }

            /// The services that the guardrail takes. A wrapper of another guardrail forwards it.
            fn services_dyn(&self, taken: &mut ServiceTypes) {
                let _ = taken;
            }

            /// As `check` of the guardrail.
            ///
            /// Cancel safety: as `check` of the guardrail.
            fn check_dyn<'a>(&'a self, cx: &'a ToolContext, $($part: $type),+) -> BoxFuture<'a, $result>;
        }

        impl<G: $guardrail> $dynamic for G {
            fn name(&self) -> &'static str {
                short_name::<G>()
            }

            fn services_dyn(&self, taken: &mut ServiceTypes) {
                G::services(taken);
            }

            fn check_dyn<'a>(&'a self, cx: &'a ToolContext, $($part: $type),+) -> BoxFuture<'a, $result> {
                // An `async` block, because a hand-written guardrail can panic before it returns its future.
                Box::pin(async move { self.check(cx, $($part),+).await })
            }
        }

        impl<G: $guardrail + Clone> $dynamic for ForEach<G> {
            fn name(&self) -> &'static str {
                self.0.name()
            }

            fn for_clone(&self) -> Option<Arc<dyn $dynamic>> {
                Some(Arc::new(Self(self.0.clone())))
            }

            fn services_dyn(&self, taken: &mut ServiceTypes) {
                self.0.services_dyn(taken);
            }

            fn check_dyn<'a>(&'a self, cx: &'a ToolContext, $($part: $type),+) -> BoxFuture<'a, $result> {
                self.0.check_dyn(cx, $($part),+)
            }
        }

        $(#[$list_about])*
        pub trait $list {
            #[doc(hidden)]
            fn list(self) -> Vec<Arc<dyn $dynamic>>;
        }

        #[diagnostic::do_not_recommend]
        impl<G: $guardrail + Clone> $list for G {
            fn list(self) -> Vec<Arc<dyn $dynamic>> {
                vec![Arc::new(ForEach(self))]
            }
        }

        #[diagnostic::do_not_recommend]
        impl $list for Vec<Arc<dyn $dynamic>> {
            fn list(self) -> Vec<Arc<dyn $dynamic>> {
                self
            }
        }

        tuples!($list $guardrail $dynamic [] A B C D E F G H);
    };
}

macro_rules! tuples {
    ($list:ident $one:ident $dynamic:ident [$($done:ident)*]) => {};
    ($list:ident $one:ident $dynamic:ident [$($done:ident)*] $next:ident $($rest:ident)*) => {
        #[diagnostic::do_not_recommend]
        #[allow(non_snake_case, reason = "each value is named after its type")]
        impl<$($done: $one + Clone,)* $next: $one + Clone> $list for ($($done,)* $next,) {
            fn list(self) -> Vec<Arc<dyn $dynamic>> {
                let ($($done,)* $next,) = self;
                vec![$(Arc::new(ForEach($done)),)* Arc::new(ForEach($next))]
            }
        }

        tuples!($list $one $dynamic [$($done)* $next] $($rest)*);
    };
}

guardrails! {
    /// Checks the arguments of a call before its tool runs: accepts them, changes them, or refuses the call.
    /// `#[guardrail(input)]` on a function implements it for a generated type with the function's name.
    ///
    /// ```
    /// use onionskin::{Args, ToolContext, ToolResult, ToolSpec, call, tool};
    /// use onionskin::guardrails::InputGuardrail;
    ///
    /// /// Refuses one city.
    /// #[derive(Clone)]
    /// struct NotIn(&'static str);
    ///
    /// impl InputGuardrail for NotIn {
    ///     type Made = onionskin::made::AtRunTime;
    ///
    ///     async fn check(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
    ///         if args["city"] == self.0 { Err(format!("not in {}", self.0).into()) } else { Ok(()) }
    ///     }
    /// }
    ///
    /// /// Tells the weather.
    /// #[tool]
    /// fn weather(city: &str) -> String {
    ///     format!("fine in {city}")
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut spec = weather::spec();
    /// spec.add_input_guardrails(NotIn("Ys"));
    /// assert_eq!(call!(spec, city = "Rome").await.unwrap(), "fine in Rome");
    /// assert_eq!(call!(spec, city = "Ys").await.unwrap_err().to_string(), "not in Ys");
    /// # });
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not an input guardrail",
        label = "not an input guardrail",
        note = "write `#[guardrail(input)]` on the function and name the function here, or implement `InputGuardrail` for the \
                type",
        note = "a guardrail of the output belongs in `output_guardrails`, a hook in `hooks` of a tool or `tool_hooks` of an agent, what \
                checks the input of a run in `run_hooks`"
    )]
    pub trait InputGuardrail {
        made {
            type Made: MadeBy<Self>;
        }

        /// Checks the arguments, and may change them. A panic refuses the call.
        ///
        /// Cancel safety: the future is dropped when the call is cancelled; the tool then does not run.
        ///
        /// # Errors
        /// Any `Exit`; the tool then does not run. A tool error refuses the call, and the model gets its
        /// text. An error without a specific kind becomes `ErrorKind::Denied`.
        check(args: &'a mut Args) -> ToolResult<()>;
    }

    /// An [`InputGuardrail`] as a trait object.
    object DynInputGuardrail;

    /// One or more input guardrails: one, a tuple, or a list of trait objects.
    ///
    /// Programs do not implement it: they implement [`InputGuardrail`].
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be added as an input guardrail",
        label = "not an input guardrail, or not `Clone`",
        note = "a function with `#[guardrail(input)]` is added as `name::new()`, several as a tuple or a list",
        note = "clones of a `ToolSpec` have a guardrail each: give an `Arc` of it, which they then share, or make it and its \
                values `Clone`"
    )]
    list InputGuardrails;
}

guardrails! {
    /// Checks the result of a call before the caller sees it: accepts it, changes it, or withholds it.
    /// `#[guardrail(output)]` on a function implements it for a generated type with the function's name.
    ///
    /// ```
    /// use onionskin::{Args, ToolContext, ToolResult, ToolSpec, call, tool};
    /// use onionskin::guardrails::OutputGuardrail;
    ///
    /// /// Withholds long results.
    /// #[derive(Clone)]
    /// struct AtMost(usize);
    ///
    /// impl OutputGuardrail for AtMost {
    ///     type Made = onionskin::made::AtRunTime;
    ///
    ///     async fn check(&self, _cx: &ToolContext, _args: &Args, result: ToolResult) -> ToolResult {
    ///         let output = result?;
    ///         if output.to_text().len() > self.0 { Err("the result is too long".into()) } else { Ok(output) }
    ///     }
    /// }
    ///
    /// /// Repeats a word.
    /// #[tool]
    /// fn repeat(word: &str, times: usize) -> String {
    ///     word.repeat(times)
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut spec = repeat::spec();
    /// spec.add_output_guardrails(AtMost(10));
    /// assert_eq!(call!(spec, word = "ha", times = 2).await.unwrap(), "haha");
    /// let withheld = call!(spec, word = "ha", times = 9).await.unwrap_err();
    /// assert_eq!(withheld.to_string(), "`repeat` has run; its result is withheld: the result is too long");
    /// # });
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not an output guardrail",
        label = "not an output guardrail",
        note = "write `#[guardrail(output)]` on the function and name the function here, or implement `OutputGuardrail` for the \
                type",
        note = "a guardrail of the arguments belongs in `input_guardrails`, a hook in `hooks` of a tool or `tool_hooks` of an agent"
    )]
    pub trait OutputGuardrail {
        made {
            type Made: MadeBy<Self>;
        }

        /// Checks the result of a call with these arguments, and returns the call's result. It receives
        /// errors too, but no aborts. It receives the output of a stop as a plain output, and the result
        /// remains a stop. A panic withholds the result.
        ///
        /// Cancel safety: the future is dropped when the call is cancelled; the result is then lost.
        ///
        /// # Errors
        /// Any `Exit`, in place of the result. If the tool has run, the text of a tool error says so, and an
        /// error without a specific kind becomes `ErrorKind::Withheld`.
        check(args: &'a Args, result: ToolResult) -> ToolResult;
    }

    /// An [`OutputGuardrail`] as a trait object.
    object DynOutputGuardrail;

    /// One or more output guardrails: one, a tuple, or a list of trait objects.
    ///
    /// Programs do not implement it: they implement [`OutputGuardrail`].
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be added as an output guardrail",
        label = "not an output guardrail, or not `Clone`",
        note = "a function with `#[guardrail(output)]` is added as `name::new()`, several as a tuple or a list",
        note = "clones of a `ToolSpec` have a guardrail each: give an `Arc` of it, which they then share, or make it and its \
                values `Clone`"
    )]
    list OutputGuardrails;
}
