//! What a provider counts: as much as it says is taken, and one more is not.

use super::*;

#[test]
fn s3_numbers_are_counted_before_a_request() {
    let limit_of = |schema: Value| match openai_chat(&one(schema), &strict()).unwrap_err() {
        ExportError::Limit { what, found, most, .. } => (what, found, most),
        other => panic!("{other}"),
    };
    let string = json!({"type": "string"});
    let many: Map<_, _> = (0..5000).map(|at| (format!("p{at}"), string.clone())).collect();
    assert_eq!(limit_of(json!({"type": "object", "properties": many})), ("properties", 5001, 5000));
    let mut deep = json!({"type": "object", "properties": {}});
    for _ in 0..9 {
        deep = json!({"type": "object", "properties": {"d": deep}});
    }
    assert_eq!(limit_of(deep), ("levels of objects inside objects", 11, 10));
    let words: Vec<_> = (0..1001).map(|at| at.to_string()).collect();
    assert_eq!(limit_of(json!({"enum": words})), ("listed values", 1001, 1000));
    let long: Vec<_> = (0..251).map(|at| format!("{at:060}")).collect();
    assert_eq!(limit_of(json!({"enum": long})).2, 15_000);
    let long = json!({"type": "object", "properties": {"n".repeat(120_000): string}});
    assert_eq!(limit_of(long), ("characters of names and listed values", 120_001, 120_000));
}

/// An object whose only property is this one.
fn around(schema: Value) -> Value {
    json!({"type": "object", "properties": {"d": schema}})
}

#[test]
fn s3_a_schema_may_have_as_much_as_the_provider_says() {
    let takes = |schema: Value| {
        if let Err(error) = openai_chat(&one(schema), &strict()) {
            panic!("{error}");
        }
    };
    let string = json!({"type": "string"});
    let many: Map<_, _> = (0..4999).map(|at| (format!("p{at}"), string.clone())).collect();
    takes(json!({"type": "object", "properties": many}));
    takes((0..8).fold(json!({"type": "object", "properties": {}}), |inner, _| around(inner)));
    takes(json!({"enum": (0..1000).map(|at| at.to_string()).collect::<Vec<_>>()}));
    // The length of a list counts from the 251st value on.
    takes(json!({"enum": (0..250).map(|at| format!("{at:061}")).collect::<Vec<_>>()}));
    let long = |short: usize| json!({"enum": (0..251).map(|at| format!("{at:0width$}", width = 60 - usize::from(at < short))).collect::<Vec<_>>()});
    takes(long(60));
    openai_chat(&one(long(59)), &strict()).unwrap_err();
    takes(json!({"type": "object", "properties": {"n".repeat(119_999): string}}));
}

#[test]
fn s3_levels_are_counted_through_recursive_types() {
    // Each type contains itself and the next one.
    let chain = |length: usize| {
        let link = |at: usize| {
            let mut link =
                json!({"type": "object", "properties": {"again": {"$ref": format!("#/$defs/T{at}")}}});
            if at + 1 < length {
                link["properties"]["next"] = json!({"$ref": format!("#/$defs/T{}", at + 1)});
            }
            (format!("T{at}"), link)
        };
        let definitions: Map<_, _> = (0..length).map(link).collect();
        let root =
            json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/T0"}}, "$defs": definitions});
        openai_chat(&ToolDefinition::new("look", "Looks.").with_input_schema(root), &strict())
    };
    chain(9).unwrap();
    for length in [10, 1200] {
        let error = chain(length).unwrap_err();
        assert!(
            matches!(&error, ExportError::Limit { what, found, most: 10, .. }
                if what.starts_with("levels") && *found > 10),
            "{error}"
        );
    }
    // Two that contain each other are two levels, however they are entered.
    let ping =
        |other: &str| around(json!({"anyOf": [{"$ref": format!("#/$defs/{other}")}, {"type": "null"}]}));
    let twice = |levels: usize| {
        let inner = json!({"type": "array", "items": {"$ref": "#/$defs/Ping"}});
        let x = (0..levels).fold(inner, |inner, _| around(inner));
        let definitions = json!({"Ping": ping("Pong"), "Pong": ping("Ping")});
        let root = json!({"type": "object", "properties": {"x": x}, "$defs": definitions});
        openai_chat(&ToolDefinition::new("look", "Looks.").with_input_schema(root), &strict())
    };
    twice(7).unwrap();
    assert!(matches!(twice(8), Err(ExportError::Limit { found: 11, most: 10, .. })));
}

#[test]
fn s3_what_a_request_may_have_is_counted_over_its_tools() {
    let tool = |at: usize, schema: &Value| {
        ToolDefinition::new(format!("look_{at}"), "Looks.").with_input_schema(schema.clone())
    };
    let whats = |schema: &Value, count: usize| -> Vec<&'static str> {
        let tools: Vec<_> = (0..count).map(|at| tool(at, schema)).collect();
        request(Form::OpenAiChat, &tools, &strict()).unwrap();
        request(Form::Anthropic, &tools, &ExportOptions::new()).unwrap();
        let errors = request(Form::Anthropic, &tools, &strict()).err().unwrap_or_default();
        errors
            .iter()
            .map(|error| match error {
                ExportError::Limit { what, .. } => *what,
                other => panic!("{other}"),
            })
            .collect()
    };
    let plain = json!({"type": "object", "properties": {}});
    assert!(whats(&plain, 20).is_empty());
    assert_eq!(whats(&plain, 21), ["strict tools"]);
    let two = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    assert!(whats(&two, 12).is_empty());
    assert_eq!(whats(&two, 13), ["optional parameters in strict tools"]);
    let union =
        json!({"type": "object", "properties": {"a": {"type": ["string", "integer"]}}, "required": ["a"]});
    assert!(whats(&union, 16).is_empty());
    assert_eq!(whats(&union, 17), ["parameters with a union of types in strict tools"]);
}
