//! GoGui's menu (`gogui-analyze_commands`), and the commands in it that show legal points, roots and
//! spaces. `registry.rs` registers them.

use super::call::{Call, Reply, shorten};
use super::gfx::Gfx;
use super::gogui::stones;
use super::parse::GtpError;
use super::session::Session;
use super::state::emptied;
use crate::board::Point;
use crate::board::vertex;
use crate::game::Seat;
use crate::variant::Stones;

/// The entries of GoGui's menu: `type/label/command`.
pub(super) const MENU: [&str; 16] = [
    "plist/Legal Points/tanada-legal_points %c",
    "gfx/Legal Points of All Sides/tanada-legal_gfx",
    "gfx/Spaces of Roots/tanada-root_spaces",
    "gfx/Root at a Point/tanada-root %p",
    "gfx/Bounded Next Move/tanada-bounded %c",
    "gfx/Playable Space/tanada-playable_space",
    "gfx/Evaluation of Every Move/tanada-evaluation_gfx",
    "string/Evaluation of Every Move, List/tanada-evaluation",
    "gfx/Visits of the Last Search/tanada-visits_gfx",
    "gfx/Values of the Last Search/tanada-values_gfx",
    "string/Moves of the Last Search/tanada-last_moves",
    "string/Last Search in One Line/tanada-last_search",
    "var/Principal Variation/tanada-variation",
    "hstring/Explain the Last Move/gomill-explain_last_move",
    "none/Clear the Tree/clear_cache",
    "param/Parameters/tanada-param",
];

pub(super) fn legal_points(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = call.colour(0, session.engine().variant())?;
    let stones = stones(session)?;
    Ok(vertex::names(stones.legal(seat), stones.size()).into())
}

pub(super) fn legal_gfx(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    Ok(areas(session, stones, |seat| stones.legal(seat)).into())
}

pub(super) fn playable_space(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    Ok(areas(session, stones, |seat| stones.playable(seat)).into())
}

/// The points of each side: in its colour where they belong to one side alone, in grey where they
/// belong to several, with a text of how many points each side has.
fn areas(session: &Session, stones: &dyn Stones, of: impl Fn(Seat) -> Vec<Point>) -> String {
    let variant = session.engine().variant();
    let seats = session.engine().players().iter();
    let sides: Vec<(Seat, Vec<Point>)> = seats.map(|&seat| (seat, of(seat))).collect();
    let owners = |point: Point| -> Vec<Seat> {
        let has = |(_, points): &&(Seat, Vec<Point>)| points.contains(&point);
        sides.iter().filter(has).map(|(seat, _)| *seat).collect()
    };
    let size = stones.size();
    let mut gfx = Gfx::new(size);
    for &(seat, _) in &sides {
        let alone = size.points().filter(|&p| owners(p) == [seat]);
        let word = match variant.colour(seat) {
            "black" => "BLACK".to_string(),
            "white" => "WHITE".to_string(),
            other => format!("COLOR {other}"),
        };
        gfx.points(&word, alone);
    }
    let shared = size.points().filter(|&p| owners(p).len() > 1);
    gfx.points("COLOR gray", shared);
    let counts = sides
        .iter()
        .map(|(seat, points)| format!("{} {}", variant.colour(*seat), points.len()));
    gfx.text(&counts.collect::<Vec<_>>().join(", "));
    gfx.finish()
}

pub(super) fn root_spaces(session: &mut Session, _: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    let groups = stones.all_groups();
    let mut gfx = Gfx::new(stones.size());
    let labels = groups
        .iter()
        .flat_map(|group| group.stones.iter().map(|&p| (p, group.space.len())));
    gfx.values("LABEL", labels);
    let last = groups.iter().filter(|group| group.space.len() == 1);
    gfx.points("CIRCLE", last.flat_map(|group| group.space.clone()));
    let variant = session.engine().variant();
    let smallest = |&seat: &Seat| {
        let own = groups.iter().filter(|group| group.seat == seat);
        let spaces: Vec<usize> = own.map(|group| group.space.len()).collect();
        let (colour, roots, least) = (variant.colour(seat), spaces.len(), spaces.iter().min()?);
        Some(format!("{colour}: roots {roots}, least space {least}"))
    };
    let seats = session.engine().players().iter();
    let sides: Vec<String> = seats.filter_map(smallest).collect();
    gfx.text(&sides.join("; "));
    Ok(gfx.finish().into())
}

