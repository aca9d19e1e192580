//! Servers on loopback, and a client that may talk to them.

pub(crate) mod frames;
pub(crate) mod tls;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use magpie_web::{AddressPolicy, Client, ClientSettings, Exchange, FetchError, Request, Timeouts};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<Any: AsyncRead + AsyncWrite + Unpin + Send> Stream for Any {}

/// A request as a server sees it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Index of the connection that it came over.
    pub(crate) connection: usize,
    pub(crate) target: String,
    pub(crate) head: String,
}

impl Asked {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

pub(crate) type Handling<'a> = Pin<Box<dyn Future<Output = std::io::Result<bool>> + Send + 'a>>;

/// Answers a request; says whether the connection stays.
pub(crate) trait Handler: Send + Sync + 'static {
    fn answer<'a>(&'a self, asked: &'a Asked, stream: &'a mut dyn Stream) -> Handling<'a>;
}

impl<Function> Handler for Function
where
    Function: for<'a> Fn(&'a Asked, &'a mut dyn Stream) -> Handling<'a> + Send + Sync + 'static,
{
    fn answer<'a>(&'a self, asked: &'a Asked, stream: &'a mut dyn Stream) -> Handling<'a> {
        self(asked, stream)
    }
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Serves HTTP/1 with hand-written answers.
    pub(crate) async fn start(handler: impl Handler) -> Server {
        Server::start_over(handler, |stream| async { Some(stream) }).await
    }

    /// The same over what is made of each connection, such as TLS.
    pub(crate) async fn start_over<Made, Making>(
        handler: impl Handler,
        make: impl Fn(tokio::net::TcpStream) -> Making + Send + Sync + 'static,
    ) -> Server
    where
        Made: Stream + 'static,
        Making: Future<Output = Option<Made>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
        };
        let (asked, handler) = (Arc::clone(&server.asked), Arc::new(handler));
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let _ = stream.set_nodelay(true);
                let (asked, handler, made) = (Arc::clone(&asked), Arc::clone(&handler), make(stream));
                tokio::spawn(async move {
                    if let Some(stream) = made.await {
                        serve(stream, connection, &asked, handler.as_ref()).await;
                    }
                });
            }
        });
        server
    }

    /// Answers every request with the same bytes and keeps the connection.
    pub(crate) async fn always(response: impl Into<Vec<u8>>) -> Server {
        let response = response.into();
        Server::start(handler(move |_, stream| respond(stream, response.clone(), true))).await
    }

    pub(crate) fn url(&self, target: &str) -> Url {
        Url::parse(&format!("http://{}{target}", self.address)).unwrap()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// A handler for closures, whose lifetimes the compiler does not find by itself.
pub(crate) fn handler<Function>(function: Function) -> Function
where
    Function: for<'a> Fn(&'a Asked, &'a mut dyn Stream) -> Handling<'a> + Send + Sync + 'static,
{
    function
}

pub(crate) fn respond<'a>(
    stream: &'a mut dyn Stream,
    response: impl Into<Vec<u8>>,
    stays: bool,
) -> Handling<'a> {
    let response = response.into();
    Box::pin(async move {
        stream.write_all(&response).await?;
        stream.flush().await?;
        Ok(stays)
    })
}

async fn serve(mut stream: impl Stream, connection: usize, asked: &Mutex<Vec<Asked>>, handler: &dyn Handler) {
    loop {
        let Some(head) = read_head(&mut stream).await else {
            return;
        };
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let request = Asked {
            connection,
            target,
            head,
        };
        asked.lock().unwrap().push(request.clone());
        match handler.answer(&request, &mut stream).await {
            Ok(true) => {}
            Ok(false) => {
                let _ = stream.shutdown().await;
                return;
            }
            Err(_) => return,
        }
    }
}

/// Reads up to the empty line.
pub(crate) async fn read_head(stream: &mut (impl AsyncRead + Unpin + ?Sized)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// A response with a length.
pub(crate) fn page(fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut response = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n",
        body.len()
    )
    .into_bytes();
    response.extend_from_slice(body);
    response
}

/// A client that may talk to this machine.
pub(crate) fn client() -> Client {
    client_with(|_| ())
}

pub(crate) fn client_with(change: impl FnOnce(&mut ClientSettings)) -> Client {
    let mut settings = ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
        ..ClientSettings::default()
    };
    change(&mut settings);
    Client::new(settings).unwrap()
}

/// Short timeouts for tests, with room for a busy machine where something must succeed within them.
pub(crate) fn short_timeouts() -> Timeouts {
    Timeouts {
        dns: Duration::from_secs(3),
        connect: Duration::from_secs(3),
        tls: Duration::from_secs(3),
        first_byte: Duration::from_secs(3),
        idle: Duration::from_secs(2),
        whole: Duration::from_secs(5),
        minimum_rate: 1000,
        rate_grace: Duration::from_secs(3),
    }
}

pub(crate) async fn get(client: &Client, url: Url) -> Exchange {
    client.fetch(&Request::new(url)).await.unwrap()
}

pub(crate) async fn fail(client: &Client, url: Url) -> FetchError {
    client.fetch(&Request::new(url)).await.unwrap_err()
}
