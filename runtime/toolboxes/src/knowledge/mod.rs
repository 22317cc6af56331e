//! A knowledge base: documents that are found by their words.

mod error;
mod prompt_source;
mod query;
mod sqlite;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OpenFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::error::KnowledgeError;
use self::prompt_source::Passages;
use self::sqlite::StoredDocument;
use crate::cut;
use onionskin_core::prompt::PromptSource;
use onionskin_core::toolbox;

/// The most documents that a search returns.
const MOST_HITS: u32 = 50;

/// The characters of one page of a document.
const PAGE: usize = 20_000;

/// The characters of a piece in a list of results.
const PIECE: usize = 500;

const TITLE: usize = 200;
const TEXT: usize = 1_000_000;
const TAGS: usize = 20;

/// A toolbox: documents in `SQLite`, found by their words (FTS5). Feature `knowledge-base`.
///
/// Its tools are `search`, `add`, `get` and `delete`. As tools they run on threads of their own; as methods they block. A query
/// is text, not a query language: a search finds the documents that contain any of its words, in any English form, the best
/// first. Spaces and punctuation separate words.
///
/// Everything is bounded: a search returns at most 50 documents with a piece of each, `get` a page of 20,000 characters, and a
/// document has at most a million. Several programs can use one file at once; a call waits up to 5 seconds while another
/// program writes. Errors are a [`KnowledgeError`], also for the model, and change nothing.
///
/// ```
/// use onionskin::toolboxes::KnowledgeBase;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! {
///     Librarian {
///         instruction: "Answer from the knowledge base.",
///         toolboxes: [KnowledgeBase],
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let kb = KnowledgeBase::in_memory().unwrap();
/// kb.add("Tides", "The moon pulls the sea twice a day.", &["sea".to_owned()]).unwrap();
/// let model = ScriptedModel::turns([
///     ScriptedTurn::call("search", json!({ "query": "What pulls the seas?" })),
///     ScriptedTurn::call("get", json!({ "id": 1 })),
///     ScriptedTurn::say("{last}"),
/// ]);
/// let output = Librarian::builder().model(model).toolbox(kb).run("Why are there tides?").await.unwrap();
/// assert!(output.text.contains("twice a day"));
/// # });
/// ```
///
/// Several of them need prefixes: `toolboxes: [KnowledgeBase, archive: KnowledgeBase]`.
#[cfg(feature = "knowledge-base")]
pub struct KnowledgeBase {
    connection: Mutex<Connection>,
    /// Shown by `Debug`, because a call may lock the connection for seconds.
    file: Option<String>,
}

/// A document that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
#[cfg(feature = "knowledge-base")]
pub struct DocumentId {
    /// For `get` and `delete`.
    pub id: i64,
}

/// A document that matches the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
#[cfg(feature = "knowledge-base")]
pub struct SearchHit {
    /// For `get`.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The part of its text that fits best.
    pub piece: String,
}

/// A document, or a page of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
#[cfg(feature = "knowledge-base")]
pub struct Document {
    /// For `get` and `delete`.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its text, from the requested character on.
    pub text: String,
    /// Where the text continues: the `from` of the next page. Missing at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
}

