//! Behaviours of existing systems that ours must show, run from `data/behaviours.yaml`: each case's `given`
//! sets the scene, its `expect` is what is compared. Each case of the file has to be here.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

mod binding;
mod cases;
mod exporting;
mod life;
mod loading;
mod scene;

use std::collections::BTreeMap;

use serde_json::Value;

fn all_cases() -> Vec<Value> {
    let text = include_str!("../data/behaviours.yaml");
    let file: Value = serde_saphyr::from_str(text).expect("the behaviours are YAML");
    file["cases"].as_array().expect("a list of cases").clone()
}

#[test]
fn every_behaviour_is_shown() {
    let runners: BTreeMap<&str, cases::Runner> = cases::runners().into_iter().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut wrong = Vec::new();
    let mut shown = 0;
    for case in all_cases() {
        let id = case["id"].as_str().expect("a case has an id");
        let Some(runner) = runners.get(id) else {
            wrong.push(format!("{id}: nothing runs it"));
            continue;
        };
        let run = std::panic::AssertUnwindSafe(|| {
            runtime.block_on(runner(case.clone()));
        });
        match std::panic::catch_unwind(run) {
            Ok(()) => shown += 1,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                wrong.push(format!("{id}: {}", text.unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} behaviours are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    assert_eq!((shown, runners.len()), (62, 62), "each runner shows a case of the file");
}
