//! The parameter and return types of run hooks.

use super::answer::RunAnswer;
use super::input::RunInput;
use onionskin_definitions::error::BoxError;

/// The input of the run, for a run hook's parameter called `input`.
#[diagnostic::on_unimplemented(
    message = "a run hook takes the input of the run as `&mut RunInput` or as text, not as `{Self}`",
    label = "write `&mut RunInput`, `&RunInput`, `&str` or `String`"
)]
pub trait InjectInput<'a> {
    #[doc(hidden)]
    fn inject_input(input: &'a mut RunInput) -> Self;
}

/// The answer of the run, for a run hook's parameter called `answer`.
#[diagnostic::on_unimplemented(
    message = "a run hook takes the answer of the run as `&mut RunAnswer` or as text, not as `{Self}`",
    label = "write `&mut RunAnswer`, `&RunAnswer`, `&str` or `String`"
)]
pub trait InjectAnswer<'a> {
    #[doc(hidden)]
    fn inject_answer(answer: &'a mut RunAnswer) -> Self;
}

/// A type that a run hook before the run can return: nothing, or a new input; either may be an error.
#[diagnostic::on_unimplemented(
    message = "a run hook before the run cannot return `{Self}`",
    label = "not a run hook's result",
    note = "return `()`, or `Result<(), E>`; for a new input `String` or `Result<String, E>`, or change `input: &mut \
            RunInput`",
    note = "`E` is `InputCheckError` to refuse the input; another error that is `Send` and `Sync`, or a text, is a failure of the hook"
)]
pub trait BeforeRunReturn {
    #[doc(hidden)]
    fn settle(self, input: &mut RunInput) -> Result<(), BoxError>;
}

/// A type that a run hook after the run can return: nothing, or a new answer; either may be an error.
#[diagnostic::on_unimplemented(
    message = "a run hook after the run cannot return `{Self}`",
    label = "not a run hook's result",
    note = "return `()`, or `Result<(), E>`; for a new answer `String` or `Result<String, E>`, or change `answer: &mut \
            RunAnswer`",
    note = "`E` is `OutputCheckError` to refuse the answer; another error that is `Send` and `Sync`, or a text, is a failure of the hook"
)]
pub trait AfterRunReturn {
    #[doc(hidden)]
    fn settle(self, answer: &mut RunAnswer) -> Result<(), BoxError>;
}

macro_rules! forms {
    ($text:ident, $inject:ident, $method:ident, $returns:ident) => {
        #[diagnostic::do_not_recommend]
        impl<'a> $inject<'a> for &'a mut $text {
            fn $method(text: &'a mut $text) -> Self {
                text
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a> $inject<'a> for &'a $text {
            fn $method(text: &'a mut $text) -> Self {
                text
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a> $inject<'a> for &'a str {
            fn $method(text: &'a mut $text) -> Self {
                text.text()
            }
        }

        #[diagnostic::do_not_recommend]
        impl $inject<'_> for String {
            fn $method(text: &mut $text) -> Self {
                text.text().to_owned()
            }
        }

        #[diagnostic::do_not_recommend]
        impl $returns for () {
            fn settle(self, _: &mut $text) -> Result<(), BoxError> {
                Ok(())
            }
        }

        #[diagnostic::do_not_recommend]
        impl $returns for String {
            fn settle(self, text: &mut $text) -> Result<(), BoxError> {
                text.set_text(self);
                Ok(())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $returns, E: Into<BoxError>> $returns for Result<T, E> {
            fn settle(self, text: &mut $text) -> Result<(), BoxError> {
                self.map_err(Into::into)?.settle(text)
            }
        }
    };
}

forms!(RunInput, InjectInput, inject_input, BeforeRunReturn);
forms!(RunAnswer, InjectAnswer, inject_answer, AfterRunReturn);
