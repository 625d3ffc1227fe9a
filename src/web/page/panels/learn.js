// Learn: the courses, step by step, each with a small position to play on.
import { Board } from "../board-view.js";
import { on } from "../connection.js";
import { game } from "../game.js";
import { html, useEffect, useLayoutEffect, useRef } from "../lib.js";
import { again, answerOf, choose, courseOf, go, isDone, lesson, marksOf, openCourse, openStep, progress, showAnswer, stepOf, takeBack } from "../lesson.js";
import { allOn } from "../lesson-words.js";
import { courses } from "../lessons/courses.js";
import { title } from "../board.js";
import { openPart } from "../parts.js";
import { newGame, PERSON } from "../play/playing.js";
import { useStore } from "../store.js";

const HEADS = { right: "Right!", part: "Good.", wrong: "Not yet.", illegal: "Not legal.", note: "" };
const SIGNS = { right: "✓", part: "✓", wrong: "↺", illegal: "⊘", note: "" };

export function Panel({ catalog }) {
  const state = useStore(lesson);
  useEffect(() => {
    const open = () => { if (lesson.get().course === null) openCourse(); };
    open();
    return on("hello", open); // a server that was away is back
  }, []);
  useEffect(() => {
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  const heading = useStepChange(state);
  if (state.base === null) return html`<p class="wait" aria-busy=${!state.error} role="status">${state.error || "Loading"}</p>`;
  const course = courseOf(state.course);
  const step = stepOf(state);
  return html`<div class="learn">
    <section class="card intro" aria-label="The step">
      <${Progress} course=${course} index=${state.index} />
      <h1 tabindex="-1" ref=${heading}>${step.title}</h1>
      ${step.text.map((paragraph) => html`<p key=${paragraph}>${paragraph}</p>`)}
      ${step.task.ask && html`<p class="ask"><${Side} position=${state.base} step=${step} />${step.task.ask}</p>`}
    </section>
    <${Stage} state=${state} step=${step} />
    <${Answer} state=${state} course=${course} step=${step} catalog=${catalog} />
    <${Steps} course=${course} index=${state.index} catalog=${catalog} />
  </div>`;
}

/** Shows a new step from its top, and gives the focus to its heading if the button that had it is gone. */
function useStepChange({ course, index }) {
  const heading = useRef(null);
  const last = useRef(null);
  useLayoutEffect(() => {
    const name = `${course}/${index}`;
    if (last.current !== null && last.current !== name) {
      scrollTo(0, 0);
      if (heading.current && document.activeElement === document.body) heading.current.focus();
    }
    if (course !== null) last.current = name;
  }, [course, index]);
  return heading;
}

function Progress({ course, index }) {
  const state = useStore(progress);
  const all = course.steps.length;
  const done = course.steps.filter((step) => isDone(state, course, step)).length;
  return html`<p class="soft progress">
    <span role="status">${course.title}, step ${index + 1} of ${all}<span class="unseen">: ${course.steps[index].title}</span></span>
    <progress value=${done} max=${all} aria-label="Steps done"></progress>
  </p>`;
}

function Stage({ state, step }) {
  const { base, shown, before, status, found, selected, hint, wrong } = state;
  const box = useRef(null);
  const { task } = step;
  const isPlay = task.kind === "play";
  const steps = selected >= 0 ? base.legal.filter((move) => move.from === selected).map((move) => move.to) : [];
  const answer = hint && status === "asked" ? answerOf(state) : [];
  const marks = shown === base && !before ? marksOf(step, base) : [];
  const show = {
    last: shown.change, before: before && before.rows, selected, wrong, legal: steps,
    marks: [...marks, ...found.map((cell) => ({ cell, kind: "good" })), ...answer],
  };
  // The dots and names of legal points would be the answer.
  const position = isPlay ? shown : { ...shown, legal: [] };
  // On a phone the button that shows the answer may be pressed where the board is not seen.
  useEffect(() => { if (hint && box.current) box.current.scrollIntoView({ block: "nearest" }); }, [hint]);
  const canPlay = (cell) => isPlay && status === "asked" && base.legal.some((move) => move.to === cell && move.from === null);
  return html`<section class="stage" aria-label="Position" ref=${box}>
    <${Board} position=${position} show=${show} playable=${canPlay} onCell=${task.kind === "read" ? undefined : choose} />
    <p class="unseen">${allOn(shown)}</p>
    ${step.figure && html`<p class="soft figure">${step.figure}</p>`}
  </section>`;
}

function Answer({ state, course, step, catalog }) {
  const { shown, status, said, error } = state;
  const box = useRef(null);
  const { task } = step;
  const isLast = state.index + 1 === course.steps.length;
  const isOpen = task.kind !== "read" && status !== "done";
  useEffect(() => {
    // On a phone the answer may be below the window.
    if (said && box.current) box.current.scrollIntoView({ block: "nearest" });
  }, [said]);
  const kind = said ? said.kind : "none";
  return html`<section class="card answer" aria-label="Answer" ref=${box}>
    ${shown.turn && task.kind === "play" && html`<p class="soft">${title(shown.turn)}</p>`}
    <p class=${"said " + kind} role="status">
      ${said && html`${SIGNS[kind] && html`<span class="sign" aria-hidden="true">${SIGNS[kind]}</span>`}<span><b>${HEADS[kind]}</b> ${said.text}</span>`}
    </p>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${task.next && html`<${Next} next=${task.next} course=${course} catalog=${catalog} />`}
    <div class="row buttons">
      ${state.index > 0 && html`<button onClick=${() => go(-1)}>Back</button>`}
      ${status === "wrong" && html`<button class="main" onClick=${takeBack}>Try again</button>`}
      ${isOpen && status !== "wrong" && html`<button onClick=${showAnswer}>Show me</button>`}
      ${status === "done" && html`<button onClick=${again}>Do it again</button>`}
      ${!isLast && html`<button class=${isOpen ? "" : "main"} onClick=${() => go(1)}>${isOpen ? "Skip" : "Next"}</button>`}
    </div>
    <p class="soft hints">Keys: arrows and <kbd>Enter</kbd> on the board, <kbd>n</kbd> next, <kbd>b</kbd> back, <kbd>t</kbd> try again, <kbd>h</kbd> show me.</p>
  </section>`;
}

/** The colour that the reader plays. */
const Side = ({ position, step }) =>
  step.task.kind === "play" && position.to_move !== null && html`<span class=${"chip " + position.players[position.to_move]}></span>`;

/** What comes after a course: a game against the first level, or the other course. */
function Next({ next, course, catalog }) {
  const others = courses.filter((other) => other !== course);
  const play = async () => {
    const seats = next.seats.map((seat) => (seat === "first level" ? catalog.levels[0].name : seat));
    await newGame({ line: next.line, seats });
    openPart("play");
  };
  const { at, position, seats } = game.get();
  const isInPlay = at !== 0 && !position?.over && seats.some((seat) => seat !== PERSON);
  return html`${isInPlay && html`<p class="soft">This replaces your unfinished game.</p>`}<div class="row next">
    <button class="main" onClick=${play}>${next.label}</button>
    ${others.map((other) => html`<button key=${other.id} onClick=${() => openCourse(other.id)}>Learn ${other.title}</button>`)}
  </div>`;
}

function Steps({ course, index, catalog }) {
  const state = useStore(progress);
  const { pieces } = catalog.games.find((game) => game.name === course.game) || {};
  return html`<nav class="card steps" aria-label="Steps">
    <div class="row" role="group" aria-label="Course">
      ${courses.map((each) => html`<button key=${each.id} aria-pressed=${each === course} onClick=${() => openCourse(each.id)}>${each.title}</button>`)}
    </div>
    <p class="soft">${course.about}</p>
    <ol>
      ${course.steps.map((step, i) => html`<li key=${step.id}>
        <button aria-current=${i === index ? "step" : null} onClick=${() => openStep(course, i)}>
          <span class="tick" aria-hidden="true">${isDone(state, course, step) ? "✓" : ""}</span>
          <span>${step.title}</span>
          ${isDone(state, course, step) && html`<span class="unseen">, done</span>`}
        </button>
      </li>`)}
    </ol>
    ${pieces && html`<details><summary>How the pieces step</summary><pre>${pieces}</pre></details>`}
  </nav>`;
}

const KEYS = { n: () => go(1), b: () => go(-1), t: () => (lesson.get().status === "done" ? again() : takeBack()), h: showAnswer };

function press(event) {
  const isTyping = event.target.closest("input, select, textarea");
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}
