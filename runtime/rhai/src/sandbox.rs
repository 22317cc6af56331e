//! The engine that a script runs in: bounded, and without a way out.

use std::any::TypeId;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rhai::module_resolvers::DummyModuleResolver;
use rhai::{Dynamic, Engine, EvalAltResult, Module, OptimizationLevel, Position};

use super::env::{Env, Function};
use super::json::{from_script, to_script};
use super::language::{language, withhold};
use super::limits::ScriptLimits;
use super::lock::lock;
use super::memory::{MEMORY, Meter};
use onionskin_core::secret::Redactor;
use onionskin_core::{Exit, RunContext};

/// The maximum depth of nested expressions and blocks, in a function and outside of one.
const EXPRESSIONS: usize = 64;
/// Variables of one function that are alive at once.
const VARIABLES: usize = 128;
const FUNCTIONS: usize = 256;

/// An exit of a host function that a script cannot catch.
pub(super) type Stash = Arc<Mutex<Option<Exit>>>;

/// The value that ends a script with too many operations.
pub(super) const TOO_MANY_OPERATIONS: Dynamic = Dynamic::FALSE;

/// The signals that end a call from outside.
#[derive(Clone, Default)]
pub(super) struct Watch {
    /// The caller dropped the call.
    pub(super) dropped: Arc<AtomicBool>,
    /// The nanoseconds that the script waited for others.
    pub(super) waited: Arc<AtomicU64>,
    pub(super) stash: Stash,
    /// Takes the secrets of the run out of what the script prints.
    pub(super) redactor: Option<Arc<Redactor>>,
}

impl Watch {
    /// The signals of a call in a run.
    pub(super) fn new(run: &RunContext) -> Self {
        Self { redactor: run.redactor(), ..Self::default() }
    }
}

/// An engine for one call, or for reading a script.
///
/// # Errors
/// Returns a message if scripts cannot hold a value of the environment.
pub(super) fn engine(
    env: &Env,
    limits: &ScriptLimits,
    watch: &Watch,
    meter: &Arc<Meter>,
) -> Result<Engine, String> {
    let mut engine = Engine::new_raw();
    language(&mut engine);
    withhold(&mut engine);
    // No part of a script runs before its call, not even by the optimiser.
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_module_resolver(DummyModuleResolver::new());
    engine.on_print(|_| {}).on_debug(|_, _, _| {});
    limit(&mut engine, limits);
    let mut values = Module::new();
    for (name, value) in &env.values {
        let value =
            to_script(value).map_err(|reason| format!("the value `{name}` of the environment: {reason}"))?;
        meter.add_value(&value);
        values.set_var(name.as_str(), value);
    }
    engine.register_global_module(values.into());
    for function in &env.functions {
        register(&mut engine, function, &watch.stash, meter);
    }
    meter.watch(&mut engine);
    let (dropped, stash, time) = (Arc::clone(&watch.dropped), Arc::clone(&watch.stash), limits.time);
    // A limit beyond the clock means unlimited.
    let until = Instant::now().checked_add(time);
    let waited = Arc::clone(&watch.waited);
    let (meter, most, operations) = (Arc::clone(meter), limits.operations, AtomicU64::new(0));
    // The language counts the operations of a closure separately, and from zero for each call by one of its own functions.
    engine.on_progress(move |_| {
        if meter.is_over() {
            return Some(MEMORY);
        }
        let count = operations.fetch_add(1, Ordering::Relaxed);
        if count >= most {
            return Some(TOO_MANY_OPERATIONS);
        }
        let is_over = dropped.load(Ordering::Relaxed) || lock(&stash).is_some();
        // Reading a clock takes longer than an operation.
        let is_late = || {
            let waited = || Duration::from_nanos(waited.load(Ordering::Relaxed));
            // A time beyond the clock has not come.
            let is_after =
                |until: Instant| until.checked_add(waited()).is_some_and(|until| Instant::now() > until);
            count % 64 == 0 && until.is_some_and(is_after)
        };
        (is_over || is_late()).then_some(Dynamic::UNIT)
    });
    Ok(engine)
}

fn limit(engine: &mut Engine, limits: &ScriptLimits) {
    engine.set_max_call_levels(limits.call_depth);
    engine.set_max_expr_depths(EXPRESSIONS, EXPRESSIONS);
    engine.set_max_string_size(limits.string_bytes);
    engine.set_max_array_size(limits.array_items);
    engine.set_max_map_size(limits.map_entries);
    engine.set_max_variables(VARIABLES);
    engine.set_max_functions(FUNCTIONS);
    engine.set_max_modules(0);
    engine.set_strict_variables(true);
    // A guard that names a field wrongly would compare nothing with its limit, and pass.
    engine.set_fail_on_invalid_map_property(true);
}

fn register(engine: &mut Engine, function: &Function, stash: &Stash, meter: &Arc<Meter>) {
    let (call, name, stash) = (Arc::clone(&function.call), function.name.clone(), Arc::clone(stash));
    let meter = Arc::clone(meter);
    let any = vec![TypeId::of::<Dynamic>(); function.params];
    engine.register_raw_fn(&function.name, any, move |_, values| -> Result<Dynamic, Box<EvalAltResult>> {
        let failed = |reason: String| -> Box<EvalAltResult> {
            EvalAltResult::ErrorRuntime(format!("`{name}`: {reason}").into(), Position::NONE).into()
        };
        let values =
            values.iter().map(|value| from_script(value)).collect::<Result<_, _>>().map_err(failed)?;
        match call(values) {
            Ok(value) => {
                let value = to_script(&value).map_err(failed)?;
                meter.add_value(&value);
                Ok(value)
            }
            Err(exit) => {
                let reason = exit.to_string();
                if !matches!(exit, Exit::Tool(_)) {
                    *lock(&stash) = Some(exit);
                }
                Err(failed(reason))
            }
        }
    });
}
