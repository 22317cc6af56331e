//! Types that people write, and how values of them are made.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use onionskin::Strict;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Point {
    pub x: i64,
    pub y: i64,
}
/// A line between two points.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Line {
    /** Where it begins. */
    pub from: Point,
    pub to: Point,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Named {
    pub name: String,
    pub nickname: Option<String>,
    pub aliases: Vec<String>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Deep {
    pub lines: Vec<Line>,
    pub named: Option<Named>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(rename_all = "camelCase")]
pub struct Renamed {
    pub first_name: String,
    #[serde(rename = "type")]
    pub kind: u8,
    #[serde(rename = "a b")]
    pub spaced: bool,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Defaulted {
    #[serde(default)]
    pub count: u32,
    #[serde(default = "seven")]
    pub seven: i8,
    pub must: bool,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(default)]
pub struct AllDefaulted {
    pub a: i32,
    pub b: String,
    pub c: Vec<i64>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Skipping {
    pub a: i32,
    #[serde(skip)]
    #[expect(dead_code, reason = "that it is skipped is what is looked at")]
    pub hidden: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maybe: Option<String>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Flattened {
    pub id: u32,
    #[serde(flatten)]
    pub point: Point,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct FlatEnum {
    pub id: u32,
    #[serde(default)]
    pub count: u32,
    #[serde(flatten)]
    pub shape: Tagged,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FlatMap {
    pub id: u32,
    #[serde(flatten)]
    pub rest: BTreeMap<String, i64>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    pub a: u8,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(transparent)]
pub struct Transparent {
    pub inner: Vec<u8>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Newtype(pub u16);
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct NewtypeOfStruct(pub Point);
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Pair(pub i64, pub String);
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Twice(pub i64, pub i64);
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Unit;
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<u32>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Limited {
    #[schemars(range(min = 1, max = 9))]
    pub small: i32,
    #[schemars(length(min = 1, max = 4))]
    pub short: String,
    #[schemars(regex(pattern = "^[a-c]*$"))]
    pub letters: String,
    #[schemars(length(max = 2))]
    pub few: Vec<bool>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct List {
    pub value: i64,
    pub next: Option<Box<List>>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Tree {
    pub name: String,
    pub children: Vec<Tree>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Ping {
    pub pong: Option<Box<Pong>>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Pong {
    pub ping: Vec<Ping>,
    pub at: u8,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Optional {
    pub a: Option<u8>,
    pub b: Option<Point>,
    pub c: Option<Vec<Option<bool>>>,
    pub d: Option<Unitary>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Keyed {
    pub by_name: HashMap<String, Point>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Any {
    pub any: serde_json::Value,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(rename_all = "snake_case")]
pub enum Unitary {
    First,
    SecondOne,
    #[serde(rename = "3rd")]
    Third,
}
/// A unit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub enum Documented {
    /// Celsius.
    Celsius,
    /// Fahrenheit, as some
    /// still use.
    Fahrenheit,
    Kelvin,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub enum External {
    Unit,
    New(i64),
    Two(i64, i64),
    Struct { a: bool, b: Option<String> },
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Tagged {
    Circle {
        radius: f64,
    },
    Square {
        side: f64,
        /** Where. */
        at: Option<Point>,
    },
    Nothing,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(tag = "t", content = "c")]
pub enum Adjacent {
    Number(i64),
    Words { words: Vec<String> },
    Nothing,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(untagged)]
pub enum Untagged {
    Number(i64),
    Text(String),
    Point(Point),
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(tag = "op")]
pub enum Expr {
    Value { value: i64 },
    Neg { of: Box<Expr> },
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(tag = "kind")]
pub enum Single {
    Only { a: u8 },
}

/// Bytes as the text that they are in hexadecimal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Blob {
    #[serde(with = "hexadecimal")]
    #[schemars(with = "String", regex(pattern = "^([0-9a-f]{2})*$"))]
    pub data: Vec<u8>,
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(tag = "kind")]
pub enum TaggedNewtype {
    Point(Point),
    Named(Named),
}
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum FieldCased {
    FirstOne { long_name: i64, other_name: Option<bool> },
    SecondOne,
}
/// What it holds is borrowed from the arguments.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Strict)]
pub struct Lent<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow)]
    pub words: Vec<Cow<'a, str>>,
}

impl Lent<'_> {
    pub fn into_static(self) -> Lent<'static> {
        let words = self.words.into_iter().map(|word| word.into_owned().into()).collect();
        Lent { name: self.name.into_owned().into(), words }
    }
}

mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let text: Option<String> = digits.map(|digit| char::from_digit(digit.into(), 16)).collect();
        serializer.serialize_str(&text.unwrap_or_default())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let byte = |at| {
            let digits = text.get(at..at + 2).ok_or_else(|| D::Error::custom("half a byte"))?;
            u8::from_str_radix(digits, 16).map_err(D::Error::custom)
        };
        (0..text.len()).step_by(2).map(byte).collect()
    }
}

fn seven() -> i8 {
    7
}

impl Default for AllDefaulted {
    fn default() -> Self {
        Self { a: 1, b: "b".to_owned(), c: vec![1] }
    }
}

/// How values of a type are made.
pub trait Make: Sized + std::fmt::Debug {
    fn make() -> BoxedStrategy<Self>;
}

/// By hand: `proptest`'s derive would be one more crate.
macro_rules! make {
    ($($ty:ty: $strategy:expr => $with:expr;)*) => {$(
        impl Make for $ty {
            fn make() -> BoxedStrategy<Self> {
                ($strategy).prop_map($with).boxed()
            }
        }
    )*};
}

fn number() -> impl Strategy<Value = f64> {
    any::<f64>()
}

fn few<T: Make + Clone + 'static>() -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(T::make(), 0..3)
}

make! {
    Point: any::<(i64, i64)>() => |(x, y)| Point { x, y };
    Line: (Point::make(), Point::make()) => |(from, to)| Line { from, to };
    Named: any::<(String, Option<String>, Vec<String>)>() => |(name, nickname, aliases)| Named { name, nickname, aliases };
    Deep: (few(), prop::option::of(Named::make())) => |(lines, named)| Deep { lines, named };
    Renamed: any::<(String, u8, bool)>() => |(first_name, kind, spaced)| Renamed { first_name, kind, spaced };
    Defaulted: any::<(u32, i8, bool)>() => |(count, seven, must)| Defaulted { count, seven, must };
    AllDefaulted: any::<(i32, String, Vec<i64>)>() => |(a, b, c)| AllDefaulted { a, b, c };
    Skipping: any::<(i32, Option<String>)>() => |(a, maybe)| Skipping { a, hidden: 0, maybe };
    Flattened: (any::<u32>(), Point::make()) => |(id, point)| Flattened { id, point };
    FlatEnum: (any::<(u32, u32)>(), Tagged::make()) => |((id, count), shape)| FlatEnum { id, count, shape };
    FlatMap: (any::<u32>(), prop::collection::btree_map("[a-h]", any::<i64>(), 0..3)) => |(id, rest)| FlatMap { id, rest };
    Closed: any::<u8>() => |a| Closed { a };
    Transparent: any::<Vec<u8>>() => |inner| Transparent { inner };
    Newtype: any::<u16>() => Newtype;
    NewtypeOfStruct: Point::make() => NewtypeOfStruct;
    Pair: any::<(i64, String)>() => |(a, b)| Pair(a, b);
    Twice: any::<(i64, i64)>() => |(a, b)| Twice(a, b);
    Unit: Just(()) => |()| Unit;
    Empty: Just(()) => |()| Empty {};
    Page<i64>: any::<(Vec<i64>, Option<u32>)>() => |(items, next)| Page { items, next };
    Page<Named>: (few(), any::<Option<u32>>()) => |(items, next)| Page { items, next };
    Limited: (1..=9_i32, "[a-z]{1,4}", "[a-c]{0,5}", prop::collection::vec(any::<bool>(), 0..=2))
        => |(small, short, letters, few)| Limited { small, short, letters, few };
    List: prop::collection::vec(any::<i64>(), 1..4) => |values| {
        let mut list = None;
        for value in values {
            list = Some(Box::new(List { value, next: list }));
        }
        list.map_or(List { value: 0, next: None }, |list| *list)
    };
    Tree: any::<(String, Vec<String>)>() => |(name, children)| Tree {
        name,
        children: children.into_iter().map(|name| Tree { name, children: Vec::new() }).collect(),
    };
    Ping: any::<Option<u8>>() => |at| Ping {
        pong: at.map(|at| Box::new(Pong { ping: vec![Ping { pong: None }], at })),
    };
    Optional: (any::<(Option<u8>, Option<Vec<Option<bool>>>)>(), prop::option::of(Point::make()), prop::option::of(Unitary::make()))
        => |((a, c), b, d)| Optional { a, b, c, d };
    Keyed: prop::collection::hash_map(any::<String>(), Point::make(), 0..3) => |by_name| Keyed { by_name };
    Any: any::<Option<i64>>() => |any| Any { any: any.into() };
    Unitary: 0..3_usize => |at| [Unitary::First, Unitary::SecondOne, Unitary::Third][at].clone();
    Documented: 0..3_usize => |at| [Documented::Celsius, Documented::Fahrenheit, Documented::Kelvin][at].clone();
    External: (0..4, any::<(i64, i64, bool, Option<String>)>()) => |(at, (x, y, a, b))| match at {
        0 => External::Unit,
        1 => External::New(x),
        2 => External::Two(x, y),
        _ => External::Struct { a, b },
    };
    Tagged: (0..3, number(), prop::option::of(Point::make())) => |(at, size, place)| match at {
        0 => Tagged::Circle { radius: size },
        1 => Tagged::Square { side: size, at: place },
        _ => Tagged::Nothing,
    };
    Adjacent: (0..3, any::<(i64, Vec<String>)>()) => |(at, (number, words))| match at {
        0 => Adjacent::Number(number),
        1 => Adjacent::Words { words },
        _ => Adjacent::Nothing,
    };
    Untagged: (0..3, any::<(i64, String)>(), Point::make()) => |(at, (number, text), point)| match at {
        0 => Untagged::Number(number),
        1 => Untagged::Text(text),
        _ => Untagged::Point(point),
    };
    Expr: (any::<i64>(), 0..4) => |(value, depth)| {
        (0..depth).fold(Expr::Value { value }, |of, _| Expr::Neg { of: Box::new(of) })
    };
    Blob: any::<Vec<u8>>() => |data| Blob { data };
    TaggedNewtype: (any::<bool>(), Point::make(), Named::make())
        => |(first, point, named)| if first { TaggedNewtype::Point(point) } else { TaggedNewtype::Named(named) };
    FieldCased: any::<Option<(i64, Option<bool>)>>() => |fields| match fields {
        Some((long_name, other_name)) => FieldCased::FirstOne { long_name, other_name },
        None => FieldCased::SecondOne,
    };
    Lent<'static>: any::<(String, Vec<String>)>()
        => |(name, words)| Lent { name: name.into(), words: words.into_iter().map(Cow::Owned).collect() };
    Single: any::<u8>() => |a| Single::Only { a };
}
