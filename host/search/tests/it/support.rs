//! Verticals, and a server on loopback.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use magpie_model::{Attribute, Kind, VerticalInfo};
use magpie_web::{AddressPolicy, Client, ClientSettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Returns an attribute with flags: `r`equired, several values (`*`), part of a `q`uery,
/// `i`dentifying.
pub(crate) fn attribute(name: &str, kind: &str, signs: &str) -> Attribute {
    Attribute {
        required: signs.contains('r'),
        repeated: signs.contains('*'),
        identifies: signs.contains('i'),
        query: signs.contains('q'),
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

pub(crate) fn vertical(name: &str, object_type: &str, attributes: Vec<Attribute>) -> VerticalInfo {
    VerticalInfo {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        summary: name.to_owned(),
        object_type: object_type.to_owned(),
        attributes,
        ..VerticalInfo::default()
    }
}

pub(crate) fn events() -> VerticalInfo {
    let attributes = vec![
        attribute("name", "text", "iq"),
        attribute("start", "date-time", "ri"),
        attribute("end", "date-time", ""),
        attribute("venue", "place", "q"),
        attribute("address", "place", ""),
        attribute("price", "money", ""),
        attribute("organiser", "organisation", ""),
        attribute("performers", "person", "*"),
        attribute("url", "url", ""),
    ];
    vertical("events", "Event", attributes)
}

pub(crate) fn books() -> VerticalInfo {
    let attributes = vec![
        attribute("title", "text", "iqr"),
        attribute("subtitle", "text", ""),
        attribute("authors", "person", "iq*"),
        attribute("publisher", "organisation", ""),
        attribute("published", "date-time", ""),
        attribute("isbn", "identifier:isbn", "i"),
        attribute("format", "text", ""),
        attribute("pages", "number", ""),
        attribute("language", "language", ""),
    ];
    vertical("books", "Book", attributes)
}

pub(crate) fn products() -> VerticalInfo {
    let attributes = vec![
        attribute("name", "text", "iqr"),
        attribute("brand", "organisation", "q"),
        attribute("model", "text", ""),
        attribute("gtin", "identifier:gtin", "i"),
        attribute("mpn", "identifier:mpn", ""),
        attribute("specifications", "properties", ""),
    ];
    vertical("products", "Product", attributes)
}

/// The reaction of a server to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// These bytes, then the connection ends.
    Bytes(Vec<u8>),
    /// Nothing, for ever.
    Silence,
    /// The connection ends at once.
    Close,
}

impl Reply {
    /// A response with these fields (each with its line break) and a body.
    pub(crate) fn new(status: u16, fields: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = body.as_ref();
        let head = format!(
            "HTTP/1.1 {status} Said\r\nContent-Length: {}\r\nConnection: close\r\n{fields}\r\n",
            body.len()
        );
        Reply::Bytes([head.as_bytes(), body].concat())
    }

    pub(crate) fn json(body: &str) -> Reply {
        Reply::new(200, "Content-Type: application/json\r\n", body)
    }
}

/// A server that gives its replies one after the other, the last one again and again.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) async fn start(replies: impl Into<Vec<Reply>>) -> Server {
        let replies = replies.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
        };
        let asked = Arc::clone(&server.asked);
        tokio::spawn(async move {
            for turn in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let reply = replies[turn.min(replies.len() - 1)].clone();
                tokio::spawn(serve(stream, reply, Arc::clone(&asked)));
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The heads of the requests so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, asked: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    asked.lock().unwrap().push(String::from_utf8(head).unwrap());
    match reply {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Silence => tokio::time::sleep(Duration::from_secs(600)).await,
        Reply::Close => {}
    }
}

/// A client that may talk to this machine.
pub(crate) fn client() -> Client {
    let settings = ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
        ..ClientSettings::default()
    };
    Client::new(settings).unwrap()
}
