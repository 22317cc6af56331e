//! The language of scripts: its packages, the functions that all scripts have, and the words that are taken from it. A
//! program's own functions are in its [`Env`](super::Env).

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use rhai::packages::{
    BasicArrayPackage, BasicMapPackage, BasicMathPackage, CorePackage, LogicPackage, MoreStringPackage,
    Package,
};
use rhai::{
    Array, Dynamic, Engine, FLOAT, FuncRegistration, INT, ImmutableString, Module, NativeCallContext,
    RhaiNativeFunc, Shared, Variant,
};

use super::bounded::{ScriptResult, index_of, map_array, map_map, pad, pad_array, replace, zip};
use super::chars::Chars;

/// The functions of the language itself: no clock, no files, nothing that waits.
static LANGUAGE: LazyLock<Vec<Shared<Module>>> = LazyLock::new(|| {
    vec![
        CorePackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        BasicMathPackage::new().as_shared_module(),
        BasicArrayPackage::new().as_shared_module(),
        BasicMapPackage::new().as_shared_module(),
        MoreStringPackage::new().as_shared_module(),
        // The last one is searched first.
        functions().into(),
    ]
});

/// Gives an engine the functions of the language.
pub(super) fn language(engine: &mut Engine) {
    // Otherwise operators have the meaning of the language, whatever is registered.
    engine.set_fast_operators(false);
    for module in &*LANGUAGE {
        engine.register_global_module(Shared::clone(module));
    }
}

/// Takes the words from an engine that a script may not use, and gives it an error for `sleep`.
pub(super) fn withhold(engine: &mut Engine) {
    // Changes through `this` are not accesses of a variable, so the meter would not see them. A function of the language that
    // is passed by its name would get an item as its `this`.
    for word in ["eval", "import", "export", "this", "Fn"] {
        engine.disable_symbol(word);
    }
    engine.register_fn("sleep", |_: i64| no_waiting()).register_fn("sleep", |_: f64| no_waiting());
}

fn no_waiting() -> ScriptResult<()> {
    Err("a script cannot wait".into())
}

/// The functions that all scripts have in addition to the packages. They take precedence over the packages.
fn functions() -> Module {
    let mut module = Module::new();
    replacing(&mut module);
    changing(&mut module, "pad", pad);
    changing(&mut module, "pad", pad_array);
    module.set_native_fn("map", map_array);
    module.set_native_fn("map", map_map);
    module.set_native_fn("zip", zip);
    letters(&mut module);
    named(&mut module);
    ordering(&mut module, "<", Ordering::is_lt);
    ordering(&mut module, "<=", Ordering::is_le);
    ordering(&mut module, ">", Ordering::is_gt);
    ordering(&mut module, ">=", Ordering::is_ge);
    module
}

#[expect(clippy::cast_precision_loss, reason = "the language adds both in this way too")]
fn float(whole: INT) -> FLOAT {
    whole as FLOAT
}

/// Registers a comparison. The language's own is false for values without an order, so a guard such as `args.amount > 100` would let a text
/// or a list pass.
fn ordering(module: &mut Module, name: &'static str, holds: fn(Ordering) -> bool) {
    module.set_native_fn(name, move |a: INT, b: INT| Ok(holds(a.cmp(&b))));
    module.set_native_fn(name, move |a: FLOAT, b: FLOAT| Ok(a.partial_cmp(&b).is_some_and(holds)));
    module.set_native_fn(name, move |a: INT, b: FLOAT| Ok(float(a).partial_cmp(&b).is_some_and(holds)));
    module.set_native_fn(name, move |a: FLOAT, b: INT| Ok(a.partial_cmp(&float(b)).is_some_and(holds)));
    module.set_native_fn(name, move |a: char, b: char| Ok(holds(a.cmp(&b))));
    module.set_native_fn(name, move |a: ImmutableString, b: ImmutableString| Ok(holds(a.cmp(&b))));
    module.set_native_fn(name, move |a: ImmutableString, b: char| {
        Ok(holds(a.as_str().cmp(b.encode_utf8(&mut [0; 4]))))
    });
    module.set_native_fn(name, move |a: char, b: ImmutableString| {
        Ok(holds((*a.encode_utf8(&mut [0; 4])).cmp(b.as_str())))
    });
    module.set_native_fn(
        name,
        move |cx: NativeCallContext<'_>, a: Dynamic, b: Dynamic| -> ScriptResult<bool> {
            let [a, b] = [&a, &b].map(|value| cx.engine().map_type_name(value.type_name()).to_owned());
            Err(format!("`{name}` compares two numbers or two texts, and not `{a}` with `{b}`").into())
        },
    );
}

