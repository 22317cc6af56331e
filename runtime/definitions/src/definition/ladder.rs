//! The rungs of the ladders, as traits. Generated code imports them anonymously.
//!
//! A blanket implementation cannot distinguish `Result<T, E>` from a serialisable type, so `#[tool]` uses
//! autoref specialisation on the concrete type: of the applicable rungs of a ladder, the one with the most
//! references wins. So aliases of `Result`, and custom types called `Result`, are handled correctly.
//!
//! There are two ladders: [`SplitExit`] and the traits below remove the error side, then [`FormOwn`] and the
//! traits below select how the value is serialised. Together they are a [`Returned`](super::Returned). Each
//! ladder has a rung for unsupported types, so only one bound check of the macro fails, at the wrong part of
//! the type. [`ShowJson`] shows a default to the model if its type is serialisable.

use std::error::Error;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::own_form::OwnForm;
pub use super::reread::ladder::*;
use super::result::{
    AsIs, Described, InError, InExit, InText, Mute, Own, Sides, Undescribed, Untold, Written,
};
use super::result_types::{Kind, OfSecrets, ToolReturn};
use crate::error::Exit;

pub trait SplitExit<T> {
    fn split_by(&self) -> Sides<InExit, T, String>;
}
impl<T> SplitExit<T> for &&&&Kind<Result<T, Exit>> {
    fn split_by(&self) -> Sides<InExit, T, String> {
        Sides::new()
    }
}

pub trait SplitError<T> {
    fn split_by(&self) -> Sides<InError, T, String>;
}
impl<T, E: Into<Box<dyn Error + Send + Sync>>> SplitError<T> for &&&Kind<Result<T, E>> {
    fn split_by(&self) -> Sides<InError, T, String> {
        Sides::new()
    }
}

pub trait SplitText<T> {
    fn split_by(&self) -> Sides<InText, T, String>;
}
impl<T, E: Display> SplitText<T> for &&Kind<Result<T, E>> {
    fn split_by(&self) -> Sides<InText, T, String> {
        Sides::new()
    }
}

pub trait SplitMute<T, E> {
    fn split_by(&self) -> Sides<Mute, T, E>;
}
impl<T, E> SplitMute<T, E> for &Kind<Result<T, E>> {
    fn split_by(&self) -> Sides<Mute, T, E> {
        Sides::new()
    }
}

pub trait SplitNone<T> {
    fn split_by(&self) -> Sides<AsIs, T, String>;
}
impl<T> SplitNone<T> for Kind<T> {
    fn split_by(&self) -> Sides<AsIs, T, String> {
        Sides::new()
    }
}

pub trait FormOwn {
    fn form(&self) -> Written<Own, String, ()>;
}
impl<T: OwnForm> FormOwn for &&&Kind<T> {
    fn form(&self) -> Written<Own, String, ()> {
        Written::new()
    }
}

pub trait FormDescribed {
    fn form(&self) -> Written<Described, String, ()>;
}
impl<T: ToolReturn + JsonSchema> FormDescribed for &&Kind<T> {
    fn form(&self) -> Written<Described, String, ()> {
        Written::new()
    }
}

pub trait FormJson {
    fn form(&self) -> Written<Undescribed, String, ()>;
}
impl<T: ToolReturn> FormJson for &Kind<T> {
    fn form(&self) -> Written<Undescribed, String, ()> {
        Written::new()
    }
}

pub trait FormHidden<T> {
    fn form(&self) -> Written<Untold, String, T>;
}
impl<T: OfSecrets> FormHidden<T> for &Kind<T> {
    fn form(&self) -> Written<Untold, String, T> {
        Written::new()
    }
}

pub trait FormNone<T> {
    fn form(&self) -> Written<Untold, T, ()>;
}
impl<T> FormNone<T> for Kind<T> {
    fn form(&self) -> Written<Untold, T, ()> {
        Written::new()
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
