//! A bank's clerk made of parts by a third party: converts an amount, pays two bills, is refused three times, and repeats the run from its
//! journal without paying again.

use std::error::Error;
use std::sync::Arc;

use onionskin_third_party::{AuditTrail, Bank, Dictated, FileJournal, RateTable, clerk};

const DICTATION: &str = r#"rates__usd {"cents": 1250}
transfer {"to": " landlord ", "cents": 45000}
transfer {"to": "casino", "cents": 100}
transfer {"to": "shipyard", "cents": 60000}
transfer {"to": "landlord", "cents": 45000}
transfer {"to": "landlord", "cents": 45000}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("onionskin-third-party-{}.journal", std::process::id()));
    for attempt in ["the run", "the same run again, from its journal"] {
        let (model, trail) = (Arc::new(Dictated::default()), AuditTrail::default());
        let bank = Bank { cents: 100_000, paid: Vec::new() };
        let handle = clerk(bank, RateTable::new("USD 108\nGBP 84"), trail.clone())
            .model(Arc::clone(&model))
            .journal(FileJournal::open(&path)?)
            .build()
            .await?;
        let session = handle.session();
        let output = handle.request(DICTATION).session(&session).run_id("monday").run().await?;
        println!("--- {attempt}\n{}\n", output.text);
        for line in trail.lines() {
            println!("audit: {line}");
        }
        let paid = session.typed_state::<Bank>().map(|bank| bank.paid.len()).unwrap_or_default();
        println!("the model was asked {} times, payments made: {paid}\n", model.requests());
        handle.shutdown().await;
    }
    std::fs::remove_file(&path)?;
    Ok(())
}
