//! One tool for each type: it takes a value and gives it back.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI64, NonZeroU8};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use onionskin::{Args, Strict, Tool, ToolContext, ToolDefinition, ToolResult, tool};
use proptest::prelude::*;
use serde_json::Value;

use super::types::*;

/// Which dialects have a form for a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// All of them.
    All,
    /// `OpenAI`: it is recursive.
    OpenAi,
    /// All of them, but only with `lossy`: a tuple of different types.
    Lossy,
    /// As `Lossy`: an object with fields of its own and of any name, which is closed so.
    Closed,
    /// None: a map, or a value of any type.
    None,
}

/// One type.
pub struct Case {
    pub name: &'static str,
    pub takes: Takes,
    /// Whether the compiler takes it for strict.
    pub strict: bool,
    pub definition: fn() -> ToolDefinition,
    pub values: fn() -> BoxedStrategy<Value>,
    pub run: for<'a> fn(&'a ToolContext, &'a mut Args) -> BoxFuture<'a, ToolResult>,
    /// Calls the tool as a value and reads its result as the type.
    pub call_as: fn(&Value) -> Value,
}

/// Asks the compiler. An inherent method wins over a trait's, where its bounds hold.
struct Probe<T>(PhantomData<T>);

impl<T> Probe<T> {
    const NEW: Self = Self(PhantomData);
}

impl<T: Strict> Probe<T> {
    #[expect(clippy::unused_self, reason = "methods are what is chosen between")]
    fn is_strict(&self) -> bool {
        true
    }
}

trait NotStrict {
    fn is_strict(&self) -> bool;
}

impl<T> NotStrict for Probe<T> {
    fn is_strict(&self) -> bool {
        false
    }
}

