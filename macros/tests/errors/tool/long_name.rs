use onionskin::tool;

/// Adds one.
#[tool]
fn a_name_that_is_much_longer_than_the_sixty_four_characters_of_a_tools_name(x: i64) -> i64 {
    x + 1
}

fn main() {}
