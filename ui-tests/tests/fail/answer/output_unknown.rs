use onionskin::agent;

agent! {
    Desk { instruction: "Report.", output: Report }
}

async fn report() {
    let _ = Desk::run("Report.").await;
}

fn main() {}
