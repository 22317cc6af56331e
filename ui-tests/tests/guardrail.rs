//! `#[guardrail]`: what compiles, and what the compiler says of what does not.

#[test]
fn guardrail() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/guardrail/pass/*.rs");
    cases.compile_fail("tests/guardrail/fail/*.rs");
}
