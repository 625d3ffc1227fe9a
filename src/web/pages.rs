//! The open pages. A page is there as long as its stream of events.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::http::StatusCode;
use parking_lot::Mutex;
use serde_json::json;

use super::error::ApiError;
use super::job::Work;
use super::page_state::Page;
use super::slots::Slots;
use super::worker;
use crate::params::Params;
use crate::util::quote::shorten;
use crate::util::random::mix;

/// The longest name of a page.
const MOST_LETTERS: usize = 32;

pub(super) struct Pages {
    most: usize,
    open: Mutex<HashMap<String, Arc<Page>>>,
    slots: Arc<Slots>,
    /// The parameters of the engines, with the memory of all of them.
    params: Params,
    /// The pages that had an engine so far.
    started: AtomicU64,
    /// The last event of each kind that all pages were told, for those that come later.
    told: Mutex<BTreeMap<&'static str, String>>,
}

impl Pages {
    pub(super) fn new(most: usize, engines: usize, params: &Params) -> Self {
        let engines = engines.max(1);
        Self {
            most: most.max(1),
            open: Mutex::default(),
            slots: Arc::new(Slots::new(engines, params.memory)),
            params: params.clone(),
            started: AtomicU64::new(0),
            told: Mutex::default(),
        }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Opens a page; an open one with this name is closed.
    ///
    /// # Errors
    /// The name is wrong, or there are too many pages.
    pub(super) fn enter(&self, id: &str) -> Result<Arc<Page>, ApiError> {
        let is_name = !id.is_empty() && id.len() <= MOST_LETTERS;
        if !is_name || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
            let id = shorten(id, 60);
            let text =
                format!("invalid page `{id}`: expected 1 to {MOST_LETTERS} letters or digits");
            return Err(ApiError::content(text));
        }
        let mut open = self.open.lock();
        if !open.contains_key(id) && open.len() >= self.most {
            let text = format!("{} pages are open already; close one", open.len());
            return Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, text));
        }
        let page = Arc::new(Page::new(id));
        if let Some(old) = open.insert(id.to_string(), Arc::clone(&page)) {
            old.close();
        }
        Ok(page)
    }

    /// Greets a page that was just opened.
    pub(super) fn greet(&self, page: &Page) {
        let hello = json!({ "page": page.id, "version": env!("CARGO_PKG_VERSION") });
        page.announce("hello", hello.to_string());
        for (name, data) in &*self.told.lock() {
            page.announce(name, data.clone());
        }
    }

    /// Tells something to all pages.
    pub(super) fn tell(&self, name: &'static str, data: String) {
        self.told.lock().insert(name, data.clone());
        for page in self.open.lock().values() {
            page.announce(name, data.clone());
        }
    }

    /// Closes a page whose stream has ended.
    pub(super) fn leave(&self, page: &Arc<Page>) {
        page.close();
        let mut open = self.open.lock();
        if open.get(&page.id).is_some_and(|now| Arc::ptr_eq(now, page)) {
            open.remove(&page.id);
        }
    }

    /// The open page with this name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn find(&self, id: &str) -> Result<Arc<Page>, ApiError> {
        self.open.lock().get(id).cloned().ok_or_else(|| {
            let text = format!("page `{}` has no stream of events", shorten(id, 60));
            ApiError::new(StatusCode::CONFLICT, text)
        })
    }

    /// Gives a page something to compute, in place of what it computes now.
    ///
    /// # Errors
    /// There is no such page, or no thread for it.
    pub(super) fn submit(&self, page: &str, id: u64, work: Work) -> Result<(), ApiError> {
        let page = self.find(page)?;
        if page.submit(id, work)
            && worker::start(&page, Arc::clone(&self.slots), self.params_of_page()).is_err()
        {
            page.has_no_thread();
            page.stop();
            let text = "the system cannot start a thread for the engine; try again later";
            return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, text));
        }
        Ok(())
    }

    /// The parameters of the engine of another page. Two games against the same level should differ.
    fn params_of_page(&self) -> Params {
        let number = self.started.fetch_add(1, Relaxed);
        Params {
            seed: mix(self.params.seed ^ number),
            memory: self.slots.part(),
            ..self.params.clone()
        }
    }

    /// Frees engines that work for nobody, and closes pages that are gone. To be called now and then.
    pub(super) fn look_after(&self) {
        let mut open = self.open.lock();
        for (_, page) in open.extract_if(|_, page| page.check_stream()) {
            page.close();
        }
    }

    /// Closes all pages.
    pub(super) fn close(&self) {
        for (_, page) in self.open.lock().drain() {
            page.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_only_so_many_pages_and_a_name_is_taken_over() {
        let pages = Pages::new(2, 1, &Params::default());
        let first = pages.enter("a").unwrap();
        let second = pages.enter("b").unwrap();
        assert_eq!(pages.enter("c").err().unwrap().status.as_u16(), 429);
        let again = pages.enter("a").unwrap();
        // The end of the old stream does not close the new page.
        pages.leave(&first);
        assert!(Arc::ptr_eq(&pages.find("a").unwrap(), &again));
        pages.leave(&second);
        assert_eq!(pages.find("b").err().unwrap().status.as_u16(), 409);
        assert!(pages.enter("c").is_ok());
    }

    #[test]
    fn names_are_letters_and_digits() {
        let pages = Pages::new(2, 1, &Params::default());
        for id in ["", "a b", "../a", "é", &"a".repeat(MOST_LETTERS + 1)] {
            assert_eq!(pages.enter(id).err().unwrap().status.as_u16(), 422, "{id}");
        }
    }
}
