//! Arguments with numbers of more digits than a value holds.

use super::Args;

const LONG: &str = "1267650600228229401496703205377";

#[test]
fn h1_a_long_number_beside_a_changed_argument_keeps_its_digits() {
    let text = format!(r#"{{"id":{LONG},"list":[-{LONG},1.5,"{LONG}"],"x":41}}"#);
    let mut args = Args::from(text.as_str());
    args["x"] = 10.into();
    assert_eq!(&*args.text(), text.replace("41", "10"));
    assert_eq!(args.clone().flush(), text.replace("41", "10"));
    // And again, from the text that was written back.
    assert_eq!(args.flush(), text.replace("41", "10"));
    args["x"] = 11.into();
    assert_eq!(args.flush(), text.replace("41", "11"));
}

#[test]
fn h1_a_long_number_can_be_moved_and_copied() {
    let mut args = Args::from(format!("```json\n{{\"a\":{LONG},}}\n```"));
    let copy = args["a"].clone();
    args["b"] = vec![copy].into();
    args.remove("a");
    assert_eq!(args.flush(), format!(r#"{{"b":[{LONG}]}}"#));
}

#[test]
fn h1_numbers_that_look_the_same_to_a_hook_are_refused_not_mixed_up() {
    let mut args = Args::from(r#"{"a":18446744073709551617,"b":18446744073709551618,"x":1}"#);
    assert_eq!(args["a"], args["b"]);
    args["x"] = 2.into();
    assert_eq!(args.flush(), "");
    // For good: neither a clone nor another try makes something else of it.
    let mut args = args.clone();
    assert_eq!(args.flush(), "");
    assert!(args.insert("x", 3).is_err());
    let error = args.refused().unwrap().to_string();
    assert!(error.contains("18446744073709551617 from 18446744073709551618"), "{error}");
    assert_eq!(args.get("a"), None);

    // Gone is gone, and two of the same number are one.
    let mut args = Args::from(r#"{"a":18446744073709551617,"b":18446744073709551618}"#);
    args.remove("a");
    args["b"] = 3.into();
    assert_eq!(args.flush(), r#"{"b":3}"#);
    let mut args = Args::from(r#"{"a":18446744073709551617,"b":18446744073709551617}"#);
    args["x"] = 1.into();
    assert_eq!(args.flush(), r#"{"a":18446744073709551617,"b":18446744073709551617,"x":1}"#);
}

#[test]
fn h1_a_rounded_fraction_beside_a_changed_argument_keeps_its_digits() {
    let mut args = Args::from(r#"{"id":9007199254740991.6,"x":1}"#);
    args["x"] = 2.into();
    assert_eq!(args.flush(), r#"{"id":9007199254740991.6,"x":2}"#);
}

#[test]
fn h1_many_long_numbers_beside_a_changed_argument_are_written_in_linear_time() {
    let numbers: Vec<_> = (0..20_000_u128).map(|at| ((1 << 90) + (at << 60)).to_string()).collect();
    let text = format!(r#"{{"ids":[{}],"x":1}}"#, numbers.join(","));
    let mut args = Args::from(text.as_str());
    args["x"] = 2.into();
    let begun = std::time::Instant::now();
    assert_eq!(args.flush(), text.replace(r#""x":1"#, r#""x":2"#));
    // Each held against each, it takes minutes.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
