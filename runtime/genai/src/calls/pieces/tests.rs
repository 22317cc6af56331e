//! One case a line: what the server does, its events, and the calls, or a part of the error.

use super::*;

/// A piece is `index:id:name:arguments`, a call `id:name:arguments`; `&` separates the pieces of one event, `;` the events.
const CASES: &str = r#"
a chunk twice | 0:a:echo:{"text":"a"} ; 0:a:echo:{"text":"a"} | a:echo:{"text":"a"}
a chunk twice, without an index | :a:echo:{"text":"a"} ; :a:echo:{"text":"a"} | a:echo:{"text":"a"}
the whole call behind its pieces, written otherwise | 0:a:echo: ; 0:::{"text":"a"} ; 0:a:echo:{ "text": "a" } | a:echo:{"text":"a"}
the call again in pieces | 0:a:echo:{"text":"a"} ; 0:a:echo:{"text" ; 0:::: "a"} | a:echo:{"text":"a"}
the arguments again without id and name | 0:a:echo:{"text":"a"} ; 0:::{"text":"a"} | a:echo:{"text":"a"}
the arguments again without any marks | ::echo:{"text":"a"} ; :::{"text":"a"} | _1:echo:{"text":"a"}
all calls again at the end | 0:a:echo:{"text":"a"} & 1:b:add:{} ; 0:a:echo:{"text":"a"} & 1:b:add:{} | a:echo:{"text":"a"} & b:add:{}
id and name in a last piece of nothing | 0:a:echo:{"text":"a"} ; 0:a:echo: | a:echo:{"text":"a"}
the name in a last piece of nothing | 0:a:echo:{"text":"a"} ; 0::echo: | a:echo:{"text":"a"}
one id for two texts | 0:a:echo:{"text":"a"} ; 0:a:echo:{"text":"b"} | a:echo:{"text":"a"} & a_2:echo:{"text":"b"}
one id for two tools | 0:a:nothing: ; 0:a:add:{} | a:nothing:{} & a_2:add:{}
one id for two indexes | 0:a:echo:{"text":"a"} ; 1:a:echo:{"text":"a"} | a:echo:{"text":"a"} & a_2:echo:{"text":"a"}
an empty object, then the arguments | 0:a:echo:{} ; 0:a:echo:{"text":"a"} | a:echo:{"text":"a"}
an empty object, then the arguments alone | 0:a:echo:{} ; 0:::{"text":"a"} | a:echo:{"text":"a"}
an empty object behind the arguments | 0:a:echo:{"text":"a"} ; 0:a:echo:{} | can be one
one id in a list | :a:echo:{} & :a:echo:{"text":"a"} | a:echo:{} & a_2:echo:{"text":"a"}
no ids, one text in two events | ::echo:{"text":"a"} ; ::echo:{"text":"a"} | can be one
no ids, one text and one index | 0::echo:{"text":"a"} ; 0::echo:{"text":"a"} | can be one
no ids, one text in a list | ::echo:{"text":"a"} & ::echo:{"text":"a"} | _1:echo:{"text":"a"} & _2:echo:{"text":"a"}
no ids, an empty object first | 0::echo:{} ; 0::echo:{"text":"a"} | can be one
no ids, a name that says nothing more | 0::echo:{"text":"a"} ; 0::echo: | can be one
the id comes with the repetition | 0::echo:{"text":"a"} ; 0:a:echo:{"text":"a"} | can be one
no ids, the name before the arguments, one index | 0::echo: ; 0:::{"text":"a"} ; 0::echo: ; 0:::{"text":"b"} | _1:echo:{"text":"a"} & _2:echo:{"text":"b"}
no ids, the name before the arguments, no index | ::echo: ; :::{"text":"a"} ; ::echo: ; :::{"text":"b"} | _1:echo:{"text":"a"} & _2:echo:{"text":"b"}
a name in pieces | 0:a:get: ; 0::_us: ; 0::er: ; 0:::{} | a:get_user:{}
a name in pieces, with the id | 0:a:get: ; 0:a:_user:{} | a:get_user:{}
the name with each piece | 0:a:get: ; 0:a:get:{} | a:get:{}
no arguments, then another tool | 0::nothing: ; 0::add:{} | _1:nothing:{} & _2:add:{}
two tools, or one whose name is both | 0::pair: ; 0::add:{} | one name or two
a tool, and what is no tool | 0:a:get: ; 0:a:_file:{} | one name or two
both forms | function_call::echo:{"text":"a"} ; 0:a:echo: ; function_call:::{"x":1} & 0:::{"text":"a"} | a:echo:{"text":"a"}
the old form alone | function_call::echo: ; function_call:::{"text":"a"} | _1:echo:{"text":"a"}
the name of no tool in pieces | 0:a:fly: ; 0:a:_away:{} | a:fly_away:{}
"#;

const TOOLS: [&str; 7] = ["nothing", "echo", "add", "get", "get_user", "pair", "pairadd"];

fn fields<const N: usize>(text: &str) -> [&str; N] {
    let fields: Vec<_> = text.splitn(N, ':').collect();
    fields.try_into().unwrap_or_else(|_| panic!("{text}"))
}

fn read(events: &str) -> Result<String, ModelError> {
    let mut calls = Calls { tools: TOOLS.map(Arc::from).to_vec(), ..Calls::default() };
    let mut passed: HashMap<Arc<str>, String> = HashMap::new();
    for event in events.split(" ; ") {
        calls.events += 1;
        let pieces: Vec<[&str; 4]> = event.split(" & ").map(fields).collect();
        for (place, [key, id, name, arguments]) in pieces.iter().enumerate() {
            let key = Some((*key).to_owned()).filter(|key| !key.is_empty());
            let piece = Piece { key, id: Cow::Borrowed(id), name, arguments: (*arguments).to_owned() };
            let at = calls.call_of(&piece, (pieces.len() > 1).then_some(place))?;
            if let Some(delta) = calls.add(at, id, name, arguments) {
                *passed.entry(delta.id).or_default() += &delta.arguments;
            }
        }
    }
    let finished = calls.finish(false)?;
    for delta in finished.rests {
        *passed.entry(delta.id).or_default() += &delta.arguments;
    }
    assert_eq!(passed.len(), finished.calls.len(), "{events}: {passed:?}");
    assert!(finished.calls.iter().all(|call| passed[&call.id] == *call.arguments), "{events}: {passed:?}");
    let calls = finished.calls.iter().map(|call| format!("{}:{}:{}", call.id, call.name, call.arguments));
    Ok(calls.collect::<Vec<_>>().join(" & "))
}

#[test]
fn o3_each_piece_is_of_one_call_or_nobody_can_say_of_which() {
    for case in CASES.trim().lines() {
        let columns: Vec<_> = case.split(" | ").collect();
        let [name, events, expected] = columns[..] else { panic!("{case}") };
        match read(events) {
            Ok(calls) => assert_eq!(calls, expected, "{name}"),
            Err(ModelError::Incomplete(text)) => assert!(text.contains(expected), "{name}: {text}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
