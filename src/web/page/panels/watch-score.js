// The score of a match: games, points, Elo with its interval, and the SPRT.
import { html } from "../lib.js";
import { useStore } from "../store.js";
import { watching } from "../watching.js";

const signed = (value, digits = 0) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
const points = (value) => (Number.isInteger(value) ? value : value.toFixed(1));

export function Score() {
  const { told, history } = useStore(watching);
  const all = told.games_all;
  return html`<section class="card score" aria-label="Score">
    <h1>${told.name}</h1>
    <p class="soft progress"><span>${told.games_done}${all ? ` of ${all}` : ""} games</span>
      ${all && html`<progress value=${told.games_done} max=${all} aria-label="Games played"></progress>`}</p>
    <div class="facts">
      <${Engines} engines=${told.engines} />
      ${told.sprt && html`<${Sprt} sprt=${told.sprt} history=${history} />`}
    </div>
  </section>`;
}

function Engines({ engines }) {
  const bounds = engines.flatMap(({ elo }) => elo || []);
  const far = Math.max(10, ...bounds.map((value) => Math.min(800, Math.abs(value))));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Engines"><table class="engines">
    <thead><tr><th scope="col">Engine</th><th scope="col">Points</th><th scope="col">Share</th><th scope="col">Elo, 95 %</th><td class="bar"></td></tr></thead>
    <tbody>${engines.map(({ name, wins, games, elo }) => html`<tr key=${name}>
      <th scope="row">${name}</th>
      <td>${points(wins)} of ${games}</td>
      <td>${games > 0 ? `${((100 * wins) / games).toFixed(1)} %` : "–"}</td>
      <td>${elo ? html`<b>${signed(elo[1])}</b> <span class="soft">${signed(elo[0])} to ${signed(elo[2])}</span>` : html`<span class="soft">not known yet</span>`}</td>
      <td class="bar">${elo && html`<${Interval} elo=${elo} far=${far} />`}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

/** The interval as a line on a scale around 0. */
function Interval({ elo, far }) {
  const x = (value) => 60 + (55 * Math.max(-far, Math.min(far, value))) / far;
  return html`<svg viewBox="0 0 120 24" aria-hidden="true">
    <path class="axis" d="M5 12h110M60 5v14" />
    <path class="interval" d=${`M${x(elo[0])} 12H${x(elo[2])}`} />
    <circle class="middle" cx=${x(elo[1])} cy="12" r="5" />
  </svg>`;
}

const WIDTH = 320;
const HEIGHT = 110;

/** The log-likelihood ratio between its bounds, over the games that this page has seen. */
function Sprt({ sprt, history }) {
  const { llr, lower, upper, verdict } = sprt;
  const seen = history.filter((point) => point.llr !== null);
  const [first, last] = [seen[0], seen.at(-1)];
  const room = 0.12 * (upper - lower);
  const y = (value) => {
    const share = (upper + room - Math.max(lower - room, Math.min(upper + room, value))) / (upper - lower + 2 * room);
    return (share * HEIGHT).toFixed(1);
  };
  const x = (games) => (last.games > first.games ? ((games - first.games) / (last.games - first.games)) * (WIDTH - 16) + 8 : WIDTH / 2).toFixed(1);
  const text = `LLR ${signed(llr, 2)}, between ${signed(lower, 2)} and ${signed(upper, 2)}`;
  return html`<figure class="sprt">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${`SPRT: ${text}`}>
      <path class="bound" d=${`M0 ${y(upper)}h${WIDTH}M0 ${y(lower)}h${WIDTH}`} />
      <path class="axis" d=${`M0 ${y(0)}h${WIDTH}`} />
      ${seen.length > 1 && html`<path class="run" d=${"M" + seen.map((point) => `${x(point.games)} ${y(point.llr)}`).join("L")} />`}
      ${last && html`<circle class="middle" cx=${x(last.games)} cy=${y(last.llr)} r="5" />`}
    </svg>
    <figcaption>SPRT: ${text}. <b>${verdict || "Undecided"}</b></figcaption>
  </figure>`;
}