/// Registers a function that changes its first argument, which a constant cannot be.
fn changing<A: 'static, const N: usize, const X: bool, R: Variant + Clone, const F: bool>(
    module: &mut Module,
    name: &str,
    function: impl RhaiNativeFunc<A, N, X, R, F> + Send + Sync + 'static,
) {
    FuncRegistration::new(name).with_purity(false).set_into_module(module, function);
}

fn replacing(module: &mut Module) {
    changing(
        module,
        "replace",
        |cx: NativeCallContext<'_>,
         text: &mut ImmutableString,
         from: ImmutableString,
         to: ImmutableString| { replace(&cx, text, &from, &to) },
    );
    changing(
        module,
        "replace",
        |cx: NativeCallContext<'_>, text: &mut ImmutableString, from: ImmutableString, to: char| {
            replace(&cx, text, &from, to.encode_utf8(&mut [0; 4]))
        },
    );
    changing(
        module,
        "replace",
        |cx: NativeCallContext<'_>, text: &mut ImmutableString, from: char, to: ImmutableString| {
            replace(&cx, text, from.encode_utf8(&mut [0; 4]), &to)
        },
    );
    changing(
        module,
        "replace",
        |cx: NativeCallContext<'_>, text: &mut ImmutableString, from: char, to: char| {
            replace(&cx, text, from.encode_utf8(&mut [0; 4]), to.encode_utf8(&mut [0; 4]))
        },
    );
}

fn letters(module: &mut Module) {
    module.set_iterator::<Chars>();
    let all = |text: ImmutableString| Chars::new(text, 0, INT::MAX);
    FuncRegistration::new("chars").set_into_module(module, all);
    FuncRegistration::new_getter("chars").set_into_module(module, all);
    FuncRegistration::new("chars")
        .set_into_module(module, |text: ImmutableString, start: INT| Chars::new(text, start, INT::MAX));
    FuncRegistration::new("chars").set_into_module(module, Chars::new);
    let range = |text: ImmutableString, range: Range<INT>| {
        let start = range.start.max(0);
        Chars::new(text, start, range.end.saturating_sub(start))
    };
    FuncRegistration::new("chars").set_into_module(module, range);
    let range = |text: ImmutableString, range: RangeInclusive<INT>| {
        let start = (*range.start()).max(0);
        Chars::new(text, start, range.end().saturating_sub(start).saturating_add(1))
    };
    FuncRegistration::new("chars").set_into_module(module, range);
}

/// Functions that take another one by its name. It may be one of the language, which could change the items.
fn named(module: &mut Module) {
    for name in ["map", "filter", "some", "all", "dedup", "reduce", "reduce_rev", "sort", "drain", "retain"] {
        let refused = move || -> ScriptResult<Dynamic> {
            Err(format!("`{name}` takes a closure, such as `|x| ..`, and not the name of a function").into())
        };
        FuncRegistration::new(name)
            .set_into_module(module, move |_: &mut Array, _: ImmutableString| refused());
        FuncRegistration::new(name)
            .set_into_module(module, move |_: &mut Array, _: ImmutableString, _: Dynamic| refused());
    }
    // The language looks for a function of that name first.
    module
        .set_native_fn("index_of", |items: &mut Array, text: ImmutableString| Ok(index_of(items, &text, 0)));
    module.set_native_fn("index_of", |items: &mut Array, text: ImmutableString, start: INT| {
        Ok(index_of(items, &text, start))
    });
}
