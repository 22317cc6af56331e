//! Sources of tools whose code panics.

use std::sync::Arc;

use onionskin::servers::{BoxError, IntoToolServer, ToolProvider, ToolServer};
use onionskin::{BuildError, ScriptedModel, ScriptedTurn, agent};

type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Panics in the method of this name.
#[derive(Clone, Copy)]
struct Broken(&'static str);

impl Broken {
    fn in_method(self, method: &str) {
        assert_ne!(self.0, method, "the server is broken");
    }
}

impl IntoToolServer for Broken {
    fn into_server(self, _: &str) -> Result<Arc<dyn ToolServer>, BoxError> {
        self.in_method("into_server");
        Ok(Arc::new(self))
    }
}

impl ToolServer for Broken {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async {
            self.in_method("start");
            Ok(())
        })
    }

    fn provider(
        &self,
        _: &str,
        _: Option<&'static [&'static str]>,
    ) -> Result<Arc<dyn ToolProvider>, BoxError> {
        self.in_method("provider");
        Ok(Arc::new(Empty))
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { self.in_method("shutdown") })
    }

    fn kill(&self) {
        self.in_method("kill");
    }
}

struct Empty;

impl ToolProvider for Empty {
    fn generation(&self) -> u64 {
        0
    }

    fn tools(&self) -> Vec<Arc<dyn onionskin::DynTool>> {
        Vec::new()
    }
}

agent! { User { instruction: "Answer.", servers: [broken] } }

async fn build(method: &'static str) -> Result<onionskin::AgentHandle, BuildError> {
    let model = ScriptedModel::turns([ScriptedTurn::say("done")]);
    User::builder().model(model).server("broken", Broken(method)).build().await
}

#[tokio::test]
async fn a4_a_panic_of_a_source_of_tools_is_an_error_of_the_build() {
    for (method, doing) in
        [("into_server", "was made"), ("start", "started"), ("provider", "listed its tools")]
    {
        let Err(error) = build(method).await else { panic!("`{method}` panicked and the agent was built") };
        assert!(matches!(error, BuildError::Server(_)), "{error}");
        let error = error.to_string();
        let expected = format!("the server `broken` panicked when it {doing}: ");
        assert!(error.starts_with(&expected) && error.contains("the server is broken"), "{error}");
    }
}

#[tokio::test]
async fn a4_a_server_that_panics_at_its_end_does_not_take_the_host_down() {
    build("shutdown").await.unwrap().shutdown().await;

    // A second panic while a thread unwinds would end the process.
    let agent = build("kill").await.unwrap();
    let panicked = std::thread::spawn(move || {
        let _agent = agent;
        panic!("of the program's own");
    });
    let panic = panicked.join().unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"of the program's own"));
}
