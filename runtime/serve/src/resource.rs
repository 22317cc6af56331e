//! Resources that a server offers.

use std::fmt;
use std::sync::Arc;

use onionskin_core::BoxFuture;
use onionskin_core::content;
use percent_encoding::percent_decode_str;

/// The values of the variables in the URI of a template.
pub type Variables = Vec<(String, String)>;

/// The reason why a resource cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is no such resource.
    #[error("there is no such resource")]
    NotFound,
    /// Reading failed. The text is shown to the client.
    #[error("{0}")]
    Failed(String),
}

type Read = dyn Fn(String, Variables) -> BoxFuture<'static, Result<Vec<content::Resource>, ResourceError>>
    + Send
    + Sync;

/// A resource under a URI, or a template of resources such as `orders://{id}`.
///
/// ```
/// use onionskin::content;
/// use onionskin::serve::{Resource, ResourceError};
///
/// let terms = Resource::text("shop://terms", "Terms", "All sales are final.");
/// let order = Resource::template("shop://orders/{id}", "Order", |uri, variables| async move {
///     let (_, id) = variables.first().ok_or(ResourceError::NotFound)?;
///     Ok(vec![content::Resource::text(uri, format!("The order {id}."))])
/// });
/// assert!(!terms.is_template() && order.is_template());
/// ```
#[derive(Clone)]
pub struct Resource {
    uri: String,
    name: String,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    is_template: bool,
    /// The text, if it is fixed.
    text: Option<String>,
    read: Arc<Read>,
}

impl Resource {
    /// Creates a resource with a fixed text.
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let fixed = text.clone();
        let resource = Self::new(uri, name, move |uri| {
            let read = content::Resource::text(uri, fixed.clone());
            async move { Ok(vec![read]) }
        });
        Self { text: Some(text), ..resource }
    }

    /// Creates a resource that a function reads. It gets the URI.
    pub fn new<F, Fut>(uri: impl Into<String>, name: impl Into<String>, read: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<content::Resource>, ResourceError>> + Send + 'static,
    {
        let read: Arc<Read> = Arc::new(move |uri, _| Box::pin(read(uri)));
        Self::from_parts(uri.into(), name.into(), false, read)
    }

    /// Creates a template of resources: each variable `{name}` stands for a part of the URI without a slash. The function gets the URI and
    /// the values of the variables, in their order.
    pub fn template<F, Fut>(uri: impl Into<String>, name: impl Into<String>, read: F) -> Self
    where
        F: Fn(String, Variables) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<content::Resource>, ResourceError>> + Send + 'static,
    {
        let read: Arc<Read> = Arc::new(move |uri, variables| Box::pin(read(uri, variables)));
        Self::from_parts(uri.into(), name.into(), true, read)
    }

    fn from_parts(uri: String, name: String, is_template: bool, read: Arc<Read>) -> Self {
        Self { uri, name, title: None, description: None, mime_type: None, is_template, text: None, read }
    }

    /// Sets the name that clients show.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the MIME type. Contents without a type of their own get it too.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Whether it is a template.
    pub fn is_template(&self) -> bool {
        self.is_template
    }

    /// The URI, or the template of it.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(crate) fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The text, if it is fixed.
    pub(crate) fn fixed_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    pub(crate) fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// The values of the variables if this is the resource of the URI.
    pub(crate) fn matches(&self, uri: &str) -> Option<Variables> {
        if self.is_template { variables(&self.uri, uri) } else { (self.uri == uri).then(Vec::new) }
    }

    /// Reads the resource.
    pub(crate) async fn read(
        &self,
        uri: &str,
        variables: Variables,
    ) -> Result<Vec<content::Resource>, ResourceError> {
        let contents = (self.read)(uri.to_owned(), variables).await?;
        let with_type = contents.into_iter().map(|content| match (&self.mime_type, content.mime_type()) {
            (Some(own), None) => content.with_mime_type(own.clone()),
            _ => content,
        });
        Ok(with_type.collect())
    }
}

/// The values of a template's variables in a URI, decoded (RFC 6570, simple expansion). A value is not empty, has no slash, and is
/// neither `.` nor `..`, so that none leads out of its place.
fn variables(template: &str, uri: &str) -> Option<Variables> {
    let (mut template, mut uri) = (template, uri);
    let mut found = Vec::new();
    while let Some((before, rest)) = template.split_once('{') {
        uri = uri.strip_prefix(before)?;
        let (name, after) = rest.split_once('}')?;
        // Up to the text that follows the variable; what follows the last one is at the end.
        let end = match after.split_once('{') {
            Some((next, _)) => uri.find(next)?,
            None => uri.strip_suffix(after)?.len(),
        };
        let (value, remaining) = uri.split_at(end);
        let value = percent_decode_str(value).decode_utf8().ok()?;
        if value.contains('/') || matches!(&*value, "" | "." | "..") {
            return None;
        }
        found.push((name.to_owned(), value.into_owned()));
        (template, uri) = (after, remaining);
    }
    (template == uri).then_some(found)
}

/// The reason why a template is not valid.
pub(crate) fn template_mistake(template: &str) -> Option<&'static str> {
    let mut rest = template;
    while let Some((_, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else { return Some("a `{` has no `}`") };
        if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            return Some("a variable is a name of letters, digits and `_`, such as `{id}`");
        }
        if after.starts_with('{') {
            return Some("two variables need a text between them");
        }
        rest = after;
    }
    (!template.contains('{')).then_some("it has no variable, such as `{id}`: use `Resource::new`")
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").field("uri", &self.uri).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{template_mistake, variables};

    #[test]
    fn o2_a_template_gives_the_values_of_its_variables() {
        let found = |template, uri| {
            variables(template, uri)
                .map(|found| found.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
        };
        assert_eq!(found("t://{id}/data", "t://123/data"), Some(vec!["123".to_owned()]));
        assert_eq!(found("t://{a}-{b}", "t://1-2"), Some(vec!["1".to_owned(), "2".to_owned()]));
        for uri in ["t:///data", "t://1/2/data", "t://1/data/more", "u://1/data", "t://1"] {
            assert_eq!(found("t://{id}/data", uri), None, "{uri}");
        }
        assert_eq!(found("t://{id}", "t://a/b"), None);
        assert_eq!(found("t://{name}.txt", "t://a.txt.txt"), Some(vec!["a.txt".to_owned()]));
        assert_eq!(
            found("t://{a}/{b}", "t://caf%C3%A9%20noir/x"),
            Some(vec!["café noir".to_owned(), "x".to_owned()])
        );
        for uri in ["t://..%2Fsecret", "t://%FF", "t://%2E%2E"] {
            assert_eq!(found("t://{id}", uri), None, "{uri}");
        }
    }

    #[test]
    fn o2_a_template_without_sense_is_refused() {
        for template in ["t://x", "t://{", "t://{}", "t://{a}{b}", "t://{a b}"] {
            assert!(template_mistake(template).is_some(), "{template}");
        }
        assert_eq!(template_mistake("t://{a}/{b}"), None);
    }
}
