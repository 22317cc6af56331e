//! Cards that a program loads at run time.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests say what they expect")]

mod approval;
mod dump;
mod fields;
mod filters;
#[path = "../../../cards/tests/folder/mod.rs"]
mod folder;
mod headers;
mod hostile;
mod mistakes;
#[path = "../../../cards/tests/pages/mod.rs"]
mod pages;
#[allow(clippy::unused_self, reason = "methods of a toolbox have it")]
mod parts;
mod reload;
mod scripts;
mod server_data;
mod settings;
mod unused;
mod urls;
mod workflows;

use folder::folder;
use onionskin::loader::{CardLoader, LoadError, LoadedCards, Registry};
use onionskin::model::Model;
use onionskin::{App, RunOutput};

/// Loads all of these files that are cards.
fn load(registry: Registry, files: &[(&str, &str)]) -> Result<LoadedCards, LoadError> {
    let folder = folder(files);
    let cards = files.iter().map(|(name, _)| *name).filter(|name| !name.contains(".r"));
    CardLoader::new(registry).base(folder.path()).load(cards)
}

/// Runs the entry agent of cards.
async fn run(cards: &LoadedCards, model: impl Model, input: &str) -> RunOutput {
    let app = cards.add_to(App::builder()).model(model).build().await.unwrap();
    app.run(input).await.unwrap()
}
