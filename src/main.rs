//! The `tanada` program.
use tanada::params::*;
use tanada::search::Limits;
use tanada::tanbo::*;
use tanada::*;
#[allow(clippy::print_stdout)]
fn main() {
    for (side, named) in [
        (9, Named::Classic),
        (13, Named::Classic),
        (19, Named::Classic),
        (7, Named::Dense),
    ] {
        for preset in ["linear", "playout"] {
            for threads in [1, 2] {
                let size = grid::BoardSize::new(side).unwrap();
                let start = named.setup(size, 2).unwrap().check(None).unwrap();
                let mut p = Params::preset(preset).unwrap();
                p.threads = threads;
                p.seed = 1;
                let mut e = engine::Engine::new(start, p);
                let r = e.search(
                    &Limits {
                        deadline: Some(
                            std::time::Instant::now() + std::time::Duration::from_millis(1000),
                        ),
                        iterations: None,
                    },
                    &|| false,
                );
                println!(
                    "{side} {named:?} {preset} {threads}: it {} ce {} nodes {} el {:?} best {} {:.3} v{} pv {:?}",
                    r.iterations,
                    r.child_evaluations,
                    r.nodes,
                    r.elapsed,
                    vertex::name(r.moves[0].mv, size),
                    r.moves[0].value,
                    r.moves[0].visits,
                    r.moves[0]
                        .principal_variation
                        .iter()
                        .map(|&p| vertex::name(p, size))
                        .collect::<Vec<_>>()
                );
            }
        }
    }
    // self-play
    let size = grid::BoardSize::new(9).unwrap();
    let start = Named::Classic.setup(size, 2).unwrap().check(None).unwrap();
    let mut p = Params::preset("linear").unwrap();
    p.threads = 1;
    p.seed = 1;
    let mut e = engine::Engine::new(start, p);
    while e.winner().is_none() {
        let r = e.search(
            &Limits {
                deadline: None,
                iterations: Some(1000),
            },
            &|| false,
        );
        print!(
            "{}:{:.2}:{} ",
            vertex::name(r.moves[0].mv, size),
            r.moves[0].value,
            r.iterations
        );
        e.play(r.moves[0].mv).unwrap();
    }
    println!("winner {:?} {}", e.winner(), e.moves().len());
}
