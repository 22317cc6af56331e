use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema, serde::Serialize)]
struct Arguments {
    cx: i64,
}

const VALUE_0: i64 = 1;

/// Names that generated code might use itself.
#[tool]
fn args(args: Arguments, slots: i64, cx: i64, value_0: i64, value: i64, kind: i64, returned: i64) -> Arguments {
    Arguments { cx: args.cx + slots + cx + value_0 + value + kind + returned + VALUE_0 }
}

pub(crate) fn main() {}
