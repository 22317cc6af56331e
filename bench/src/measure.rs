//! Times and allocations of the cases, interleaved so that what disturbs the machine disturbs all of them.

use std::time::Instant;

use tokio::runtime::Runtime;

use crate::cases::Case;

const ROUNDS: usize = 25;
const CALLS: u32 = 20_000;

/// What one call of a case costs.
pub(crate) struct Cost {
    /// The median of the rounds.
    pub(crate) median: f64,
    /// The quickest round, which has the least noise on a busy machine.
    pub(crate) lowest: f64,
    /// Heap allocations, and the bytes that they asked for; none if they were not counted.
    pub(crate) allocations: Option<(f64, f64)>,
}

/// One cost for each case, in their order.
pub(crate) fn measure(runtime: &Runtime, cases: &[Case]) -> Vec<Cost> {
    for case in cases {
        runtime.block_on((case.run)(CALLS));
    }
    let mut rounds = vec![Vec::with_capacity(ROUNDS); cases.len()];
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter().zip(&mut rounds) {
            let start = Instant::now();
            runtime.block_on((case.run)(CALLS));
            times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
        }
    }
    let cost = |(case, times): (&Case, &mut Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        Cost { median: times[times.len() / 2], lowest: times[0], allocations: allocations(runtime, case) }
    };
    cases.iter().zip(&mut rounds).map(cost).collect()
}

/// The difference of two runs, so that what a run itself allocates is not counted.
#[cfg(feature = "allocations")]
fn allocations(runtime: &Runtime, case: &Case) -> Option<(f64, f64)> {
    let count = |calls| allocation_counter::measure(|| runtime.block_on((case.run)(calls)));
    let (few, many) = (count(1_000), count(2_000));
    let per_call = |few: u64, many: u64| f64::from(u32::try_from(many - few).unwrap_or(u32::MAX)) / 1_000.0;
    Some((per_call(few.count_total, many.count_total), per_call(few.bytes_total, many.bytes_total)))
}

#[cfg(not(feature = "allocations"))]
fn allocations(_: &Runtime, _: &Case) -> Option<(f64, f64)> {
    None
}
