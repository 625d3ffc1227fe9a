//! Tells Cargo that the program embeds the files of this folder, new ones too.

fn main() {
    println!("cargo:rerun-if-changed=src/web/page");
}
