use onionskin::agent;

#[derive(schemars::JsonSchema)]
struct Report {
    title: String,
}

agent! {
    Desk { instruction: "Report.", output: Vec<Report> }
}

async fn report() -> usize {
    Desk::builder().run_typed("Report.").await.unwrap().answer.len()
}

fn main() {}
