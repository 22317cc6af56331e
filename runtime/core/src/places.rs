//! Defines the traits of the hooks at places in a run.

use onionskin_definitions::error::BoxError;
use onionskin_tools::caught::caught_async;

/// Runs a hook and returns its result. A panic becomes an error.
pub(crate) async fn tried<T>(hook: impl Future<Output = Result<T, BoxError>>) -> Result<T, BoxError> {
    caught_async(hook).await.unwrap_or_else(|words| Err(format!("it panicked: {words}").into()))
}

/// Declares a kind of hooks: the trait that programs implement, its implementation for `Arc`, and the trait
/// for trait objects. Each place is a row: its name in spans, its method with the parameters and the result,
/// and the default result.
macro_rules! hooks {
    (
        $(#[$about:meta])*
        pub trait $hook:ident, $dynamic:ident {
            $(constants { $($(#[$constant_about:meta])* $constant:ident: $constant_type:ty = $default:expr $(=> $read:ident)?;)* })?
            $(methods { $($(#[$own_about:meta])* $own:ident($($own_part:ident: $own_type:ty),*) -> $own_result:ty = $own_default:expr;)* })?
            places { $($(#[$about_place:meta])* $place:literal $method:ident($($part:ident: $type:ty),*) -> $result:ty = $absent:expr;)* }
        }
    ) => {
        $(#[$about])*
        pub trait $hook: Send + Sync + Sized + 'static {
            /// How lists construct the hook, and which state it works on: a type of [`made`](crate::made), as for
            /// [`Hook::Made`](crate::Hook::Made).
            type Made: onionskin_tools::onion::MadeBy<Self>;

            $($($(#[$constant_about])* const $constant: $constant_type = $default;)*)?

            $($(#[$about_place])* fn $method<'a>(
                &'a self,
                run: &'a onionskin_tools::context::RunContext,
                $($part: $type),*
            ) -> impl Future<Output = Result<$result, onionskin_definitions::error::BoxError>> + Send + 'a {
                let _ = (run, $($part),*);
                onionskin_tools::onion::Absent::new(Ok($absent))
            })*

            $($($(#[$own_about])* fn $own(&self $(, $own_part: $own_type)*) -> $own_result {
                $(let _ = $own_part;)*
                $own_default
            })*)?

            /// Lists the services that the hook takes with
            /// [`RunContext::provided`](crate::RunContext::provided). The attribute of the hook generates
            /// this method. Building an agent compares the list with the provided services. The default list
            /// is empty. A wrapper of another hook forwards the method.
            fn services(taken: &mut onionskin_tools::services::ServiceTypes) {
                let _ = taken;
            }
        }

        /// A shared hook: its fields exist once.
        #[diagnostic::do_not_recommend]
        impl<H: $hook> $hook for std::sync::Arc<H> {
            type Made = onionskin_tools::onion::InArc<H::Made>;

            $($(const $constant: $constant_type = H::$constant;)*)?

            $(fn $method<'a>(
                &'a self,
                run: &'a onionskin_tools::context::RunContext,
                $($part: $type),*
            ) -> impl Future<Output = Result<$result, onionskin_definitions::error::BoxError>> + Send + 'a {
                <H as $hook>::$method(self, run, $($part),*)
            })*

            $($(fn $own(&self $(, $own_part: $own_type)*) -> $own_result {
                <H as $hook>::$own(self $(, $own_part)*)
            })*)?

            fn services(taken: &mut onionskin_tools::services::ServiceTypes) {
                H::services(taken);
            }
        }

        /// The hook as a trait object.
        pub(crate) trait $dynamic: Send + Sync + 'static {
            fn name(&self) -> &'static str;

            fn services_dyn(&self, taken: &mut onionskin_tools::services::ServiceTypes);

            $($($(fn $read(&self) -> $constant_type;)?)*)?

            $($(fn $own(&self $(, $own_part: $own_type)*) -> $own_result;)*)?

            $(fn $method<'a>(
                &'a self,
                run: &'a onionskin_tools::context::RunContext,
                $($part: $type),*
            ) -> futures_util::future::BoxFuture<'a, Result<$result, onionskin_definitions::error::BoxError>>;)*
        }

        impl<H: $hook> $dynamic for H {
            fn name(&self) -> &'static str {
                onionskin_tools::onion::short_name::<H>()
            }

            fn services_dyn(&self, taken: &mut onionskin_tools::services::ServiceTypes) {
                H::services(taken);
            }

            $($($(fn $read(&self) -> $constant_type {
                H::$constant
            })?)*)?

            $($(fn $own(&self $(, $own_part: $own_type)*) -> $own_result {
                <H as $hook>::$own(self $(, $own_part)*)
            })*)?

            $(fn $method<'a>(
                &'a self,
                run: &'a onionskin_tools::context::RunContext,
                $($part: $type),*
            ) -> futures_util::future::BoxFuture<'a, Result<$result, onionskin_definitions::error::BoxError>> {
                let call = <H as $hook>::$method(self, run, $($part),*);
                Box::pin(onionskin_tools::onion::at_place::<H, _, _>($place, call))
            })*
        }
    };
}

pub(crate) use hooks;
