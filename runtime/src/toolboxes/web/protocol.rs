//! The protocols of search services: what is asked, and how the answer is read.

use reqwest::Url;
use serde::Deserialize;

use super::WebPage;
use super::text::plain;

/// How a service is asked.
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

/// What both have of a page, each under a name of its own.
#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    title: Option<String>,
    url: String,
    #[serde(default, alias = "description")]
    content: Option<String>,
}

#[derive(Deserialize)]
struct Pages {
    results: Vec<Page>,
}

#[derive(Deserialize)]
struct BraveAnswer {
    /// Missing where nothing was found.
    web: Option<Pages>,
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

    /// What to do about a request that was refused.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Searxng => "its settings have to list `json` under `search.formats`",
            Self::Brave => "its owner has to look at the API key",
        }
    }

    /// The pages of an answer, no more than `limit`; one without an address of the web is left out.
    pub(super) fn read(self, answer: &[u8], limit: usize) -> Result<Vec<WebPage>, String> {
        let pages = match self {
            Self::Searxng => serde_json::from_slice::<Pages>(answer).map(|pages| pages.results),
            Self::Brave => serde_json::from_slice::<BraveAnswer>(answer)
                .map(|answer| answer.web.map(|web| web.results).unwrap_or_default()),
        };
        let pages = pages.map_err(|error| error.to_string())?.into_iter().filter_map(|page| {
            let url = Url::parse(&page.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
            let url = Some(String::from(url)).filter(|url| url.len() <= ADDRESS)?;
            let title = plain(page.title.as_deref().unwrap_or_default(), TITLE);
            Some(WebPage { title, url, excerpt: plain(page.content.as_deref().unwrap_or_default(), EXCERPT) })
        });
        Ok(pages.take(limit).collect())
    }
}
