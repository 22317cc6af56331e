use onionskin::App;
use onionskin::loader::{CardLoader, Registry};

async fn watch() -> Result<(), Box<dyn std::error::Error>> {
    let watched = CardLoader::new(Registry::new()).watch(["cards"], |_| App::builder()).await?;
    watched.run("Hello").await?;
    Ok(())
}

fn main() {
    let _ = watch();
}
