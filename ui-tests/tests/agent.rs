//! `agent!`: what compiles, and what the compiler says of what does not.

#[test]
fn agent() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/agent/pass/*.rs");
    cases.compile_fail("tests/agent/fail/*.rs");
}
