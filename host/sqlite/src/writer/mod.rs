//! The only writer: a thread that owns the writing connection and the archive, and puts results
//! into batches.
//!
//! A batch is one transaction: records go to the archive, rows into the open transaction; at the
//! end the archive is synced to the disk, and the transaction is committed. A durable commit
//! therefore never names a missing record.
//!
//! The first error ends the writer: the batch is rolled back in the database and in the archive,
//! all waiting callers get the error, and later results are refused.

pub(crate) mod archives;
pub(crate) mod batch;
pub(crate) mod bodies;
pub(crate) mod components;
pub(crate) mod index;
pub(crate) mod links;
pub(crate) mod recorder;
pub(crate) mod rows;
pub(crate) mod tally;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle, Thread, park_timeout};
use std::time::Duration;

use magpie_archive::Archives;
use magpie_rows::{Filed, StoreError};
use rusqlite::Connection;

use crate::workspace::connect::count_trip;
use crate::workspace::options::{OnCommit, WorkspaceOptions};
use crate::writer::recorder::Recorder;

type Task = Box<dyn FnOnce(&Connection) -> rusqlite::Result<()> + Send>;

enum Job {
    File(Box<Filed>),
    /// A small change that goes with the batch.
    Write(u64, Task),
    /// Work in a transaction of its own, after everything before it is committed. It sends its own
    /// answer.
    Run(Task, SyncSender<Result<(), StoreError>>),
    Flush(SyncSender<Result<(), StoreError>>),
    /// Commits what is there and closes the archive, to which nothing is added any more.
    Seal(SyncSender<Result<(), StoreError>>),
    Stop(SyncSender<Result<(), StoreError>>),
}

/// Interval at which the writer takes results, unless a caller waits for it.
const GATHERING: Duration = Duration::from_millis(5);

/// The handle for sending results to the writer.
pub(crate) struct Writer {
    sender: Sender<Job>,
    shared: Arc<Shared>,
    /// Woken when a caller waits.
    worker: Thread,
    thread: Mutex<Option<JoinHandle<()>>>,
    room: usize,
}

struct Shared {
    /// The sequence up to which everything is durable.
    committed: AtomicU64,
    state: Mutex<State>,
    /// Rung when there is room again.
    room: Condvar,
    on_commit: Option<OnCommit>,
}

