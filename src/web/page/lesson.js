// The step of a course that is open, and what the reader has done. The server judges every click.
import { describeMove, nameOf, whatIsOn } from "./lesson-words.js";
import { groupAt, layoutOf } from "./board.js";
import { post, ServerError } from "./connection.js";
import { positionOf } from "./game.js";
import { courses, turnsOf } from "./lessons/courses.js";
import { createStore, keep, kept } from "./store.js";

const PAUSE = 700; // milliseconds before the other side answers

/**
 * `course` and `index`: the open step. `base`: the position in which the reader moves, `shown`: the one on the board,
 * `before`: the one before that. `status`: `asked`, `wrong` (a wrong move is on the board), `busy` (the other side is about to
 * answer) or `done`. `turn`: the part of the task; `found`: the cells found, `targets`: lists of cells, of each of which one
 * is to be found. `said` {kind, text}: what the reader is told, `kind` being `right`, `part`, `wrong`, `illegal` or `note`.
 * `wrong` {to, cells}: an illegal click; `selected`: the cell of the piece that is about to step; `hint`: whether the
 * answer is shown; `error`: what the server refused.
 */
export const lesson = createStore({
  course: null, index: 0, base: null, shown: null, before: null, status: "asked", turn: 0, found: [], targets: [],
  said: null, wrong: null, selected: -1, hint: false, error: "",
});

/** What the reader has done: `done`, a set of `course/step` names, and `at`, the open step of each course. */
export const progress = createStore({ course: courses[0].id, done: {}, at: {}, ...kept("lessons", {}) });

const FRESH = { turn: 0, found: [], said: null, wrong: null, selected: -1, hint: false, status: "asked", error: "" };

export const courseOf = (id) => courses.find((course) => course.id === id) || courses[0];
export const stepOf = (state) => courseOf(state.course).steps[state.index];
export const isDone = (state, course, step) => Boolean(state.done[`${course.id}/${step.id}`]);
const lineOf = (course, step, moves = []) => ({ game: course.game, start: step.start, moves });

let serial = 0; // of what is awaited; answers to anything older are dropped

function record(changes) {
  progress.set(changes);
  const { course, done, at } = progress.get();
  keep("lessons", { course, done, at });
}

function markDone(course, step) {
  record({ done: { ...progress.get().done, [`${course.id}/${step.id}`]: true } });
}

/** Calls `use` with what the server answers, unless another step was opened or another move made meanwhile. */
async function ask(request, use) {
  const own = ++serial;
  try {
    const found = await request;
    if (own === serial) use(found);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (own === serial) lesson.set({ error: error.message });
  }
}

/** Opens the step where the reader was, in the course of that time or in another. */
export function openCourse(id = progress.get().course) {
  const course = courseOf(id);
  const at = course.steps.findIndex((step) => step.id === progress.get().at[course.id]);
  return openStep(course, Math.max(0, at));
}

/** Opens a step, from its beginning. */
export function openStep(course, index) {
  const step = course.steps[index];
  if (!step) return undefined;
  record({ course: course.id, at: { ...progress.get().at, [course.id]: step.id } });
  if (step.task.kind === "read") markDone(course, step);
  return ask(positionOf(lineOf(course, step)), (base) => {
    lesson.set({ ...FRESH, course: course.id, index, base, shown: base, before: null, targets: targetsOf(step, base) });
    const next = course.steps[index + 1];
    if (next) positionOf(lineOf(course, next)).catch(() => {});
  });
}

/** Goes some steps on, or back. */
export const go = (by) => openStep(courseOf(lesson.get().course), lesson.get().index + by);

/** Begins the open step again. */
export const again = () => go(0);

function cellNamed(position, name) {
  const layout = layoutOf(position.board);
  return position.rows.join("").split("").findIndex((_, cell) => layout.nameOf(cell) === name);
}

/** The cells that a step rings or otherwise marks. */
export const marksOf = (step, position) =>
  (step.marks || []).map((mark) => ({ ...mark, cell: cellNamed(position, mark.cell) }));

function targetsOf({ task }, position) {
  if (task.kind !== "points") return [];
  if (task.accept) return task.accept.map((name) => [cellNamed(position, name)]);
  if (task.of === "legal") return position.legal.map((move) => [move.to]);
  if (task.of.stepsFrom) {
    const from = cellNamed(position, task.of.stepsFrom);
    return position.legal.filter((move) => move.from === from).map((move) => [move.to]);
  }
  const layout = layoutOf(position.board);
  const cellsOf = (space) => [...groupAt(layout, position.rows, space.cell)];
  if (task.of.spaceOf) {
    const cell = cellNamed(position, task.of.spaceOf);
    return position.spaces.find((space) => cellsOf(space).includes(cell)).now.map((point) => [point]);
  }
  const player = position.players.indexOf(task.of.roots);
  return position.spaces.filter((space) => space.player === player).map(cellsOf);
}

/** A click on a cell, or Enter on it. */
export function choose(cell) {
  const state = lesson.get();
  const step = stepOf(state);
  if (state.base === null || state.status === "busy" || step.task.kind === "read") return;
  serial += 1; // an answer to an earlier click comes too late
  if (state.status === "done") return say("note", "You have done this step. Go on, or do it again.");
  if (step.task.kind === "points") choosePoint(state, step, cell);
  else if (state.base.legal.some((move) => move.from !== null)) chooseStep(state, cell);
  else chooseMove(state, cell, null);
}

const say = (kind, text, changes = {}) => lesson.set({ said: { kind, text }, wrong: null, error: "", ...changes });

