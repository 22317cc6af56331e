//! The methods of a model that asks other models.

/// Forwards all methods of `Model` except `respond` to `$inner`, which has methods of the same names.
macro_rules! forward {
    ($this:ident => $inner:expr) => {
        fn check(&$this, requested: Option<&str>) -> Result<(), onionskin_core::model::ModelError> {
            $inner.check(requested)
        }

        crate::forward::forward_all_but_check!($this => $inner);
    };
}
pub(crate) use forward;

/// As [`forward`], for a model with a check of its own.
macro_rules! forward_all_but_check {
    ($this:ident => $inner:expr) => {
        fn provider(&$this) -> std::borrow::Cow<'static, str> {
            $inner.provider()
        }

        fn identity(&$this, requested: Option<&str>) -> onionskin_core::model::ModelIdentity {
            $inner.identity(requested)
        }

        fn instructions(&$this) -> Option<std::borrow::Cow<'static, str>> {
            $inner.instructions()
        }

        fn system_message(&$this) -> Option<std::borrow::Cow<'static, str>> {
            $inner.system_message()
        }

        fn supports(&$this, option: onionskin_core::model::RequestOption) -> bool {
            $inner.supports(option)
        }

        fn check_option(
            &$this,
            requested: Option<&str>,
            option: onionskin_core::model::RequestOption,
        ) -> Result<(), onionskin_core::model::ModelError> {
            $inner.check_option(requested, option)
        }

        fn reads(&$this, content: &onionskin_core::content::ContentBlock) -> bool {
            $inner.reads(content)
        }

        fn response_schema(
            &$this,
            request: &onionskin_core::model::ModelRequest,
            schema: &onionskin_core::model::ResponseSchema,
        ) -> Option<onionskin_core::model::ResponseSchema> {
            $inner.response_schema(request, schema)
        }

        fn can_force_call(&$this, request: &onionskin_core::model::ModelRequest) -> bool {
            $inner.can_force_call(request)
        }
    };
}
pub(crate) use forward_all_but_check;
