use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Progress {
    percent: u8,
}

/// Reports.
#[tool]
async fn report(progress: Progress) -> bool {
    progress.percent > 50
}

fn main() {}
