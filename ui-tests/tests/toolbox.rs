//! `#[toolbox]`: what compiles, and what the compiler says of what does not.

#[test]
fn pass() {
    trybuild::TestCases::new().pass("tests/toolbox/pass/*.rs");
}

// Apart from what compiles: trybuild then checks all cases in one run of cargo, many times faster.
#[test]
fn fail() {
    trybuild::TestCases::new().compile_fail("tests/toolbox/fail/*.rs");
}