/// The values as JSON.
fn json<T: serde::Serialize + std::fmt::Debug>(
    values: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Value> {
    // By way of text: as a value, an `f32` has the digits of an `f64`.
    let text = values.prop_map(|value| serde_json::to_string(&value).expect("a value that JSON has"));
    text.prop_map(|text| serde_json::from_str(&text).expect("JSON")).boxed()
}

macro_rules! matrix {
    ($($takes:ident { $($name:ident: $ty:ty $(=> $owned:ty, $back:expr $(=> $read:ty)?)?, $values:expr;)* })*) => {
        $($(
            matrix!(@tool $name $ty $(=> $owned, $back)?);
        )*)*

        /// All types.
        pub fn all() -> Vec<Case> {
            vec![$($(
                Case {
                    name: stringify!($name),
                    takes: Takes::$takes,
                    strict: Probe::<$ty>::NEW.is_strict(),
                    definition: || $name::default().definition().clone(),
                    values: || json($values),
                    run: |cx, args| Box::pin(async move { $name::default().run(cx, args).await }),
                    call_as: |args| matrix!(@call_as $name args $ty $(=> $owned $(=> $read)?)?),
                },
            )*)*]
        }

        /// A test for each of them.
        #[cfg(test)]
        mod each {
            $($(
                #[test]
                fn $name() {
                    crate::judge::judge(stringify!($name));
                }
            )*)*
        }
    };
    (@call_as $name:ident $args:ident $ty:ty => $owned:ty => $read:ty) => {
        matrix!(@call_as $name $args $read)
    };
    (@call_as $name:ident $args:ident $ty:ty => $owned:ty) => {
        matrix!(@call_as $name $args $owned)
    };
    (@call_as $name:ident $args:ident $ty:ty) => {{
        let called = $name::spec().call_as::<$ty>($args.clone()).now_or_never().expect("nothing to wait for");
        let value = called.unwrap_or_else(|exit| panic!("{}: {exit}", $args));
        // As text: a value of `f32` has more digits as a `Value`.
        let text = serde_json::to_string(&value).expect("a value that JSON has");
        serde_json::from_str(&text).expect("JSON")
    }};
    (@tool $name:ident $ty:ty) => {
        #[tool(description = "Gives it back.")]
        pub fn $name(x: $ty) -> $ty {
            x
        }
    };
    (@tool $name:ident $ty:ty => $owned:ty, $back:expr) => {
        #[tool(description = "Gives it back.")]
        pub fn $name(x: $ty) -> $owned {
            let back: fn($ty) -> $owned = $back;
            back(x)
        }
    };
}

/// Whole numbers that JSON values hold.
fn wide() -> impl Strategy<Value = u64> {
    any::<u64>()
}

fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn duration() -> impl Strategy<Value = Duration> {
    (any::<u32>(), 0..1_000_000_000_u32).prop_map(|(seconds, nanos)| Duration::new(seconds.into(), nanos))
}

matrix! {
    All {
        int_8: i8, any::<i8>();
        int_16: i16, any::<i16>();
        int_32: i32, any::<i32>();
        int_64: i64, any::<i64>();
        int_128: i128, any::<i64>();
        int_size: isize, any::<isize>();
        uint_8: u8, any::<u8>();
        uint_16: u16, any::<u16>();
        uint_32: u32, any::<u32>();
        uint_64: u64, wide();
        uint_128: u128, wide();
        uint_size: usize, any::<usize>();
        non_zero: NonZeroU8, any::<NonZeroU8>();
        non_zero_signed: NonZeroI64, any::<NonZeroI64>();
        float_32: f32, any::<f32>();
        float_64: f64, any::<f64>();
        boolean: bool, any::<bool>();
        character: char, any::<char>();
        string: String, text();
        boxed_str: Box<str>, text();
        shared_str: Arc<str>, text();
        path: PathBuf, "[a-z/]{0,9}";
        unit: (), Just(());
        ip: IpAddr, any::<IpAddr>();
        ip_4: Ipv4Addr, any::<Ipv4Addr>();
        ip_6: Ipv6Addr, any::<Ipv6Addr>();
        time_span: Duration, duration();
        range: Range<i64>, any::<Range<i64>>();

        borrowed_str: &str => String, str::to_owned, text();
        borrowed_slice: &[i64] => Vec<i64>, |x| x.to_vec(), any::<Vec<i64>>();
        borrowed_struct: &Point => Point, Point::clone, Point::make();
        borrowed_optional: Option<&str> => Option<String>, |x| x.map(str::to_owned), any::<Option<String>>();
        borrowed_optional_slice: Option<&[u8]> => Option<Vec<u8>>, |x| x.map(<[u8]>::to_vec), any::<Option<Vec<u8>>>();
        borrowed_optional_struct: Option<&Point> => Option<Point>, |x| x.cloned(), prop::option::of(Point::make());
        borrowed_cow: Cow<'_, str> => String, |x| x.into_owned(), text();
        borrowed_cow_slice: Cow<'_, [i64]> => Vec<i64>, |x| x.into_owned(), any::<Vec<i64>>();
        borrowed_bytes: &[u8] => Vec<u8>, |x| x.to_vec(), any::<Vec<u8>>();
        borrowing_struct: Lent<'_> => Lent<'static>, |x| x.into_static() => Value, Lent::make();

        option_int: Option<i64>, any::<Option<i64>>();
        option_uint: Option<u8>, any::<Option<u8>>();
        option_float: Option<f64>, any::<Option<f64>>();
        option_bool: Option<bool>, any::<Option<bool>>();
        option_char: Option<char>, any::<Option<char>>();
        option_string: Option<String>, any::<Option<String>>();
        option_vec: Option<Vec<i64>>, any::<Option<Vec<i64>>>();
        option_option: Option<Option<i64>>, any::<Option<i64>>();
        option_box: Option<Box<i64>>, any::<Option<i64>>();
        option_struct: Option<Point>, prop::option::of(Point::make());
        option_enum: Option<Unitary>, prop::option::of(Unitary::make());
        option_documented: Option<Documented>, prop::option::of(Documented::make());
        option_tagged: Option<Tagged>, prop::option::of(Tagged::make());
        option_array: Option<[i64; 2]>, any::<Option<[i64; 2]>>();
        option_unit: Option<()>, Just(None::<()>);

        // Bytes are a list of numbers, as serde has them; as text where the type says so.
        vec_bytes: Vec<u8>, any::<Vec<u8>>();
        boxed_bytes: Box<[u8]>, any::<Vec<u8>>();
        array_of_bytes: [u8; 4], any::<[u8; 4]>();
        blob: Blob, Blob::make();
        vec_string: Vec<String>, any::<Vec<String>>();
        vec_bool: Vec<bool>, any::<Vec<bool>>();
        vec_vec: Vec<Vec<i64>>, any::<Vec<Vec<i64>>>();
        vec_option: Vec<Option<i64>>, any::<Vec<Option<i64>>>();
        vec_struct: Vec<Named>, prop::collection::vec(Named::make(), 0..3);
        vec_enum: Vec<Unitary>, prop::collection::vec(Unitary::make(), 0..3);
        vec_tagged: Vec<Tagged>, prop::collection::vec(Tagged::make(), 0..3);
        vec_pair: Vec<(i64, i64)>, any::<Vec<(i64, i64)>>();
        deque: VecDeque<i64>, any::<VecDeque<i64>>();
        linked: LinkedList<u8>, any::<Vec<u8>>();
        boxed_slice: Box<[i64]>, any::<Vec<i64>>();
        shared_slice: Arc<[i64]>, any::<Vec<i64>>();
        tree_set: BTreeSet<String>, any::<BTreeSet<String>>();
        hash_set: HashSet<i64>, any::<HashSet<i64>>();
        set_of_enums: BTreeSet<u8>, any::<BTreeSet<u8>>();

        array_one: [String; 1], any::<[String; 1]>();
        array_three: [i64; 3], any::<[i64; 3]>();
        array_of_arrays: [[i64; 2]; 2], any::<[[i64; 2]; 2]>();
        array_of_structs: [Point; 2], (Point::make(), Point::make());
        tuple_one: (i64,), any::<(i64,)>();
        tuple_of_like: (f64, f64), any::<(f64, f64)>();
        tuple_of_structs: (Point, Point), (Point::make(), Point::make());

        boxed: Box<i64>, any::<i64>();
        boxed_struct: Box<Named>, Named::make();
        shared_struct: Arc<Point>, Point::make();
        point: Point, Point::make();
        line: Line, Line::make();
        named: Named, Named::make();
        deep: Deep, Deep::make();
        renamed: Renamed, Renamed::make();
        defaulted: Defaulted, Defaulted::make();
        all_defaulted: AllDefaulted, AllDefaulted::make();
        skipping: Skipping, Skipping::make();
        flattened: Flattened, Flattened::make();
        flat_enum: FlatEnum, FlatEnum::make();
        closed: Closed, Closed::make();
        transparent: Transparent, Transparent::make();
        newtype: Newtype, Newtype::make();
        newtype_of_struct: NewtypeOfStruct, NewtypeOfStruct::make();
        tuple_struct: Twice, Twice::make();
        unit_struct: Unit, Unit::make();
        page_of_ints: Page<i64>, Page::<i64>::make();
        page_of_structs: Page<Named>, Page::<Named>::make();
        limited: Limited, Limited::make();
        optional: Optional, Optional::make();

        unitary: Unitary, Unitary::make();
        documented: Documented, Documented::make();
        external: External, External::make();
        tagged: Tagged, Tagged::make();
        tagged_newtype: TaggedNewtype, TaggedNewtype::make();
        field_cased: FieldCased, FieldCased::make();
        adjacent: Adjacent, Adjacent::make();
        untagged: Untagged, Untagged::make();
        single: Single, Single::make();
        result: Result<i64, String> => i64, |x| x.unwrap_or(-1), any::<i64>().prop_map(Ok::<i64, String>);

        id: uuid::Uuid, any::<u128>().prop_map(uuid::Uuid::from_u128);
        link: url::Url, "[a-z]{1,8}".prop_map(|path| url::Url::parse(&format!("https://example.com/{path}")).expect("a URL"));
        date: chrono::NaiveDate, (1970..2100_i32, 1..366_u32).prop_map(|(year, day)| chrono::NaiveDate::from_yo_opt(year, day).expect("a day"));
        instant: chrono::DateTime<chrono::Utc>, (0..4_000_000_000_i64).prop_map(|at| chrono::DateTime::from_timestamp(at, 0).expect("a time"));
        option_uuid: Option<uuid::Uuid>, any::<Option<u128>>().prop_map(|id| id.map(uuid::Uuid::from_u128));
        vec_dates: Vec<chrono::NaiveDate>, (1..366_u32).prop_map(|day| vec![chrono::NaiveDate::from_yo_opt(2026, day).expect("a day")]);
    }
    OpenAi {
        list: List, List::make();
        tree: Tree, Tree::make();
        mutual: Ping, Ping::make();
        expression: Expr, Expr::make();
        vec_of_trees: Vec<Tree>, prop::collection::vec(Tree::make(), 0..2);
        option_list: Option<List>, prop::option::of(List::make());
    }
    Lossy {
        pair: (i64, String), any::<(i64, String)>();
        triple: (String, bool, u8), any::<(String, bool, u8)>();
        six: (i64, i64, i64, i64, i64, bool), any::<(i64, i64, i64, i64, i64, bool)>();
        nested_pairs: ((i64, bool), String), any::<((i64, bool), String)>();
        tuple_struct_of_two: Pair, Pair::make();
        vec_of_pairs: Vec<(String, i64)>, any::<Vec<(String, i64)>>();
        option_pair: Option<(String, f64)>, any::<Option<(String, f64)>>();
    }
    Closed {
        flat_map: FlatMap, FlatMap::make();
    }
    None {
        // Its schema says "an object", and no more.
        empty_struct: Empty, Empty::make();
        tree_map: BTreeMap<String, i64>, any::<BTreeMap<String, i64>>();
        hash_map: HashMap<String, Vec<String>>, any::<HashMap<String, Vec<String>>>();
        map_of_structs: BTreeMap<String, Point>, prop::collection::btree_map(any::<String>(), Point::make(), 0..3);
        map_by_number: BTreeMap<i64, String>, any::<BTreeMap<i64, String>>();
        map_of_maps: BTreeMap<String, BTreeMap<String, bool>>, any::<BTreeMap<String, BTreeMap<String, bool>>>();
        option_map: Option<BTreeMap<String, u8>>, any::<Option<BTreeMap<String, u8>>>();
        keyed: Keyed, Keyed::make();
        anything: Value, any::<Option<i64>>().prop_map(Value::from);
        any_object: serde_json::Map<String, Value>, any::<BTreeMap<String, bool>>();
        any_inside: Any, Any::make();
        vec_of_anything: Vec<Value>, any::<Vec<bool>>();
        empty_array: [i64; 0], Just(Vec::<i64>::new());
    }
}
