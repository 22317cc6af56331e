macro_rules! clerks {
    () => {
        onionskin::agent!(card = "tests/fail/card/in_a_macro");
    };
}

clerks!();

fn main() {}
