//! The rungs of the ladders, as traits. Generated code imports them anonymously.
//!
//! A blanket implementation cannot distinguish `Result<T, E>` from a serialisable type, so `#[tool]` asks on the
//! concrete type, by autoref. Of several rungs of a ladder, the one behind the most references that still fits wins. So
//! aliases of `Result`, and custom types called `Result`, are handled correctly.
//!
//! Two ladders, one after the other: [`SplitExit`] and below remove the error side, then [`FormOwn`] and below select
//! how the value is written. Both together are a [`Returned`](super::Returned), which a tool asks for once. Each ladder
//! has a rung for unsupported types. So only one bound check of the macro fails, at the wrong part of the type.
//! [`ShowJson`] shows a default to the model if its type is serialisable.

use std::error::Error;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::own_form::OwnForm;
pub use super::reread::ladder::*;
pub use super::result::Split as _;
use super::result::{AsIs, Described, Hidden, InError, InExit, InText, Mute, Own, Undescribed, Untold};
use super::result_types::{Kind, OfSecrets, ToolReturn};
use crate::error::Exit;

pub trait SplitExit {
    fn split_by(&self) -> InExit;
}
impl<T> SplitExit for &&&&Kind<Result<T, Exit>> {
    fn split_by(&self) -> InExit {
        InExit
    }
}

pub trait SplitError {
    fn split_by(&self) -> InError;
}
impl<T, E: Into<Box<dyn Error + Send + Sync>>> SplitError for &&&Kind<Result<T, E>> {
    fn split_by(&self) -> InError {
        InError
    }
}

pub trait SplitText {
    fn split_by(&self) -> InText;
}
impl<T, E: Display> SplitText for &&Kind<Result<T, E>> {
    fn split_by(&self) -> InText {
        InText
    }
}

pub trait SplitMute {
    fn split_by(&self) -> Mute;
}
impl<T, E> SplitMute for &Kind<Result<T, E>> {
    fn split_by(&self) -> Mute {
        Mute
    }
}

pub trait SplitNone {
    fn split_by(&self) -> AsIs;
}
impl<T> SplitNone for Kind<T> {
    fn split_by(&self) -> AsIs {
        AsIs
    }
}

pub trait FormOwn {
    fn form(&self) -> Own;
}
impl<T: OwnForm> FormOwn for &&&Kind<T> {
    fn form(&self) -> Own {
        Own
    }
}

pub trait FormDescribed {
    fn form(&self) -> Described;
}
impl<T: ToolReturn + JsonSchema> FormDescribed for &&Kind<T> {
    fn form(&self) -> Described {
        Described
    }
}

pub trait FormJson {
    fn form(&self) -> Undescribed;
}
impl<T: ToolReturn> FormJson for &Kind<T> {
    fn form(&self) -> Undescribed {
        Undescribed
    }
}

pub trait FormHidden {
    fn form(&self) -> Hidden;
}
impl<T: OfSecrets> FormHidden for &Kind<T> {
    fn form(&self) -> Hidden {
        Hidden
    }
}

pub trait FormNone {
    fn form(&self) -> Untold;
}
impl<T> FormNone for Kind<T> {
    fn form(&self) -> Untold {
        Untold
    }
}

pub trait ShowJson<T> {
    fn show(&self, value: &T) -> Option<Value>;
}
impl<T: Serialize> ShowJson<T> for &Kind<T> {
    fn show(&self, value: &T) -> Option<Value> {
        serde_json::to_value(value).ok()
    }
}

pub trait ShowNone<T> {
    fn show(&self, value: &T) -> Option<Value>;
}
impl<T> ShowNone<T> for Kind<T> {
    fn show(&self, _: &T) -> Option<Value> {
        None
    }
}
