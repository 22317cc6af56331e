//! The values that a card gives a hook, `with: [3]`, in the types of the hook.

use std::any::TypeId;
use std::panic::catch_unwind;

use onionskin_cards::ValueKind;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::panics::text_of;

/// A value that does not fit its type: its index, and why.
pub(crate) type Unfit = (usize, String);

/// The values of a hook as a tuple of up to eight types that serde reads; `()` for a hook without values. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "a card cannot give a hook the values `{Self}`",
    label = "not a tuple of up to eight types that implement `Deserialize` and borrow nothing",
    note = "register the hook with `tool_hook_with`, `run_hook_with`, `turn_hook_with` or `message_hook_with`, and make it of values that \
            serde reads"
)]
pub trait HookValues: Sized + 'static {
    /// What a card can be held to, for each value.
    #[doc(hidden)]
    fn kinds() -> Vec<Option<ValueKind>>;

    /// Reads as many values as there are kinds.
    #[doc(hidden)]
    fn read(values: &[Value]) -> Result<Self, Unfit>;
}

#[diagnostic::do_not_recommend]
impl HookValues for () {
    fn kinds() -> Vec<Option<ValueKind>> {
        Vec::new()
    }

    fn read(_: &[Value]) -> Result<Self, Unfit> {
        Ok(())
    }
}

macro_rules! hook_values {
    ($($($at:literal $name:ident)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name: DeserializeOwned + 'static),*> HookValues for ($($name,)*) {
            fn kinds() -> Vec<Option<ValueKind>> {
                vec![$(kind_of::<$name>()),*]
            }

            fn read(values: &[Value]) -> Result<Self, Unfit> {
                Ok(($(value::<$name>(values, $at)?,)*))
            }
        }
    )*};
}

hook_values! {
    0 A;
    0 A 1 B;
    0 A 1 B 2 C;
    0 A 1 B 2 C 3 D;
    0 A 1 B 2 C 3 D 4 E;
    0 A 1 B 2 C 3 D 4 E 5 F;
    0 A 1 B 2 C 3 D 4 E 5 F 6 G;
    0 A 1 B 2 C 3 D 4 E 5 F 6 G 7 H;
}

fn value<T: DeserializeOwned>(values: &[Value], at: usize) -> Result<T, Unfit> {
    let value = values.get(at).unwrap_or(&Value::Null);
    match catch_unwind(|| T::deserialize(value)) {
        Ok(read) => read.map_err(|error| (at, error.to_string())),
        Err(panic) => {
            Err((at, format!("code of the program panicked while it read the value: {}", text_of(&*panic))))
        }
    }
}

/// What the values of a type have to be, in the words of the compiler's errors.
fn kind_of<T: 'static>() -> Option<ValueKind> {
    let id = TypeId::of::<T>();
    let known = [
        (TypeId::of::<u8>(), "u8"),
        (TypeId::of::<u16>(), "u16"),
        (TypeId::of::<u32>(), "u32"),
        (TypeId::of::<u64>(), "u64"),
        (TypeId::of::<u128>(), "u128"),
        (TypeId::of::<usize>(), "usize"),
        (TypeId::of::<i8>(), "i8"),
        (TypeId::of::<i16>(), "i16"),
        (TypeId::of::<i32>(), "i32"),
        (TypeId::of::<i64>(), "i64"),
        (TypeId::of::<i128>(), "i128"),
        (TypeId::of::<isize>(), "isize"),
        (TypeId::of::<f32>(), "f32"),
        (TypeId::of::<f64>(), "f64"),
        (TypeId::of::<String>(), "String"),
        (TypeId::of::<bool>(), "bool"),
    ];
    let (_, name) = known.into_iter().find(|(known, _)| *known == id)?;
    ValueKind::from_type(name)
}