function choosePoint(state, step, cell) {
  const { base, found, targets } = state;
  const { task } = step;
  if (found.includes(cell)) return say("note", `You have already found ${nameOf(base, cell)}.`);
  const target = targets.find((cells) => cells.includes(cell));
  if (!target) return missed(state, task, cell);
  const all = [...found, ...target];
  const count = targets.filter((cells) => all.includes(cells[0])).length;
  if (count < targets.length) return say("part", `Yes, ${nameOf(base, cell)}. That is ${count} of ${targets.length}.`, { found: all });
  say("right", `You have found all ${count}. ${task.right}`, { found: all, status: "done" });
  return markDone(courseOf(state.course), step);
}

function missed({ base }, task, cell) {
  if (task.miss) return say("wrong", `${whatIsOn(base, cell)} ${task.miss}`);
  const from = task.of.stepsFrom ? cellNamed(base, task.of.stepsFrom) : null;
  if (from === null && base.legal.some((move) => move.to === cell)) return say("wrong", task.other);
  return explain(base, cell, from);
}

/** Says why a move is not legal, and draws it. */
function explain(base, to, from) {
  return ask(post("why", { line: base.line, to, from }), (why) => {
    say("illegal", why.text, { wrong: { to, cells: why.cells }, selected: -1 });
  });
}

function chooseStep(state, cell) {
  const { base, selected } = state;
  const clear = state.status === "wrong" ? { shown: base, before: null, status: "asked" } : {};
  const stepsFrom = base.legal.some((move) => move.from === cell);
  if (selected === cell) return lesson.set({ selected: -1, wrong: null });
  if (stepsFrom) return lesson.set({ ...clear, selected: cell, wrong: null, ...(state.status === "wrong" ? { said: null } : {}) });
  if (selected < 0) return explain(base, cell, layoutOf(base.board).pieceOn(base.rows, cell) ? cell : null);
  return chooseMove(state, cell, selected);
}

function chooseMove(state, to, from) {
  const { base } = state;
  const move = base.legal.find((each) => each.to === to && each.from === from);
  if (!move) {
    lesson.set({ shown: base, before: null, status: "asked" });
    return explain(base, to, from);
  }
  const { accept } = turnsOf(stepOf(state).task)[state.turn];
  const isRight = accept === "legal" || accept.includes(move.move);
  return ask(positionOf({ ...base.line, moves: [...base.line.moves, move.move] }), (after) =>
    (isRight ? right : wrong)(state, after));
}

function right(state, after) {
  const turn = turnsOf(stepOf(state).task)[state.turn];
  const shown = { shown: after, before: state.base, selected: -1, wrong: null, hint: false };
  const told = describeMove(after, state.base);
  if (!turn.reply) return finishTurn(state, after, shown, `${told} ${turn.right}`);
  say("part", told, { ...shown, status: "busy" });
  return later(after, turn.reply, (answered) =>
    finishTurn(state, answered, { shown: answered, before: after }, `${describeMove(answered, after)} ${turn.right}`));
}

function finishTurn(state, base, shown, text) {
  const step = stepOf(state);
  const isLast = state.turn + 1 === turnsOf(step.task).length;
  if (!isLast) return say("part", text, { ...shown, base, turn: state.turn + 1, status: "asked" });
  say("right", text, { ...shown, status: "done" });
  return markDone(courseOf(state.course), step);
}

function wrong(state, after) {
  const turn = turnsOf(stepOf(state).task)[state.turn];
  const told = describeMove(after, state.base);
  const shown = { shown: after, before: state.base, selected: -1, wrong: null };
  const canPunish = turn.punish && after.legal.some((move) => move.move === turn.punish);
  if (!canPunish) return say("wrong", `${told} ${turn.wrong} Try again.`, { ...shown, status: "wrong" });
  say("wrong", told, { ...shown, status: "busy" });
  return later(after, turn.punish, (punished) => {
    say("wrong", `${told} ${describeMove(punished, after)} ${turn.wrong} Try again.`, { shown: punished, before: after, status: "wrong" });
  });
}

/** Makes the other side's move after a pause. */
function later(position, move, use) {
  const pause = new Promise((done) => { setTimeout(done, PAUSE); });
  const line = { ...position.line, moves: [...position.line.moves, move] };
  return ask(Promise.all([positionOf(line), pause]), ([answered]) => use(answered));
}

/** Takes a wrong move back. */
export function takeBack() {
  if (lesson.get().status !== "wrong") return;
  const { base } = lesson.get();
  lesson.set({ shown: base, before: null, status: "asked", said: null, wrong: null, selected: -1 });
}

/** Shows the answer, and says it: where to click. */
export function showAnswer() {
  takeBack();
  const state = lesson.get();
  if (state.base === null || state.status !== "asked" || stepOf(state).task.kind === "read") return;
  const names = answerOf(state).map(({ cell }) => nameOf(state.base, cell));
  say("note", `The answer: ${names.join(stepOf(state).task.kind === "play" ? " to " : ", ")}.`, { hint: true, selected: -1 });
}

/** The marks that show the answer: all cells that are left to find, or one right move. */
export function answerOf({ base, turn, found, targets, ...state }) {
  const { task } = stepOf(state);
  if (task.kind === "points") {
    return targets.filter((cells) => !found.includes(cells[0])).map((cells) => ({ cell: cells[0], kind: "hint" }));
  }
  const { accept } = turnsOf(task)[turn];
  const { from, to } = base.legal.find((move) => accept === "legal" || accept.includes(move.move));
  return [...(from === null ? [] : [{ cell: from, kind: "ring" }]), { cell: to, kind: "hint" }];
}