pub(super) fn root(session: &mut Session, call: &Call<'_>) -> Reply {
    let word = call.argument(0)?;
    let stones = stones(session)?;
    let size = stones.size();
    let point = vertex::parse(word, size).map_err(GtpError::explain)?;
    let mut groups = stones.all_groups().into_iter();
    let Some(group) = groups.find(|group| group.stones.contains(&point)) else {
        return Err(GtpError::Other(format!("no stone at `{}`", shorten(word))));
    };
    let mut gfx = Gfx::new(size);
    gfx.points("SQUARE", group.stones.iter().copied());
    gfx.points("CIRCLE", group.space.iter().copied());
    gfx.text(&format!(
        "{} root of {} stones, space {}",
        session.engine().variant().colour(group.seat),
        group.stones.len(),
        group.space.len()
    ));
    Ok(gfx.finish().into())
}

pub(super) fn bounded(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = call.colour(0, session.engine().variant())?;
    let stones = stones(session)?;
    let mut gfx = Gfx::new(stones.size());
    let (mut loses, mut takes, mut at_stake) = (Vec::new(), Vec::new(), Vec::new());
    for point in stones.legal(seat) {
        let gone = stones.removed_by(seat, point);
        let owner = |p: &Point| stones.stone_at(*p).unwrap_or(seat);
        if gone.iter().any(|p| owner(p) == seat) {
            loses.push(point);
        }
        if gone.iter().any(|p| owner(p) != seat) {
            takes.push(point);
        }
        at_stake.extend(gone.into_iter().filter(|p| stones.stone_at(*p).is_some()));
    }
    at_stake.sort_unstable();
    at_stake.dedup();
    let colour = session.engine().variant().colour(seat);
    let (losing, taking) = (loses.len(), takes.len());
    gfx.points("MARK", loses);
    gfx.points("CIRCLE", takes);
    gfx.points("SQUARE", at_stake);
    gfx.text(&format!(
        "{colour}: moves that lose an own root {losing}, that capture a root {taking}"
    ));
    Ok(gfx.finish().into())
}

pub(super) fn board_gfx(session: &mut Session, _: &Call<'_>) -> Reply {
    let mut gfx = Gfx::new(stones(session)?.size());
    gfx.points("MARK", emptied(session.engine()));
    Ok(gfx.finish().into())
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::Session;
    use crate::gtp::session::tests::{session, session_of};

    #[test]
    fn the_menu_names_commands_that_are_there() {
        let types = "string hstring plist gfx var param none";
        let menu = |session: &mut Session| -> Vec<String> {
            let text = session.answer("gogui-analyze_commands");
            let lines = text.trim_start_matches("= ").lines();
            lines.map(str::to_string).collect()
        };
        let lines = menu(&mut session(9));
        assert_eq!(lines.len(), super::MENU.len());
        for line in lines {
            let fields: Vec<&str> = line.split('/').collect();
            assert_eq!(fields.len(), 3, "{line}");
            assert!(types.split(' ').any(|word| word == fields[0]), "{line}");
            let (name, wildcard) = fields[2].split_once(' ').unwrap_or((fields[2], ""));
            assert!(["", "%c", "%p"].contains(&wildcard), "{line}");
            session(9).check(format!("known_command {name}"), "= true");
        }
        let lines = menu(&mut session_of("taratibu"));
        assert!(lines.iter().any(|line| line.ends_with("/tanada-param")));
        assert!(lines.iter().all(|line| !line.starts_with("gfx/")));
    }

    #[test]
    fn what_is_said_to_go_goes() {
        let mut session = session(5);
        let mut random = crate::util::random::Random::new(3);
        let mut seen = 0;
        for _ in 0..30 {
            while session.engine().winner().is_none() {
                let engine = session.engine();
                let (seat, legal) = (engine.to_move(), engine.legal());
                let code = legal[random.below(legal.len() as u32) as usize];
                let stones = engine.stones().unwrap();
                let mut gone = stones.removed_by(seat, code.point());
                gone.sort_unstable();
                let colour = engine.variant().colour(seat);
                let name = engine.name(code);
                let told = session.answer(format!("tanada-bounded {colour}"));
                let named = told.lines().any(|line| {
                    let mut words = line.trim_start_matches("= ").split(' ');
                    ["MARK", "CIRCLE"].contains(&words.next().unwrap())
                        && words.any(|word| word == name)
                });
                assert_eq!(named, !gone.is_empty(), "{told}");
                session.answer(format!("play {colour} {name}"));
                let mut gfx = super::Gfx::new(session.engine().stones().unwrap().size());
                gfx.points("MARK", gone.iter().copied());
                session.check("gogui-rules_board_gfx", format!("= {}", gfx.finish()));
                seen += usize::from(!gone.is_empty());
            }
            session.accept("clear_board; gogui-rules_board_gfx");
        }
        assert!(seen > 30);
    }
}
