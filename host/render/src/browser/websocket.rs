//! The DevTools endpoint of a browser that runs: a WebSocket (RFC 6455) on this machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use url::{Host, Url};

use super::connection::{Connection, Incoming, MAX_MESSAGE};

/// Bytes of the answers before the first message.
const MAX_ANSWER: u64 = 64 << 10;

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Answers to pings that wait to be sent.
const MAX_PONGS: usize = 16;

/// Bytes of a control frame (RFC 6455, 5.5).
const MAX_CONTROL: u64 = 125;

/// Connects to the browser behind an endpoint such as `http://127.0.0.1:9222`.
pub(super) async fn connect(endpoint: &Url) -> Result<Connection, String> {
    let address = loopback(endpoint)?;
    let path = browser_path(&address).await?;
    let mut stream = BufReader::new(open(&address).await?);
    let key = STANDARD.encode(*b"magpie-websocket");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    );
    stream
        .write_all(request.as_bytes())
        .await
        .map_err(|error| error.to_string())?;
    let head = read_head(&mut stream).await?;
    if !head.starts_with("HTTP/1.1 101") {
        return Err(format!(
            "it answered {:?}",
            head.lines().next().unwrap_or_default()
        ));
    }
    Ok(run(stream))
}

/// Returns host and port of an endpoint on this machine.
fn loopback(endpoint: &Url) -> Result<String, String> {
    let is_loopback = match endpoint.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    // A browser of another machine could be made to read its files and to send requests there.
    let host = endpoint
        .host_str()
        .filter(|_| is_loopback && endpoint.scheme() == "http");
    let host = host.ok_or("expected a URL of this machine such as http://127.0.0.1:9222")?;
    Ok(format!(
        "{host}:{}",
        endpoint.port_or_known_default().unwrap_or(80)
    ))
}

/// Asks for the path of the browser's own WebSocket.
async fn browser_path(address: &str) -> Result<String, String> {
    let mut stream = BufReader::new(open(address).await?);
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .map_err(|error| error.to_string())?;
    let head = read_head(&mut stream).await?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<u64>().ok())?
    });
    let mut body = Vec::new();
    let limit = length.unwrap_or(MAX_ANSWER).min(MAX_ANSWER);
    stream
        .take(limit)
        .read_to_end(&mut body)
        .await
        .map_err(|error| error.to_string())?;
    let answer: Value = serde_json::from_slice(&body).map_err(|_| "it does not answer as a browser does")?;
    let url = answer["webSocketDebuggerUrl"]
        .as_str()
        .and_then(|url| Url::parse(url).ok());
    let url = url.ok_or("its answer names no `webSocketDebuggerUrl`")?;
    // The host that it names may be another.
    Ok(url.path().to_owned())
}

async fn open(address: &str) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(stream)
}

async fn read_head(stream: &mut BufReader<TcpStream>) -> Result<String, String> {
    let mut head = String::new();
    let mut limited = stream.take(MAX_ANSWER);
    loop {
        let read = limited
            .read_line(&mut head)
            .await
            .map_err(|error| error.to_string())?;
        if read == 0 {
            return Err("it does not answer as a server does".to_owned());
        }
        if head.ends_with("\r\n\r\n") {
            return Ok(head);
        }
    }
}

/// Carries messages in both directions until one side ends.
fn run(stream: BufReader<TcpStream>) -> Connection {
    let (connection, incoming, mut to_send) = Connection::new();
    let (mut reader, mut writer) = tokio::io::split(stream);
    let (pongs, mut to_pong) = mpsc::channel::<Vec<u8>>(MAX_PONGS);
    tokio::spawn(async move {
        loop {
            let frame = tokio::select! {
                message = to_send.recv() => message.map(|message| masked(TEXT, message.as_bytes())),
                payload = to_pong.recv() => payload.map(|payload| masked(PONG, &payload)),
            };
            let Some(frame) = frame else { break };
            if writer.write_all(&frame).await.is_err() || writer.flush().await.is_err() {
                break;
            }
        }
    });
    tokio::spawn(async move { listen(&mut reader, &incoming, &pongs).await });
    connection
}

/// Takes in the messages of a browser until it ends or sends what no browser does.
pub(crate) async fn listen(
    reader: &mut (impl AsyncRead + Unpin),
    incoming: &Incoming,
    pongs: &mpsc::Sender<Vec<u8>>,
) {
    let mut message = Vec::new();
    while let Ok((kind, is_last)) = read_frame(reader, &mut message).await {
        match kind {
            CLOSE => break,
            PING => {
                // One that asks faster than it reads goes without the answers.
                let _ = pongs.try_send(std::mem::take(&mut message));
            }
            PONG => message.clear(),
            _ if is_last => {
                if !incoming.take(&message) {
                    break;
                }
                message.clear();
            }
            _ => {}
        }
    }
}

/// Reads a frame and adds its payload to the message. Chromium sends no control frames between the
/// parts of a message.
async fn read_frame(
    reader: &mut (impl AsyncRead + Unpin),
    message: &mut Vec<u8>,
) -> std::io::Result<(u8, bool)> {
    let first = reader.read_u8().await?;
    let second = reader.read_u8().await?;
    let length = match second & 0x7f {
        126 => u64::from(reader.read_u16().await?),
        127 => reader.read_u64().await?,
        length => u64::from(length),
    };
    let is_masked = second & 0x80 != 0;
    // RFC 6455, 5.1: a server must not mask its frames. The length is checked before anything is
    // read.
    let is_control = first & 0x08 != 0;
    let is_too_long = is_control && length > MAX_CONTROL;
    let room = MAX_MESSAGE.saturating_sub(message.len()) as u64;
    if is_masked || is_too_long || length > room {
        return Err(std::io::Error::other("not a frame of a server"));
    }
    let read = reader.take(length).read_to_end(message).await?;
    if read as u64 != length {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok((first & 0x0f, first & 0x80 != 0))
}

/// Returns a frame of a client. The mask hides nothing on this machine, so it is all zeros.
fn masked(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | kind];
    match payload.len() {
        length @ 0..126 => frame.push(0x80 | length as u8),
        length @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            frame.push(0x80 | 127);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(payload);
    frame
}
