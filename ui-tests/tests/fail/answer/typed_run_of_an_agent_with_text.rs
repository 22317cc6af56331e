use onionskin::agent;

agent! {
    Desk { instruction: "Report." }
}

async fn report() -> String {
    let desk = Desk::builder().build_typed().await.unwrap();
    String::new()
}

fn main() {}
