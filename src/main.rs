//! The `tanada` program.
use tanada::cpu::*;
use tanada::game::*;
use tanada::random::Random;
use tanada::tanbo::*;
use tanada::*;
struct K<'a, const W: usize>(&'a Position<W, 2>, &'a mut Random, u32);
impl<const W: usize> Kernel for K<'_, W> {
    type Output = (u64, u64);
    #[inline(always)]
    fn run<B: Bits>(self) -> (u64, u64) {
        let mut moves = 0;
        let mut black = 0;
        for _ in 0..self.2 {
            let mut p = self.0.clone();
            loop {
                let m = Game::random_move::<B>(&p, self.1);
                p.play(m);
                moves += 1;
                if let Some(w) = p.winner() {
                    black += u64::from(w.index() == 0);
                    break;
                }
            }
        }
        (moves, black)
    }
}
fn go<const W: usize>(side: usize, named: Named) {
    let size = grid::BoardSize::new(side).unwrap();
    let start = named.setup(size, 2).unwrap().check(None).unwrap();
    let p = Position::<W, 2>::new(&start);
    let mut r = Random::new(1);
    for _ in 0..2 {
        let t = std::time::Instant::now();
        let (mut m, mut b, mut n) = (0, 0, 0);
        while t.elapsed().as_secs_f64() < 1.0 {
            let x = dispatch(K(&p, &mut r, 200));
            m += x.0;
            b += x.1;
            n += 200;
        }
        let s = t.elapsed().as_secs_f64();
        #[allow(clippy::print_stdout)]
        {
            println!(
                "{side} {named:?} {:.2} M/s  len {:.2} black {:.4}",
                m as f64 / s / 1e6,
                m as f64 / n as f64,
                b as f64 / n as f64
            );
        }
    }
}
fn main() {
    go::<2>(7, Named::Dense);
    go::<2>(9, Named::Classic);
    go::<4>(13, Named::Classic);
    go::<8>(19, Named::Classic);
    go::<8>(19, Named::Dense);
}