impl KnowledgeBase {
    /// Opens the knowledge base in this file. The file is created if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, or has another format.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, KnowledgeError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        sqlite::open(path.as_ref(), flags).map(Self::new)
    }

    /// Opens the knowledge base in this file for reading only: `add` and `delete` fail with [`KnowledgeError::ReadOnly`].
    ///
    /// # Errors
    /// Returns an error if the file does not exist, cannot be opened, or has another format.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, KnowledgeError> {
        sqlite::open(path.as_ref(), OpenFlags::SQLITE_OPEN_READ_ONLY).map(Self::new)
    }

    /// Makes an empty knowledge base in memory. Its documents are lost when it is dropped.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be allocated.
    pub fn in_memory() -> Result<Self, KnowledgeError> {
        sqlite::in_memory().map(Self::new).map_err(|error| KnowledgeError::from_sqlite(&error))
    }

    fn new(connection: Connection) -> Self {
        let file = connection.path().map(str::to_owned);
        Self { connection: Mutex::new(connection), file }
    }

    /// Limits the file, or the memory, to about this number of bytes. A document that does not fit is refused with
    /// [`KnowledgeError::Full`]. If the file is larger already, no document is deleted. Other objects on the same file
    /// have their own limits. Default: no limit.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn max_size(self, bytes: u64) -> Result<Self, KnowledgeError> {
        sqlite::bound(&self.connection(), bytes).map_err(|error| KnowledgeError::from_sqlite(&error))?;
        Ok(self)
    }

    /// A source of a system prompt's part: the passages that fit the user's newest message best, at most this number of them and of
    /// what `search` returns. Without a fitting passage the part is left out. The passages are in the prompt without a call of a tool; for
    /// more, the source brings the tool `search_knowledge`. An agent can have the toolbox too.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::prompt::{Prompt, PromptPart};
    /// use onionskin::toolboxes::KnowledgeBase;
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Librarian { instruction: "Answer from the knowledge." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let kb = Arc::new(KnowledgeBase::in_memory().unwrap());
    /// kb.add("Tides", "The moon pulls the sea twice a day.", &[]).unwrap();
    /// let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("The moon.")]));
    /// let prompt = Prompt::new().source(PromptPart::Knowledge, kb.passages(3));
    /// Librarian::builder().model(Arc::clone(&model)).prompt(prompt).run("What pulls the sea?").await.unwrap();
    /// assert!(model.requests()[0].system.as_ref().unwrap().contains("twice a day"));
    /// # });
    /// ```
    pub fn passages(self: &Arc<Self>, most: u32) -> impl PromptSource + use<> {
        Passages { base: Arc::clone(self), most }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[toolbox(
    instructions = "Search the knowledge base before you answer from memory, and name the titles of the documents that \
                    an answer rests on."
)]
impl KnowledgeBase {
    /// Finds documents of the knowledge base by their words, the best first. Each comes with its id, its title and the
    /// piece of its text that fits best; `get` reads all of it.
    ///
    /// # Errors
    /// If there is no word in the query, or the file cannot be read.
    #[tool(blocking, effect = pure, annotations(read_only, open_world = false))]
    pub fn search(
        &self,
        /// Words that the document may hold, such as its subject and names. Documents that hold some of them are found
        /// too; signs and operators mean nothing.
        #[arg(length(1..=1000), example = "tides moon")]
        query: &str,
        /// How many documents to give.
        #[arg(default = 10, range(1..=MOST_HITS))]
        limit: u32,
    ) -> Result<Vec<SearchHit>, KnowledgeError> {
        let expression = query::expression(query).ok_or(KnowledgeError::NoWords)?;
        let found = sqlite::search(&self.connection(), &expression, limit.min(MOST_HITS))
            .map_err(|error| KnowledgeError::from_sqlite(&error))?;
        let found = found.into_iter().map(|StoredDocument { id, title, tags, text }| {
            let piece = cut(&text, PIECE);
            SearchHit { id, title, tags, piece }
        });
        Ok(found.collect())
    }

    /// Adds a document to the knowledge base, so that it can be found later. Gives its id.
    ///
    /// # Errors
    /// If it is too long, or cannot be written.
    #[tool(blocking, annotations(read_only = false, destructive = false, open_world = false))]
    pub fn add(
        &self,
        /// What it is about, in a few words.
        #[arg(length(1..=200))]
        title: &str,
        /// The text, in full: searches and later reads use it.
        #[arg(length(1..=1_000_000))]
        text: &str,
        /// Words under which it should be found that are not in the text.
        #[arg(default, length(0..=20))]
        tags: &[String],
    ) -> Result<DocumentId, KnowledgeError> {
        within("the title", "characters", TITLE, title.chars().count())?;
        within("the text", "characters", TEXT, text.chars().count())?;
        within("the list of tags", "tags", TAGS, tags.len())?;
        for tag in tags {
            within("a tag", "characters", TITLE, tag.chars().count())?;
        }
        sqlite::add(&self.connection(), title, text, tags)
            .map(|id| DocumentId { id })
            .map_err(|error| KnowledgeError::from_sqlite(&error))
    }

    /// Reads a document of the knowledge base. A long one comes in pages: `next` says where to go on.
    ///
    /// # Errors
    /// If there is no such document, or the file cannot be read.
    #[tool(blocking, effect = pure, annotations(read_only, open_world = false))]
    pub fn get(
        &self,
        /// The document's id, as `search` gives it.
        id: i64,
        /// The character to begin with.
        #[arg(default)]
        from: usize,
    ) -> Result<Document, KnowledgeError> {
        let stored = sqlite::get(&self.connection(), id)
            .map_err(|error| KnowledgeError::from_sqlite(&error))?
            .ok_or(KnowledgeError::NoDocument { id })?;
        let mut rest = stored.text.chars().skip(from);
        let text = rest.by_ref().take(PAGE).collect();
        let next = rest.next().map(|_| from + PAGE);
        Ok(Document { id, title: stored.title, tags: stored.tags, text, next })
    }

    /// Deletes a document of the knowledge base for good.
    ///
    /// # Errors
    /// If there is no such document, or the file cannot be written.
    #[tool(blocking, annotations(read_only = false, destructive, open_world = false))]
    pub fn delete(
        &self,
        /// The document's id, as `search` gives it.
        id: i64,
    ) -> Result<(), KnowledgeError> {
        if sqlite::delete(&self.connection(), id).map_err(|error| KnowledgeError::from_sqlite(&error))? {
            Ok(())
        } else {
            Err(KnowledgeError::NoDocument { id })
        }
    }
}

fn within(field: &'static str, unit: &'static str, most: usize, found: usize) -> Result<(), KnowledgeError> {
    if found > most {
        return Err(KnowledgeError::TooLong { field, unit, most, found });
    }
    Ok(())
}

impl fmt::Debug for KnowledgeBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnowledgeBase").field("file", &self.file).finish_non_exhaustive()
    }
}
