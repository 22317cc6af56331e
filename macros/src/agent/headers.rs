//! The headers of an agent's calls to its servers.

use onionskin_vocabulary::{header_name_mistake, header_twice, header_value_mistake};

use super::fields::Fields;
use super::list::repeated;
use super::model::Header;
use super::prompt;
use super::target::undeclared;
use crate::diag::Errors;

/// The headers, with the places in their values.
pub(super) fn resolved<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<Header<'a>> {
    let servers: Vec<_> = fields.servers.iter().map(|server| server.text.as_str()).collect();
    for (server, _) in repeated(&fields.headers, |(a, _), (b, _)| a.text == b.text) {
        errors
            .push(server.span, format_args!("the headers of `{}` are given twice; merge them", server.text));
    }
    let mut headers = Vec::new();
    for (server, given) in &fields.headers {
        undeclared(
            server,
            &servers,
            |_| "headers are for one server: name it, as `servers` does".to_owned(),
            errors,
        );
        for (name, _) in repeated(given, |(a, _), (b, _)| a.text.eq_ignore_ascii_case(&b.text)) {
            errors.push(name.span, header_twice(&name.text));
        }
        for (name, value) in given {
            if let Some(mistake) = header_name_mistake(&name.text) {
                errors.push(name.span, mistake);
            }
            match header_value_mistake(&value.value(), fields.state.is_some()) {
                Some(mistake) => errors.at(value, mistake),
                None => {
                    let pieces = prompt::pieces(value, errors);
                    headers.push(Header { server, name, value, pieces });
                }
            }
        }
    }
    headers
}
