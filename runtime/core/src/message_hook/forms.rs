//! The return types of message hooks.

use super::message::Delivery;
use onionskin_definitions::error::BoxError;

/// A type that a message hook in `process_message_before_send` can return: nothing, or whether the message is sent; either may be an
/// error.
#[diagnostic::on_unimplemented(
    message = "a message hook in `process_message_before_send` cannot return `{Self}`",
    label = "not a message hook's result",
    note = "return `()` or `Result<(), E>`, or `Delivery` or `Result<Delivery, E>` to drop messages, where `E` is an error that is `Send` \
            and `Sync`, or a text; change the message by `&mut SentMessage`"
)]
pub trait BeforeSendReturn {
    #[doc(hidden)]
    fn settle(self) -> Result<Delivery, BoxError>;
}

/// A type that a message hook at one of the places before a reply can return: nothing, which may be an error.
#[diagnostic::on_unimplemented(
    message = "a message hook before a reply cannot return `{Self}`",
    label = "not a message hook's result",
    note = "return `()` or `Result<(), E>`, where `E` is an error that is `Send` and `Sync`, or a text; change what the hook gets by `&mut`"
)]
pub trait BeforeReplyReturn {
    #[doc(hidden)]
    fn settle(self) -> Result<(), BoxError>;
}

#[diagnostic::do_not_recommend]
impl BeforeSendReturn for () {
    fn settle(self) -> Result<Delivery, BoxError> {
        Ok(Delivery::Send)
    }
}

#[diagnostic::do_not_recommend]
impl BeforeSendReturn for Delivery {
    fn settle(self) -> Result<Delivery, BoxError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: BeforeSendReturn, E: Into<BoxError>> BeforeSendReturn for Result<T, E> {
    fn settle(self) -> Result<Delivery, BoxError> {
        self.map_err(Into::into)?.settle()
    }
}

#[diagnostic::do_not_recommend]
impl BeforeReplyReturn for () {
    fn settle(self) -> Result<(), BoxError> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError>> BeforeReplyReturn for Result<(), E> {
    fn settle(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}
