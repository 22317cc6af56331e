//! Logins to servers that require OAuth.

// `oauth` has the settings of a program and finishes logins; `authority` is one login: its tokens, their refresh, and how it begins anew;
// `fetch` sends the requests of the protocol library's OAuth client, to no address that a server could misuse, and reads what came of those for
// tokens as a `post_answer`. Tokens are `stored` as texts in a `store`; `folder` is the ready one. `reason` writes errors without secrets.

mod authority;
mod error;
mod fetch;
mod folder;
mod oauth;
mod post_answer;
mod reason;
mod store;
mod stored;

pub(crate) use authority::Authority;
pub use error::OAuthError;
pub use folder::TokenFolder;
pub use oauth::OAuth;
pub use store::{Login, TokenStore};
