//! `strict` and `#[derive(Strict)]`: what compiles, and what the compiler says of what does not.

#[test]
fn strict() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/strict/pass/*.rs");
    cases.compile_fail("tests/strict/fail/*.rs");
}
