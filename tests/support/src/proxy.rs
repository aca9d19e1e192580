//! A TCP proxy that fails as networks do.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// The answer of PostgreSQL to COMMIT.
const COMMITTED: &[u8] = b"C\0\0\0\x0bCOMMIT\0";

const POLL: Duration = Duration::from_millis(5);

/// A direction in which a proxy passes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToServer,
    ToClient,
}

/// A proxy before a server on loopback. It works until the process ends.
pub struct Proxy {
    port: u16,
    faults: Arc<Faults>,
}

#[derive(Default)]
struct Faults {
    /// The directions in which bytes are held back: to the server, to the client.
    cut: [AtomicBool; 2],
    /// Number of answers to COMMIT up to the one that is swallowed; 0 for none.
    next: AtomicU32,
    /// The same, after one was swallowed.
    every: AtomicU32,
    swallowed: AtomicU32,
}

impl Proxy {
    /// Starts a proxy before a port of loopback.
    pub fn start(server: u16) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let faults = Arc::<Faults>::default();
        let shared = Arc::clone(&faults);
        spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) {
                    connect(&client, &server, &shared);
                }
            }
        });
        Proxy { port, faults }
    }

    /// Port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Swallows the next answer to COMMIT, and closes its connection.
    pub fn swallow_next(&self) {
        self.faults.every.store(0, Ordering::SeqCst);
        self.faults.next.store(1, Ordering::SeqCst);
    }

    /// Swallows one of a number of answers to COMMIT, and closes its connection, again and again.
    pub fn swallow_one_in(&self, number: u32) {
        self.faults.every.store(number, Ordering::SeqCst);
        self.faults.next.store(number, Ordering::SeqCst);
    }

    /// Returns the number of answers that were swallowed.
    pub fn swallowed(&self) -> u32 {
        self.faults.swallowed.load(Ordering::SeqCst)
    }

    /// Holds back the bytes of a direction, as a network does that loses packets.
    pub fn cut(&self, way: Way) {
        self.faults.cut[way as usize].store(true, Ordering::SeqCst);
    }

    /// Passes on what was held back, and all that comes.
    pub fn heal(&self) {
        for cut in &self.faults.cut {
            cut.store(false, Ordering::SeqCst);
        }
    }
}

impl Faults {
    fn swallows(&self, answer: &[u8]) -> bool {
        if !answer.windows(COMMITTED.len()).any(|bytes| bytes == COMMITTED) {
            return false;
        }
        let every = self.every.load(Ordering::SeqCst);
        let counted = self
            .next
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |next| match next {
                0 => None,
                1 => Some(every),
                next => Some(next - 1),
            });
        let swallows = counted == Ok(1);
        self.swallowed.fetch_add(u32::from(swallows), Ordering::SeqCst);
        swallows
    }
}

fn connect(client: &TcpStream, server: &TcpStream, faults: &Arc<Faults>) {
    let clones = || Some((client.try_clone().ok()?, server.try_clone().ok()?));
    if let (Some((client, server)), Some(back)) = (clones(), clones()) {
        pass(client, server, Way::ToServer, Arc::clone(faults));
        pass(back.1, back.0, Way::ToClient, Arc::clone(faults));
    }
}

/// Passes the bytes of one direction on, in a thread.
fn pass(mut from: TcpStream, mut to: TcpStream, way: Way, faults: Arc<Faults>) {
    // Messages are small, and the other side waits for each.
    let _ = to.set_nodelay(true);
    spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            while faults.cut[way as usize].load(Ordering::SeqCst) {
                sleep(POLL);
            }
            let bytes = &buffer[..length];
            if way == Way::ToClient && faults.swallows(bytes) {
                break;
            }
            if to.write_all(bytes).is_err() {
                break;
            }
        }
        // Both are at their end for both sides.
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
