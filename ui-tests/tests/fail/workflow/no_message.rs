use onionskin::workflow;

workflow!("tests/fail/workflow/no_message");

async fn begin() {
    let _ = NoMessage::begin().await;
}

fn main() {}
