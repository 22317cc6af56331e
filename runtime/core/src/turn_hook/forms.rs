//! The return types of turn hooks.

use onionskin_definitions::error::BoxError;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::model::ModelResponse;

/// A type that a turn hook in `before_llm_call` can return: nothing, or an answer in place of the model; either may be an error.
#[diagnostic::on_unimplemented(
    message = "a turn hook in `before_llm_call` cannot return `{Self}`",
    label = "not a turn hook's result",
    note = "return `()` or `Result<(), E>`, or `Option<ModelResponse>` or `Result<Option<ModelResponse>, E>` to answer in place of the \
            model, where `E` is an error that is `Send` and `Sync`, or a text"
)]
pub trait BeforeModelReturn {
    #[doc(hidden)]
    fn settle(self) -> Result<Option<ModelResponse>, BoxError>;
}

/// A type that a turn hook in `before_tool_call` can return: nothing, or a result in place of the tool; either may be an error.
#[diagnostic::on_unimplemented(
    message = "a turn hook in `before_tool_call` cannot return `{Self}`",
    label = "not a turn hook's result",
    note = "return `()` or `Result<(), E>`, or `Option<ToolOutput>` or `Result<Option<ToolOutput>, E>` to give the result in place of the \
            tool, where `E` is an error that is `Send` and `Sync`, or a text"
)]
pub trait BeforeToolReturn {
    #[doc(hidden)]
    fn settle(self) -> Result<Option<ToolOutput>, BoxError>;
}

/// A type that a turn hook in one of the `after_` places can return: nothing, which may be an error.
#[diagnostic::on_unimplemented(
    message = "a turn hook after a call or a turn cannot return `{Self}`",
    label = "not a turn hook's result",
    note = "return `()` or `Result<(), E>`, where `E` is an error that is `Send` and `Sync`, or a text; change what the hook gets by `&mut`"
)]
pub trait TurnHookReturn {
    #[doc(hidden)]
    fn settle(self) -> Result<(), BoxError>;
}

macro_rules! answers {
    ($returns:ident, $answer:ident) => {
        #[diagnostic::do_not_recommend]
        impl $returns for () {
            fn settle(self) -> Result<Option<$answer>, BoxError> {
                Ok(None)
            }
        }

        #[diagnostic::do_not_recommend]
        impl $returns for Option<$answer> {
            fn settle(self) -> Result<Option<$answer>, BoxError> {
                Ok(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $returns, E: Into<BoxError>> $returns for Result<T, E> {
            fn settle(self) -> Result<Option<$answer>, BoxError> {
                self.map_err(Into::into)?.settle()
            }
        }
    };
}

answers!(BeforeModelReturn, ModelResponse);
answers!(BeforeToolReturn, ToolOutput);

#[diagnostic::do_not_recommend]
impl TurnHookReturn for () {
    fn settle(self) -> Result<(), BoxError> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> TurnHookReturn for Result<(), E> {
    fn settle(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}
