//! The open connections. Their number is limited: a new one replaces the oldest that has not shown the
//! token, so connections that send nothing keep nobody out.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use parking_lot::Mutex;
use tokio::sync::Notify;

/// The most connections at once.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Connections(Mutex<VecDeque<Arc<Entry>>>);

#[derive(Default)]
struct Entry {
    is_trusted: AtomicBool,
    dismissed: Notify,
}

/// One connection. The handlers of its requests have copies.
#[derive(Clone)]
pub(super) struct Connection {
    /// The address of this side.
    pub(super) local: SocketAddr,
    entry: Arc<Entry>,
}

impl Connection {
    /// Notes that a request had the token.
    pub(super) fn trust(&self) {
        self.entry.is_trusted.store(true, Relaxed);
    }

    /// Waits until the connection has to go.
    pub(super) async fn dismissed(&self) {
        self.entry.dismissed.notified().await;
    }
}

impl Connections {
    /// Admits a connection to `local`, if there is room or room can be made.
    pub(super) fn enter(&self, local: SocketAddr) -> Option<Connection> {
        let mut open = self.0.lock();
        if open.len() >= MOST {
            let is_stranger = |entry: &Arc<Entry>| !entry.is_trusted.load(Relaxed);
            let oldest = open.iter().position(is_stranger)?;
            if let Some(entry) = open.remove(oldest) {
                entry.dismissed.notify_one();
            }
        }
        let entry = Arc::<Entry>::default();
        open.push_back(Arc::clone(&entry));
        Some(Connection { local, entry })
    }

    pub(super) fn leave(&self, connection: &Connection) {
        let is_other = |entry: &Arc<Entry>| !Arc::ptr_eq(entry, &connection.entry);
        self.0.lock().retain(is_other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_make_room_and_trusted_connections_stay() {
        let connections = Connections::default();
        let local = "127.0.0.1:1".parse().unwrap();
        let first = connections.enter(local).unwrap();
        first.trust();
        let mut others = Vec::new();
        for _ in 0..2 * MOST {
            others.push(connections.enter(local).unwrap());
        }
        let open = connections
            .0
            .lock()
            .iter()
            .map(Arc::clone)
            .collect::<Vec<_>>();
        assert_eq!(open.len(), MOST);
        assert!(Arc::ptr_eq(&open[0], &first.entry));
        assert!(Arc::ptr_eq(&open[MOST - 1], &others.last().unwrap().entry));
        others.iter().for_each(Connection::trust);
        assert!(connections.enter(local).is_none());
        connections.leave(&first);
        assert!(connections.enter(local).is_some());
    }
}
