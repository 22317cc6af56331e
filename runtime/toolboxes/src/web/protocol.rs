//! The protocols of search services: requests and answers.

use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::WebPage;
use super::text::plain;

/// The protocol of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// <https://docs.searxng.org/dev/search_api.html>
    Searxng,
    /// <https://api-dashboard.search.brave.com/api-reference/web/search/get>
    Brave,
}

const TITLE: usize = 200;
const EXCERPT: usize = 600;
const ADDRESS: usize = 2_000;

/// A page in the answers of both services. The excerpt has a different name in each.
#[derive(Deserialize)]
struct Page {
    title: Option<String>,
    url: Option<String>,
    content: Option<String>,
    description: Option<String>,
}

/// The pages are read one by one, so that a malformed one does not affect the others.
#[derive(Deserialize)]
struct Pages<'a> {
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct BraveAnswer<'a> {
    /// Missing where nothing was found.
    #[serde(borrow)]
    web: Option<Pages<'a>>,
}

impl Protocol {
    /// The address of a search. `base` ends with a slash.
    pub(super) fn address(self, base: &Url, query: &str, limit: usize) -> Result<Url, String> {
        let path = match self {
            Self::Searxng => "search",
            Self::Brave => "res/v1/web/search",
        };
        let mut url = base.join(path).map_err(|error| error.to_string())?;
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", query);
        match self {
            Self::Searxng => pairs.append_pair("format", "json"),
            Self::Brave => {
                pairs.append_pair("count", &limit.to_string()).append_pair("text_decorations", "false")
            }
        };
        drop(pairs);
        Ok(url)
    }

    /// The unit of which a query has too many for the service, with the maximum and the number in the query.
    pub(super) fn excess(self, query: &str) -> Option<(&'static str, usize, usize)> {
        let counts = match self {
            Self::Searxng => return None,
            Self::Brave => {
                [("characters", 400, query.chars().count()), ("words", 50, query.split_whitespace().count())]
            }
        };
        counts.into_iter().find(|(_, most, found)| found > most)
    }

    /// The next step after a request that was refused. `None` if it was not refused.
    pub(super) fn hint(self, status: StatusCode) -> Option<&'static str> {
        Some(match (self, status) {
            (Self::Searxng, StatusCode::FORBIDDEN) => {
                "its settings have to list `json` under `search.formats`"
            }
            // SearXNG has no users of its own: that is a server in front of it.
            (Self::Searxng, StatusCode::UNAUTHORIZED) => {
                "it asks for a user or a key, and its owner has to give the right user or key with `.header(\"authorization\", ..)`"
            }
            // Brave says the same of a query that it does not take and of a key that it does not know.
            (Self::Brave, StatusCode::UNPROCESSABLE_ENTITY) => {
                "either it does not take this query, and fewer and plainer words may do, or its owner has to look at the API \
                 key"
            }
            (Self::Brave, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                "its owner has to look at the API key"
            }
            _ => return None,
        })
    }

    /// The pages of an answer, at most `limit`. A page that cannot be read, or has no web address, is left out.
    pub(super) fn read(self, answer: &[u8], limit: usize) -> Result<Vec<WebPage>, String> {
        let pages = match self {
            Self::Searxng => serde_json::from_slice::<Pages>(answer).map(|pages| pages.results),
            Self::Brave => serde_json::from_slice::<BraveAnswer>(answer)
                .map(|answer| answer.web.map(|web| web.results).unwrap_or_default()),
        };
        let pages = pages.map_err(|error| reason(&error))?.into_iter().filter_map(|page| self.page(page));
        Ok(pages.take(limit).collect())
    }

    fn page(self, page: &RawValue) -> Option<WebPage> {
        let page: Page = serde_json::from_str(page.get()).ok()?;
        let url = Url::parse(&page.url?).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let url = Some(String::from(url)).filter(|url| url.len() <= ADDRESS)?;
        let excerpt = match self {
            Self::Searxng => page.content,
            Self::Brave => page.description,
        };
        let title = plain(page.title.as_deref().unwrap_or_default(), TITLE);
        Some(WebPage { title, url, excerpt: plain(excerpt.as_deref().unwrap_or_default(), EXCERPT) })
    }
}

/// The mistake in an answer. The error of serde would quote the answer at any length, and the model would get it.
fn reason(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        Category::Data => "its JSON has no list of results",
        Category::Eof => "its JSON breaks off",
        Category::Syntax | Category::Io => "the answer is not JSON",
    };
    format!("{what} (line {}, column {})", error.line(), error.column())
}