#[derive(Default)]
struct State {
    /// Bytes of results that wait.
    waiting: usize,
    /// The error that ended the writer, until it is reported.
    failure: Option<StoreError>,
    /// The same in words, for everybody after that; whether a full disk was the cause.
    stopped: Option<(String, bool)>,
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        database: &Path,
        archives: Archives,
        options: &WorkspaceOptions,
    ) -> Result<Writer, StoreError> {
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared {
            committed: AtomicU64::new(0),
            state: Mutex::default(),
            room: Condvar::new(),
            on_commit: options.on_commit.clone(),
        });
        let recorder = Recorder::new(connection, database.to_owned(), archives, options)?;
        let worker = Arc::clone(&shared);
        let thread = Builder::new()
            .name("magpie-writer".to_owned())
            .spawn(move || work(&receiver, recorder, &worker))
            .map_err(|error| StoreError::file("can't start the writer of", database, error))?;
        Ok(Writer {
            sender,
            shared,
            worker: thread.thread().clone(),
            thread: Mutex::new(Some(thread)),
            room: options.batch.waiting_bytes,
        })
    }

    /// Waits until there is room for a number of bytes, and takes it.
    pub(crate) fn enter(&self, bytes: usize) -> Result<(), StoreError> {
        let mut state = self.shared.state();
        loop {
            state.check()?;
            // A result larger than all the room would wait for ever, so it goes alone.
            if state.waiting == 0 || state.waiting + bytes <= self.room {
                state.waiting += bytes;
                return Ok(());
            }
            // The writer may be gathering, and only its work makes room.
            self.worker.unpark();
            state = self
                .shared
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives room back that was not used.
    pub(crate) fn leave(&self, bytes: usize) {
        self.shared.leave(bytes);
    }

    /// Returns true if there is room for a page.
    pub(crate) fn has_room(&self) -> bool {
        self.shared.state().waiting < self.room / 2
    }

    pub(crate) fn file(&self, filed: Filed) -> Result<(), StoreError> {
        self.send(Job::File(Box::new(filed)))
    }

    /// Adds a small change to the batch.
    pub(crate) fn write(
        &self,
        sequence: u64,
        task: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.shared.state().check()?;
        self.send(Job::Write(sequence, Box::new(task)))
    }

    /// Does something in a transaction of its own and waits for it.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        count_trip();
        let (sender, answer) = sync_channel(1);
        let task: Task = Box::new(move |connection| {
            let value = task(connection)?;
            // The caller may be gone, which is harmless.
            let _ = sender.send(value);
            Ok(())
        });
        self.ask(|reply| Job::Run(task, reply))?;
        answer.recv().map_err(|_| self.ended())
    }

    /// Waits until everything before is durable.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        self.ask(Job::Flush)
    }

    /// Commits what is there and closes the archive, to which nothing is added any more.
    pub(crate) fn seal(&self) -> Result<(), StoreError> {
        self.ask(Job::Seal)
    }

    /// The sequence up to which everything is durable.
    pub(crate) fn committed(&self) -> u64 {
        self.shared.committed.load(Ordering::Acquire)
    }

    /// Commits what is there and ends.
    pub(crate) fn close(&self) -> Result<(), StoreError> {
        let result = self.ask(Job::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the writer was printed when it happened.
            let _ = thread.join();
        }
        result
    }

    fn ask(&self, job: impl FnOnce(SyncSender<Result<(), StoreError>>) -> Job) -> Result<(), StoreError> {
        self.shared.state().check()?;
        let (reply, answer) = sync_channel(1);
        self.send(job(reply))?;
        self.worker.unpark();
        answer.recv().map_err(|_| self.ended())?
    }

    fn send(&self, job: Job) -> Result<(), StoreError> {
        self.sender.send(job).map_err(|_| self.ended())
    }

    /// Returns the reason why the writer has ended.
    fn ended(&self) -> StoreError {
        match self.shared.state().check() {
            Err(error) => error,
            Ok(()) => StoreError::Stopped {
                cause: "it was closed".to_owned(),
                disk_full: false,
            },
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.thread.get_mut().is_ok_and(|thread| thread.is_some()) {
            // `drop` can't return the error. A caller that needs it calls `close`.
            let _ = self.close();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, bytes: usize) {
        let mut state = self.state();
        state.waiting = state.waiting.saturating_sub(bytes);
        drop(state);
        self.room.notify_all();
    }

    /// Says up to where everything is durable, if that is news.
    fn committed(&self, sequence: u64) {
        let before = self.committed.swap(sequence, Ordering::AcqRel);
        if before == sequence {
            return;
        }
        if let Some(OnCommit(told)) = &self.on_commit {
            told(sequence);
        }
    }

    fn failed(&self, error: StoreError) {
        let mut state = self.state();
        if state.stopped.is_none() {
            state.stopped = Some((error.to_string(), error.is_disk_full()));
            state.failure = Some(error);
        }
        drop(state);
        // Callers that wait for room would wait for ever.
        self.room.notify_all();
        if let Some(OnCommit(told)) = &self.on_commit {
            told(self.committed.load(Ordering::Acquire));
        }
    }
}

impl State {
    /// The first to ask gets the error itself, the others its words.
    fn check(&mut self) -> Result<(), StoreError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        match &self.stopped {
            None => Ok(()),
            Some((cause, disk_full)) => Err(StoreError::Stopped {
                cause: cause.clone(),
                disk_full: *disk_full,
            }),
        }
    }
}

