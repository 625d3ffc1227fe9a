//! Commands that only certain clients use.

use super::call::{Call, Reply, done};
use super::gogui::stones;
use super::parse::GtpError;
use super::session::Session;
use crate::board::vertex;
use crate::game::Seat;
use crate::params::{PARAMETERS, Role};
use crate::util::system;

pub(super) fn gogui_version(session: &mut Session, call: &Call<'_>) -> Reply {
    call.argument(0)?;
    session.is_gogui = true;
    done()
}

pub(super) fn title(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let mut title = format!("Tanada - {}", engine.variant().title());
    // GoGui would show an empty board without explanation.
    let players = engine.start().players();
    let is_shown = engine.stones().is_some() && players == &Seat::ALL[..2];
    if !is_shown {
        title += ": GoGui cannot show this game; play it with `tanada play`";
    }
    Ok(title.into())
}

pub(super) fn cputime(_: &mut Session, _: &Call<'_>) -> Reply {
    let Some(time) = system::processor_time() else {
        let text = "processor time is not available on this system";
        return Err(GtpError::Other(text.into()));
    };
    Ok(format!("{:.3}", time.as_secs_f64()).into())
}

pub(super) fn describe_engine(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let settings = |role: Role| {
        let lines = PARAMETERS.iter().filter(|parameter| parameter.role == role);
        let words = lines.map(|p| format!("{} {}", p.name, p.get(engine.params())));
        words.collect::<Vec<String>>().join(", ")
    };
    let text = format!(
        "Tanada {}\n{}\n{}\n{}\n{}\n{}",
        env!("CARGO_PKG_VERSION"),
        engine.variant().credit(),
        settings(Role::Search),
        settings(Role::Resources),
        settings(Role::Strength),
        settings(Role::Session),
    );
    Ok(text.into())
}

pub(super) fn clear_cache(session: &mut Session, _: &Call<'_>) -> Reply {
    session.engine_mut().clear_tree();
    done()
}

pub(super) fn final_status_list(session: &mut Session, call: &Call<'_>) -> Reply {
    let stones = stones(session)?;
    match call.argument(0)? {
        "alive" => {}
        "dead" | "seki" => return done(),
        _ => return Err(GtpError::SyntaxError),
    }
    let groups = stones.all_groups().into_iter();
    let lines = groups.map(|group| vertex::names(group.stones, stones.size()));
    Ok(lines.collect::<Vec<_>>().join("\n").into())
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::tests::session;

    #[test]
    fn gogui_says_who_it_is() {
        let mut session = session(9);
        session.refuse("gogui-version", "expected `gogui-version VERSION`");
        assert!(!session.is_gogui);
        session.accept("gogui-version 1.6.0; clear_board");
        assert!(session.is_gogui);
        session.check("gogui-title", "= Tanada - Tanbo");
    }

    #[cfg(unix)]
    #[test]
    fn processor_time_grows() {
        let mut session = session(9);
        let mut seconds = |line: &str| -> f64 { session.answer(line)[2..].parse().unwrap() };
        let first = seconds("cputime");
        while seconds("gomill-cpu_time") <= first {}
        assert!(first >= 0.0);
    }

    #[test]
    fn the_engine_describes_itself() {
        let mut session = session(9);
        session.check("tanada-param initial_value_visits 3", "= ");
        let text = session.answer("gomill-describe_engine");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6);
        assert!(lines[0].starts_with("= Tanada 0."), "{text}");
        assert!(lines[2].contains("initial_value_visits 3,"), "{text}");
        assert!(lines[3].contains("threads 1, memory 16"), "{text}");
        assert!(lines[4].contains("overlooked 0"), "{text}");
        assert!(lines[5].contains("ponder false,"), "{text}");
    }

    #[test]
    fn clearing_the_cache_drops_the_tree_alone() {
        let mut session = session(9);
        session.answer("genmove b");
        let board = session.answer("showboard");
        let kept = session.engine().events().len();
        session.check("clear_cache", "= ");
        session.check("showboard", board);
        assert_eq!(session.engine().events().len(), kept);
        // Without a tree all visits of the root come from this search.
        session.answer("genmove w");
        let list = session.answer("tanada-last_moves");
        let visits = list.lines().map(|line| -> u32 {
            let words: Vec<&str> = line.trim_start_matches("= ").split(' ').collect();
            words[4].parse().unwrap()
        });
        assert!(visits.sum::<u32>() <= 50, "{list}");
    }
}
