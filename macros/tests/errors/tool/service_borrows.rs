use onionskin::{Provided, tool};

struct Reader<'a>(&'a str);

/// Reads.
#[tool]
fn read(reader: Provided<Reader<'_>>) -> String {
    reader.0.to_owned()
}

fn main() {}
