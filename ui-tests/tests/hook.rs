//! `#[tool_hook]`: what compiles, and what the compiler says of what does not.

#[test]
fn hook() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/hook/pass/*.rs");
    cases.compile_fail("tests/hook/fail/*.rs");
}