/// Marks the writer as ended, also after a panic: callers that wait for room would otherwise wait
/// forever.
struct Ending<'a>(&'a Shared);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.failed(StoreError::Stopped {
            cause: "the writer ended".to_owned(),
            disk_full: false,
        });
    }
}

fn work(receiver: &Receiver<Job>, mut recorder: Recorder, shared: &Shared) {
    let _ending = Ending(shared);
    loop {
        let result = match next(receiver, recorder.time_left()) {
            Ok(Job::File(filed)) => {
                let weight = filed.weight;
                let result = recorder.file(&filed);
                shared.leave(weight);
                result
            }
            Ok(Job::Write(sequence, task)) => recorder.write(sequence, task),
            // A task has a transaction of its own. The open batch is committed first, so the task
            // sees it, and its failure does not undo it.
            Ok(Job::Run(task, reply)) => match commit(&mut recorder, shared) {
                // The task's own failure concerns only its caller: its transaction is rolled back
                // and nothing else has changed.
                Ok(()) => {
                    let _ = reply.send(recorder.run(task));
                    Ok(())
                }
                Err(error) => answer(&reply, Err(error), shared),
            },
            Ok(Job::Flush(reply)) => {
                let result = commit(&mut recorder, shared);
                answer(&reply, result, shared)
            }
            Ok(Job::Seal(reply)) => {
                let result = commit(&mut recorder, shared).and_then(|()| recorder.seal());
                answer(&reply, result, shared)
            }
            Ok(Job::Stop(reply)) => {
                let result = commit(&mut recorder, shared).and_then(|()| recorder.finish());
                let _ = answer(&reply, result, shared);
                shared.failed(StoreError::Stopped {
                    cause: "it was closed".to_owned(),
                    disk_full: false,
                });
                return;
            }
            Err(RecvTimeoutError::Timeout) => commit(&mut recorder, shared),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // A batch that was full was committed on the way.
        shared.committed(recorder.committed());
        if let Err(error) = result {
            // The first error ends the writer. Later results may depend on the one that is lost,
            // such as a page on the URL that it was found on.
            recorder.abandon();
            shared.failed(error);
            return;
        }
    }
}

/// Returns the next job. Fails with a timeout if an open batch has to be committed first.
fn next(receiver: &Receiver<Job>, time_left: Option<Duration>) -> Result<Job, RecvTimeoutError> {
    match receiver.try_recv() {
        Ok(job) => return Ok(job),
        Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
        Err(TryRecvError::Empty) => {}
    }
    let Some(left) = time_left else {
        return receiver.recv().map_err(|_| RecvTimeoutError::Disconnected);
    };
    if left > GATHERING {
        // Waking the writer for each result would cost a system call and a switch of threads, after
        // which each thread finds its part of the CPU cache evicted by the other.
        park_timeout(GATHERING);
    }
    // If no result came meanwhile, the flow has stopped, and the next result may wake the writer.
    receiver.recv_timeout(left.saturating_sub(GATHERING))
}

/// Commits, and publishes the sequence before any caller gets its answer.
fn commit(recorder: &mut Recorder, shared: &Shared) -> Result<(), StoreError> {
    recorder.commit()?;
    shared.committed(recorder.committed());
    Ok(())
}

/// Answers the caller that waits. It gets a failure as it is; all others get its text.
fn answer(
    reply: &SyncSender<Result<(), StoreError>>,
    result: Result<(), StoreError>,
    shared: &Shared,
) -> Result<(), StoreError> {
    match result {
        Ok(()) => {
            let _ = reply.send(Ok(()));
            Ok(())
        }
        Err(error) => {
            let stopped = StoreError::Stopped {
                cause: error.to_string(),
                disk_full: error.is_disk_full(),
            };
            shared.failed(stopped);
            let mut state = shared.state();
            state.failure = None;
            drop(state);
            let _ = reply.send(Err(error));
            Err(StoreError::Stopped {
                cause: String::new(),
                disk_full: false,
            })
        }
    }
}
