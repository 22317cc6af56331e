use onionskin::agent;

#[derive(serde::Deserialize)]
struct Report {
    title: String,
}

agent! {
    Desk { instruction: "Report.", output: Report }
}

async fn report() -> String {
    Desk::run("Report.").await.unwrap().answer.title
}

fn main() {}
