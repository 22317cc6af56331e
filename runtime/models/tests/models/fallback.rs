//! The next model when one fails.

use std::time::Duration;

use onionskin::content::{ContentBlock, Image, Media};
use onionskin::export::Dialect;
use onionskin::hooks::RateLimit;
use onionskin::model::{
    Message, Model as _, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption,
    ResponseSchema, Usage,
};
use onionskin::models::{Fallback, FirstTokenTimeout, Limited, Router};
use onionskin::{BuildError, RunError};
use serde_json::json;

use super::fake::Fake;
use super::support::{Clerk, answer, ask, text};

#[tokio::test]
async fn o3_the_next_model_is_asked_after_an_error_of_the_first_one() {
    let status = |status| ModelError::status(status, "no", None);
    let hidden = [
        status(429),
        status(500),
        status(501),
        status(401),
        status(402),
        status(403),
        status(404),
        ModelError::status_that_lasts(429, "no credit"),
        ModelError::too_long("9 > 8"),
        ModelError::transport("reset"),
        ModelError::malformed("no JSON"),
        ModelError::incomplete("no text"),
        ModelError::timeout(Duration::from_secs(1)),
        ModelError::unavailable("its circuit is open", None),
    ];
    for error in hidden {
        let (first, second) = (Fake::fails("a", error.clone()), Fake::says("b", 1));
        let model = Fallback::new(first.clone()).or(second.clone());
        assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "b", "{error}");
        assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
    }
    let image = ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png")));
    let returned = [
        status(400),
        status(422),
        ModelError::status_that_lasts(400, "no such option"),
        ModelError::status_that_lasts(409, "no"),
        ModelError::status_that_lasts(413, "no"),
        ModelError::status_that_lasts(422, "no"),
        ModelError::Unended(Duration::from_secs(1)),
        ModelError::setup("no name"),
        ModelError::no_key("a", "A_KEY"),
        ModelError::unsupported(RequestOption::ToolChoice, "no form"),
        ModelError::unread_content(&image),
        ModelError::script("no turn"),
    ];
    for error in returned {
        let (first, second) = (Fake::fails("a", error.clone()), Fake::says("b", 1));
        let model = Fallback::new(first).or(second.clone());
        assert_eq!(answer(&model, &ask("Hi.")).await.1, Err(error));
        assert_eq!(second.requests(), []);
    }
}

