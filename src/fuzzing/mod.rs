//! Entry points to private parts for the fuzz targets, which are a crate of their own.

pub mod files;
pub mod requests;
