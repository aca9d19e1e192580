//! The connections of a server: the room that they share, and the pace of their clients.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Sleep;

use crate::limits::Limits;

/// The open connections.
///
/// A new connection to a full server closes the one whose client has been idle for the longest.
/// Other clients, even those of the same address, can therefore connect although one client opens
/// many connections and sends nothing.
pub(crate) struct Connections {
    limits: Limits,
    /// Proxies, whose connections have the requests of many.
    proxies: Vec<IpAddr>,
    began: Instant,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    by_number: HashMap<u64, Arc<Connection>>,
}

pub(crate) struct Connection {
    /// The address that it counts for. Programs of this machine and proxies share theirs with
    /// others, so they have none.
    peer: Option<IpAddr>,
    began: Instant,
    /// Milliseconds after `began` when the client last sent or took a byte.
    moved_at: AtomicU64,
    /// The server works on a request that has arrived.
    is_answering: AtomicBool,
    /// Rung when it has to make room.
    gives_way: Notify,
}

/// The room of a connection, which is free again when it is dropped.
pub(crate) struct Room {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) connection: Arc<Connection>,
}

impl Connections {
    pub(crate) fn new(limits: Limits, proxies: Vec<IpAddr>) -> Connections {
        Connections {
            limits,
            proxies,
            began: Instant::now(),
            open: Mutex::default(),
        }
    }

    /// Makes room for a connection. Returns `None` if the server works for all that are open.
    pub(crate) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Room> {
        let address = address.to_canonical();
        let is_shared = address.is_loopback() || self.proxies.contains(&address);
        let peer = (!is_shared).then(|| network(address));
        let mut open = self.open();
        let is_own = |other: &Connection| peer.is_some() && other.peer == peer;
        let own = open.by_number.values().filter(|other| is_own(other)).count();
        let has_share = own >= self.limits.of_one;
        if has_share || open.by_number.len() >= self.limits.connections {
            let waiting = open.by_number.iter().filter(|(_, other)| {
                !other.is_answering.load(Ordering::Relaxed) && (!has_share || is_own(other))
            });
            let (number, _) = waiting.min_by_key(|(_, other)| other.moved_at.load(Ordering::Relaxed))?;
            let number = *number;
            let closed = open.by_number.remove(&number)?;
            closed.gives_way.notify_one();
        }
        open.last += 1;
        let connection = Arc::new(Connection {
            peer,
            began: self.began,
            moved_at: AtomicU64::new(self.began.elapsed().as_millis() as u64),
            is_answering: AtomicBool::new(false),
            gives_way: Notify::new(),
        });
        let number = open.last;
        open.by_number.insert(number, Arc::clone(&connection));
        Some(Room {
            connections: Arc::clone(self),
            number,
            connection,
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.connections.open().by_number.remove(&self.number);
    }
}

impl Connection {
    /// Keeps the connection while the server works on a request.
    pub(crate) fn answer(self: &Arc<Self>) -> Answering {
        self.is_answering.store(true, Ordering::Relaxed);
        Answering(Arc::clone(self))
    }

    /// Waits until the connection has to make room for another.
    pub(crate) async fn gives_way(&self) {
        self.gives_way.notified().await;
    }

    fn moved(&self) {
        let now = self.began.elapsed().as_millis() as u64;
        self.moved_at.store(now, Ordering::Relaxed);
    }
}

pub(crate) struct Answering(Arc<Connection>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.moved();
        self.0.is_answering.store(false, Ordering::Relaxed);
    }
}

/// A stream that fails if its client takes nothing of an answer for too long.
pub(crate) struct Paced {
    stream: TcpStream,
    connection: Arc<Connection>,
    patience: Duration,
    /// The end of the patience with a client that takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(crate) fn new(stream: TcpStream, connection: Arc<Connection>, patience: Duration) -> Paced {
        Paced {
            stream,
            connection,
            patience,
            stalled: None,
        }
    }

    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            self.connection.moved();
            return written;
        }
        let patience = self.patience;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.connection.moved();
        }
        read
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Requests that are worked on, by the address of their client. A proxy has those of many on its
/// connections, so that the bound of connections does not hold them.
#[derive(Default)]
pub(crate) struct Clients(Mutex<HashMap<IpAddr, usize>>);

/// A request of a client.
pub(crate) struct Asking {
    clients: Arc<Clients>,
    client: IpAddr,
}

impl Clients {
    /// Counts a request. Returns `None` if a client has too many at the same time.
    pub(crate) fn enter(self: &Arc<Self>, client: IpAddr, most: usize) -> Option<Asking> {
        let client = network(client);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(client).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Asking {
            clients: Arc::clone(self),
            client,
        })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut counts = self.clients.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

/// An address of version 6 counts with the 2^64 of its network, which one client may have.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::from((u128::from(address) & !u128::from(u64::MAX)).to_be_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections() -> Arc<Connections> {
        let limits = Limits {
            connections: 4,
            of_one: 2,
            ..Limits::default()
        };
        Arc::new(Connections::new(limits, vec![IpAddr::from([10, 0, 0, 9])]))
    }

    fn has_place(room: &Room) -> bool {
        room.connections.open().by_number.contains_key(&room.number)
    }

    #[test]
    fn the_idlest_connection_makes_room_and_none_that_is_worked_for() {
        let connections = connections();
        let local = IpAddr::from([127, 0, 0, 1]);
        let rooms: Vec<Room> = (0..4).map(|_| connections.enter(local).unwrap()).collect();
        for (room, moved_at) in rooms.iter().zip([3, 1, 2, 4]) {
            room.connection.moved_at.store(moved_at, Ordering::Relaxed);
        }
        let answering = rooms[1].connection.answer();
        let fifth = connections.enter(local).unwrap();
        let open: Vec<bool> = rooms.iter().map(has_place).collect();
        assert_eq!(
            open,
            [true, true, false, true],
            "the third moved earliest of those that wait"
        );
        let all: Vec<Answering> = rooms.iter().map(|room| room.connection.answer()).collect();
        let last = fifth.connection.answer();
        assert!(connections.enter(local).is_none(), "all are worked for");
        drop((answering, all, last));
        assert!(connections.enter(local).is_some());
    }

    #[test]
    fn one_machine_takes_room_from_itself_alone() {
        let connections = connections();
        let [eve, ada] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let first = connections.enter(ada).unwrap();
        let of_eve: Vec<Room> = (0..3).map(|_| connections.enter(eve).unwrap()).collect();
        assert!(has_place(&first), "that of another machine stays");
        let open: Vec<bool> = of_eve.iter().map(has_place).collect();
        assert_eq!(open.iter().filter(|is_open| **is_open).count(), 2);
        assert!(open[2], "the new one came in");
        let [one, other] = ["2001:db8::1", "2001:db8::2"].map(|text| text.parse::<IpAddr>().unwrap());
        let clients = Arc::new(Clients::default());
        let asking = clients.enter(one, 1).unwrap();
        assert!(
            clients.enter(other, 1).is_none(),
            "one network of version 6 is one client"
        );
        assert!(clients.enter(eve, 1).is_some());
        drop(asking);
        assert!(clients.enter(other, 1).is_some());
        assert!(clients.0.lock().unwrap().is_empty());
    }
}