#[tokio::test]
async fn o3_if_all_models_fail_the_error_is_the_one_that_can_end() {
    let (busy, gone) = (ModelError::status(503, "busy", None), ModelError::status(404, "gone", None));
    let later = ModelError::status(529, "later", None);
    let cases = [
        (vec![gone.clone(), busy.clone(), later.clone()], busy.clone()),
        (vec![busy.clone(), gone.clone()], busy),
        (vec![gone.clone(), ModelError::status(401, "no key", None)], gone),
    ];
    for (errors, expected) in cases {
        let mut models = errors.into_iter().map(|error| Fake::fails("a", error));
        let first = Fallback::new(models.next().unwrap());
        let model = models.fold(first, Fallback::or);
        assert_eq!(answer(&model, &ask("Hi.")).await.1, Err(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn o3_no_other_model_continues_an_answer_that_was_shown() {
    let broken = (vec![text("It is ")], Err(ModelError::transport("reset")));
    let first = Fake::new("a", [broken.clone(), broken]);
    let second = Fake::says("b", 1);
    let model = Fallback::new(first).or(second.clone());
    assert_eq!(answer(&model, &ask("Hi.")).await.1, Err(ModelError::transport("reset")));

    // A run asks again, and begins with the first model.
    let first = Fake::new(
        "a",
        [
            (vec![text("It is ")], Err(ModelError::transport("reset"))),
            (vec![], Err(ModelError::status(503, "busy", None))),
        ],
    );
    let output = Clerk::builder().model(Fallback::new(first.clone()).or(second)).run("Hi.").await.unwrap();
    assert_eq!((output.text.as_str(), first.requests().len()), ("b", 2));
}

#[tokio::test]
async fn o3_tokens_of_failed_models_count() {
    let billed = (vec![ModelDelta::Usage(Usage::new(10, 0))], Err(ModelError::status(500, "no", None)));
    let mut response = ModelResponse::text("Yes.");
    response.usage = Usage::new(7, 3);
    let second = (vec![ModelDelta::Usage(Usage::new(7, 1)), text("Yes.")], Ok(response));
    let model = Fallback::new(Fake::new("a", [billed])).or(Fake::new("b", [second]));
    let (pieces, response) = answer(&model, &ask("Hi.")).await;
    assert_eq!(response.unwrap().usage, Usage::new(17, 3));
    let counts = [Usage::new(10, 0), Usage::new(17, 1)].map(ModelDelta::Usage);
    assert_eq!(pieces, [counts[0].clone(), counts[1].clone(), text("Yes.")]);
}

#[tokio::test(start_paused = true)]
async fn o3_a_silent_model_is_followed_by_the_next_one() {
    // A model without results never answers. It is silent after its count of tokens, too.
    let silent = Fake::new("a", []);
    let first = FirstTokenTimeout::new(silent.clone(), Duration::from_secs(10));
    let model = Fallback::new(first).or(Fake::says("b", 1));
    let start = tokio::time::Instant::now();
    assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "b");
    assert_eq!((start.elapsed(), silent.requests().len()), (Duration::from_secs(10), 1));

    // An answer that has begun may take longer.
    let slow = FirstTokenTimeout::new(Slow, Duration::from_secs(10));
    assert_eq!(answer(&slow, &ask("Hi.")).await.1.unwrap().text, "Slow.");
    assert_eq!(start.elapsed(), Duration::from_secs(40));
}

#[tokio::test(start_paused = true)]
async fn o3_a_wait_for_permits_is_no_silence_of_the_model() {
    let limit = RateLimit::new(1, Duration::from_mins(1));
    let timed = |model: Fake| {
        FirstTokenTimeout::new(Limited::new(model).requests(limit.clone()), Duration::from_secs(10))
    };
    let start = tokio::time::Instant::now();
    let model = timed(Fake::says("a", 2));
    for _ in 0..2 {
        assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "a");
    }
    assert_eq!(start.elapsed(), Duration::from_mins(1));
    // The model itself is silent after the wait.
    let error = ModelError::timeout(Duration::from_secs(10));
    assert_eq!(answer(&timed(Fake::new("a", [])), &ask("Hi.")).await.1, Err(error));
    let waited = start.elapsed().as_secs();
    assert!((129..=130).contains(&waited), "{waited} s");
}

#[tokio::test(start_paused = true)]
async fn o3_a_wait_after_a_model_that_was_billed_is_no_silence() {
    let billed = (vec![ModelDelta::Usage(Usage::new(10, 0))], Err(ModelError::status(500, "no", None)));
    let limit = RateLimit::new(1, Duration::from_mins(1));
    limit.charge("b/b-1", 1).unwrap();
    let second = Limited::new(Fake::says("b", 1)).requests(limit);
    let both = Fallback::new(Fake::new("a", [billed])).or(second);
    let start = tokio::time::Instant::now();
    let (pieces, response) =
        answer(&FirstTokenTimeout::new(both, Duration::from_secs(10)), &ask("Hi.")).await;
    let response = response.unwrap();
    assert_eq!((&*response.text, response.usage), ("b", Usage::new(10, 0)));
    assert_eq!(start.elapsed(), Duration::from_mins(1));
    // The last count is what a run notes if it ends during the wait.
    assert_eq!(pieces.last(), Some(&ModelDelta::Usage(Usage::new(10, 0))));
}

#[test]
#[should_panic(expected = "a `FirstTokenTimeout` of zero fails every request")]
fn o3_a_time_of_zero_for_the_first_piece_is_refused() {
    let _ = FirstTokenTimeout::new(Fake::says("a", 1), Duration::ZERO);
}

/// Begins at once, and ends after 30 seconds.
pub(crate) struct Slow;

impl onionskin::Model for Slow {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        deltas(text("Slow."));
        tokio::time::sleep(Duration::from_secs(30)).await;
        Ok(ModelResponse::text("Slow."))
    }
}

/// An answer with data of its provider.
fn with_data(provider: &str) -> ModelResponse {
    let mut response = ModelResponse::text(provider);
    response.provider_data = Some(json!({ "signature": provider }));
    response
}

/// The data in the model's messages of a request.
fn data(request: &ModelRequest) -> Vec<Option<serde_json::Value>> {
    let data = request.messages.iter().filter_map(|message| match message {
        Message::Assistant { provider_data, .. } => Some(provider_data.clone()),
        Message::User { .. } | Message::Tool { .. } => None,
    });
    data.collect()
}

#[tokio::test]
async fn o3_data_of_a_provider_go_back_only_to_that_provider() {
    let busy = || (vec![], Err(ModelError::status(503, "busy", None)));
    let ok = |provider| (vec![], Ok(with_data(provider)));
    let a = Fake::new("a", [ok("a"), busy(), ok("a")]);
    let b = Fake::new("b", [ok("b")]);
    // A wrapper in a wrapper keeps its own marks.
    let wrapped = Router::new("only", b.clone());
    let model = Fallback::new(a.clone()).or(wrapped);
    let mut request = ask("Hi.");
    for _ in 0..3 {
        let response = answer(&model, &request).await.1.unwrap();
        request.messages.push(response.into());
        request.messages.push(Message::user("And?"));
    }
    let (of_a, of_b) = (Some(json!({ "signature": "a" })), Some(json!({ "signature": "b" })));
    assert_eq!(data(&a.requests()[1]), std::slice::from_ref(&of_a));
    assert_eq!(data(&b.requests()[0]), [None]);
    assert_eq!(data(&a.requests()[2]), [of_a.clone(), None]);

    // The other model, later in the same conversation.
    let (again, b) = (Fake::new("a", [busy()]), Fake::says("b", 1));
    let model = Fallback::new(again).or(Router::new("only", b.clone()));
    answer(&model, &request).await.1.unwrap();
    assert_eq!(data(&b.requests()[0]), [None, of_b, None]);

    // Data whose origin is unknown go to nobody.
    let a = Fake::says("a", 1);
    let unknown = ModelRequest::new([Message::user("Hi."), with_data("a").into(), Message::user("And?")]);
    answer(&Fallback::new(a.clone()), &unknown).await.1.unwrap();
    assert_eq!(data(&a.requests()[0]), [None]);
    assert_eq!(a.requests()[0].messages.len(), 3);
}

#[tokio::test]
async fn o3_only_what_all_models_support_can_be_requested() {
    let (mut a, mut b) = (Fake::says("a", 9), Fake::says("b", 9));
    let both = |a: &Fake, b: &Fake| Fallback::new(a.clone()).or(b.clone());
    a.options = vec![RequestOption::ToolChoice, RequestOption::ExtraBody];
    b.options = vec![RequestOption::ToolChoice, RequestOption::StopSequences];
    let model = both(&a, &b);
    assert!(model.supports(RequestOption::ToolChoice) && model.can_force_call(&ask("Hi.")));
    assert!(!model.supports(RequestOption::ExtraBody) && !model.supports(RequestOption::StopSequences));

    let image = ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png")));
    a.reads_all = true;
    assert!(!both(&a, &b).reads(&image) && both(&a, &b).reads(&ContentBlock::text("Hi.")));
    b.reads_all = true;
    assert!(both(&a, &b).reads(&image));

    let schema = ResponseSchema::from_type::<Option<i64>>();
    let asked = |a: &Fake, b: &Fake| both(a, b).response_schema(&ask("Hi."), &schema);
    a.dialect = Some(Dialect::OPENAI);
    assert_eq!(asked(&a, &b), None);
    b.dialect = Some(Dialect::OPENAI);
    assert_eq!(asked(&a, &b), schema.in_dialect(&Dialect::OPENAI).ok());
    assert!(asked(&a, &b).is_some());

    let model = both(&a, &b);
    assert_eq!(model.provider(), "a");
    assert_eq!(model.identity(None), ModelIdentity::new("a", Some("a-1")));
    assert_eq!(model.instructions().as_deref(), Some("instructions of a"));
    assert_eq!(model.system_message().as_deref(), Some("message of a"));

    // The build checks all of them.
    b.check = Err(ModelError::no_key("b-1", "B_KEY"));
    let error = Clerk::builder().model(both(&a, &b)).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::Model { .. }), "{error}");
    assert!(error.to_string().contains("B_KEY"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn o3_an_answer_names_the_model_that_gave_it() {
    let model =
        || Fallback::new(Fake::fails("a", ModelError::status(503, "busy", None))).or(Fake::says("b", 1));
    assert_eq!(answer(&model(), &ask("Hi.")).await.1.unwrap().model.as_deref(), Some("b-1"));
    let mut response = ModelResponse::text("Hi.");
    response.model = Some("a-1-2026".to_owned());
    let model = Fallback::new(Fake::new("a", [(vec![], Ok(response))]));
    assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().model.as_deref(), Some("a-1-2026"));
}

#[tokio::test]
async fn o3_the_cost_of_an_answer_is_that_of_the_model_that_gave_it() {
    let says = |provider: &str| {
        let mut response = ModelResponse::text(provider);
        response.usage = Usage::new(7, 3);
        Fake::new(provider, [(vec![], Ok(response))])
    };
    let first = Fake::fails("a", ModelError::status(404, "gone", None));
    // A wrapper in a wrapper names the model inside.
    let inner = Router::new("b", says("b")).route("c", says("c")).rule(|_| "c");
    let output = Clerk::builder().model(Fallback::new(first).or(inner)).run("Hi.").await.unwrap();
    assert_eq!(output.usage_by_model.get("c-1"), Some(Usage::new(7, 3)));
    assert_eq!(output.usage_by_model.total(), output.usage);
}

#[tokio::test(start_paused = true)]
async fn o3_a_run_asks_all_models_again_after_a_transient_error() {
    let busy = || (vec![], Err(ModelError::status(503, "busy", None)));
    let gone = || (vec![], Err(ModelError::status(404, "gone", None)));
    let a = Fake::new("a", [gone(), gone(), gone()]);
    let b = Fake::new("b", [busy(), busy(), (vec![], Ok(ModelResponse::text("Yes.")))]);
    let output = Clerk::builder().model(Fallback::new(a.clone()).or(b)).run("Hi.").await.unwrap();
    assert_eq!((output.text.as_str(), a.requests().len()), ("Yes.", 3));

    let model = Fallback::new(Fake::new("a", [gone()])).or(Fake::new("b", [gone()]));
    let error = Clerk::builder().model(model).run("Hi.").await.unwrap_err();
    assert!(
        matches!(&error, RunError::Model { source: ModelError::Status { status: 404, .. }, .. }),
        "{error}"
    );
}
