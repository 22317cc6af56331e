//! `#[tool]`: what compiles, and what the compiler says of what does not.

#[test]
fn tool() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/tool/pass/*.rs");
    cases.compile_fail("tests/tool/fail/*.rs");
}
