//! A collector of OpenTelemetry's protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// A request to the collector: its path, its headers, its body.
#[derive(Clone)]
pub(crate) struct Sent {
    path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A collector on the loopback.
#[derive(Clone, Default)]
pub(crate) struct Collector(Arc<Mutex<Vec<Sent>>>);

impl Collector {
    pub(crate) fn start() -> (Self, String) {
        let collector = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let kept = collector.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = kept.clone();
                thread::spawn(move || kept.serve(stream.unwrap()));
            }
        });
        (collector, address)
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).unwrap() == 0 {
                    return;
                }
            }
            let lower = head.to_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let path = head.split(' ').nth(1).unwrap().to_owned();
            self.0.lock().unwrap().push(Sent { path, head: lower, body });
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
    }

    #[must_use]
    pub(crate) fn sent(&self, path: &str) -> Vec<Sent> {
        self.0.lock().unwrap().iter().filter(|sent| sent.path == path).cloned().collect()
    }

    /// The spans in the order of their ends, and the attributes of their resources.
    #[must_use]
    pub(crate) fn spans(&self) -> (Vec<Vec<KeyValue>>, Vec<Span>) {
        let (mut resources, mut spans) = (Vec::new(), Vec::new());
        for sent in self.sent("/v1/traces") {
            assert!(sent.head.contains("\r\ncontent-type: application/x-protobuf\r\n"), "{}", sent.head);
            for of in ExportTraceServiceRequest::decode(&*sent.body).unwrap().resource_spans {
                resources.push(of.resource.unwrap().attributes);
                spans.extend(of.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        (resources, spans)
    }
}

#[must_use]
pub(crate) fn value(of: &[KeyValue], name: &str) -> Option<Value> {
    of.iter().find(|one| one.key == name)?.value.clone()?.value
}

#[must_use]
pub(crate) fn is_text(of: &[KeyValue], name: &str, text: &str) -> bool {
    value(of, name) == Some(Value::StringValue(text.to_owned()))
}
