use onionskin::tool;

#[tool]
#[doc = concat!("Adds ", "one.")]
fn add_one(
    #[doc = concat!("the ", "number")] x: i64,
) -> i64 {
    x + 1
}

/** Adds two.
 *
 * To a number.
 */
#[tool]
fn add_two(/** the number */ x: i64) -> i64 {
    x + 2
}

#[tool(description = "")]
fn add_three(x: i64) -> i64 {
    x + 3
}

pub(crate) fn main() {
    use onionskin::Tool;
    assert_eq!(&*add_one::default().definition().description, "Adds one.");
    assert_eq!(&*add_two::default().definition().description, "Adds two.\n\nTo a number.");
    assert_eq!(&*add_three::default().definition().description, "");
}
