//! The bounded queue between threads, on which the analysis schedule and its writer are built.

use std::sync::Arc;

use shuttle::thread;

use crate::util::handoff::Handoff;

pub(crate) const MODELS: &[(&str, fn())] = &[("queue", queue), ("queue-close", queue_close)];

fn put(queue: &Handoff<Vec<u32>>, item: u32) -> bool {
    queue.put(|items| {
        let has_room = items.is_empty();
        if has_room {
            items.push(item);
        }
        has_room
    })
}

/// Every item that was put is taken once, in the order of its producer; nobody waits for ever.
fn queue() {
    let queue = Arc::new(Handoff::new(Vec::new()));
    let consumers: Vec<_> = (0..2)
        .map(|_| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || std::iter::from_fn(|| queue.take(Vec::pop)).collect::<Vec<u32>>())
        })
        .collect();
    let producers: Vec<_> = [0, 10]
        .map(|first| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || assert!((first..first + 2).all(|item| put(&queue, item))))
        })
        .into();
    producers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    queue.close();
    let mut all = Vec::new();
    for thread in consumers {
        let taken = thread.join().unwrap();
        let of_first: Vec<u32> = taken.iter().copied().filter(|&item| item < 10).collect();
        assert!(of_first.is_sorted(), "{taken:?}");
        all.extend(taken);
    }
    all.sort_unstable();
    assert_eq!(all, [0, 1, 10, 11]);
}

/// Closing ends every wait, and what was put before is still taken, as a reader of the queue sees.
fn queue_close() {
    let queue = Arc::new(Handoff::new(Vec::new()));
    let producer = thread::spawn({
        let queue = Arc::clone(&queue);
        move || (0..3).take_while(|&item| put(&queue, item)).count()
    });
    let consumer = thread::spawn({
        let queue = Arc::clone(&queue);
        move || std::iter::from_fn(|| queue.take(Vec::pop)).take(2).count()
    });
    let closer = thread::spawn({
        let queue = Arc::clone(&queue);
        move || {
            queue.close();
            queue.with(std::mem::take).len()
        }
    });
    let put = producer.join().unwrap();
    assert_eq!(put, consumer.join().unwrap() + closer.join().unwrap());
    assert_eq!(queue.take(Vec::pop), None);
}
