//! The parameters of the selection.

use crate::game::{Evaluator, Game};
use crate::params::{Exploration, Params};

/// The parameters of the selection, in the types of the inner loop.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct SelectionConfig {
    /// Paths to one position share its children.
    pub(in crate::search) is_graph: bool,
    pub(in crate::search) corrects: bool,
    pub(in crate::search) exploration: Exploration,
    pub(super) cpuct: f32,
    pub(super) fpu_visits: f32,
    pub(super) fpu_reduction: f32,
    pub(super) uct_exploration: f32,
    pub(super) initial_value_visits: f32,
    pub(super) fpu_value: f32,
    /// 0 without RAVE.
    pub(super) rave_equivalence: f32,
    /// Both are 0 without priors.
    pub(in crate::search) forced_playouts: f32,
    pub(in crate::search) root_noise: f32,
}

impl SelectionConfig {
    pub(in crate::search) fn new<G: Game, E: Evaluator<G>>(params: &Params) -> Self {
        let is_graph = E::HAS_PRIORS && G::SEATS == 2 && params.graph_search;
        let factor = if E::HAS_MOVE_EVALUATIONS && G::SEATS > 2 {
            params.multiplayer_factor
        } else {
            1.0
        };
        let (initial_value_visits, rave_equivalence) = if E::HAS_MOVE_EVALUATIONS {
            (params.initial_value_visits, 0.0)
        } else {
            (0.0, params.rave_equivalence)
        };
        let if_priors = |value: f64| if E::HAS_PRIORS { value as f32 } else { 0.0 };
        Self {
            is_graph,
            corrects: is_graph && params.value_bias_factor > 0.0,
            exploration: params.exploration,
            cpuct: params.cpuct as f32,
            fpu_visits: params.fpu_visits as f32,
            fpu_reduction: params.fpu_reduction as f32,
            uct_exploration: (factor * params.uct_exploration) as f32,
            initial_value_visits: initial_value_visits as f32,
            fpu_value: params.fpu_value as f32,
            rave_equivalence: rave_equivalence as f32,
            forced_playouts: if_priors(params.forced_playouts),
            root_noise: if_priors(params.root_noise),
        }
    }

    /// Whether nodes have all-moves-as-first statistics.
    pub(in crate::search) fn uses_rave(&self) -> bool {
        self.rave_equivalence > 0.0
    }
}
