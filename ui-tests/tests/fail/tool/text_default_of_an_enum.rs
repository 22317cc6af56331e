use onionskin::tool;

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Part {
    Patch,
    Minor,
}

/// Raises the version.
#[tool]
fn raise(#[arg(default = "patch")] part: Part) -> bool {
    matches!(part, Part::Minor)
}

fn main() {}
