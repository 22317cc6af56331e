//! `#[toolbox]`: what compiles, and what the compiler says of what does not.

#[test]
fn toolbox() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/toolbox/pass/*.rs");
    cases.compile_fail("tests/toolbox/fail/*.rs");
}
