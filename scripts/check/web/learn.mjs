// Learn: the server is asked whether every lesson is right; then the courses are taken by clicks, and by keyboard alone.
import assert from "node:assert/strict";
import { checkAxe, checkLayout, clickCell, shot, until } from "./harness.mjs";

const turnsOf = (task) => task.turns || [task];
const nameOf = ({ board }, cell) => board.columns[cell % board.side] + board.rows[Math.floor(cell / board.side)];
const cellsOf = ({ board }) => [...Array(board.side ** 2).keys()];
const cellNamed = (position, name) => cellsOf(position).find((cell) => nameOf(position, cell) === name);
const ownerAt = (position, cell) => {
  const symbol = position.rows[Math.floor(cell / position.board.side)][cell % position.board.side];
  const piece = position.board.pieces.find((each) => each.symbol === symbol);
  return piece ? { colour: position.players[piece.player], name: piece.name } : null;
};

/** The positions of lines, from the server; each is asked for once. */
function positionsOf(server) {
  const known = new Map();
  return async (line) => {
    const body = JSON.stringify(line);
    if (!known.has(body)) {
      const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" };
      const answer = await fetch(`${server.origin}/api/position`, { method: "POST", headers, body });
      const told = await answer.json();
      assert.equal(answer.status, 200, `${body}: ${told.error}`);
      known.set(body, told);
    }
    return known.get(body);
  };
}

const after = (line, move) => ({ ...line, moves: [...line.moves, move] });
const isLegal = (position, move) => position.legal.some((each) => each.move === move);

/** Whether a side wins with best play. */
async function wins(position, side, get) {
  if (position.over) return position.players[position.winner] === side;
  const isOwn = position.players[position.to_move] === side;
  for (const { move } of position.legal) {
    if ((await wins(await get(after(position.line, move)), side, get)) === isOwn) return isOwn;
  }
  return !isOwn;
}

/** Whether what `promise` says is true of `then`, which came from `before` by the move in `moved`. */
async function holds(promise, before, moved, then, get) {
  const removed = moved.change.removed || [];
  const stones = (colour) => cellsOf(then).filter((cell) => (ownerAt(then, cell) || {}).colour === colour).length;
  const mover = before.players[before.to_move];
  const lost = {};
  for (const cell of removed) {
    const colour = (ownerAt(before, cell) || { colour: mover }).colour;
    lost[colour] = (lost[colour] || 0) + 1;
  }
  const tests = {
    removed: (counts) => same(lost, counts),
    captured: (count) => removed.length === count,
    left: (counts) => Object.entries(counts).every(([colour, count]) => stones(colour) === count),
    winner: (colour) => then.over && then.players[then.winner] === colour,
    draw: () => then.over && then.winner === null,
    over: (isOver) => then.over === isOver,
    toMove: (colour) => then.players[then.to_move] === colour,
    wins: (colour) => wins(then, colour, get),
    safe: async () => {
      for (const { move } of then.legal) {
        const next = await get(after(then.line, move));
        if ((next.change.removed || []).some((cell) => (ownerAt(then, cell) || {}).colour === mover)) return false;
      }
      return true;
    },
  };
  for (const [name, value] of Object.entries(promise || {})) {
    assert(tests[name], `no test of \`${name}\``);
    if (!(await tests[name](value))) return false;
  }
  return true;
}

const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

/** Whether a move does what the rest of the task promises, with some right moves after it. */
async function fulfils(position, move, turns, get) {
  const [turn, ...rest] = turns;
  const moved = await get(after(position.line, move));
  if (turn.reply && !isLegal(moved, turn.reply)) return false;
  const then = turn.reply ? await get(after(moved.line, turn.reply)) : moved;
  if (!(await holds(turn.after, position, moved, then, get))) return false;
  if (rest.length === 0) return true;
  for (const each of then.legal) if (await fulfils(then, each.move, rest, get)) return true;
  return false;
}

/** Checks what a task that is played promises: the accepted moves fulfil it, and no other move does. */
async function checkPlay(position, turns, get, name) {
  const [turn, ...rest] = turns;
  const isAny = turn.accept === "legal";
  for (const move of isAny ? [] : turn.accept) {
    // A later part may accept moves of which one was made before.
    assert(isLegal(position, move) || position.line.moves.includes(move), `${name}: ${move} is not legal`);
  }
  for (const { move } of position.legal) {
    const isAccepted = isAny || turn.accept.includes(move);
    assert.equal(await fulfils(position, move, turns, get), isAccepted, `${name}: ${move} ${isAccepted ? "does not do" : "also does"} it`);
    if (isAccepted || !turn.punish) continue;
    const wrong = await get(after(position.line, move));
    assert(isLegal(wrong, turn.punish), `${name}: ${turn.punish} does not answer ${move}`);
  }
  if (!isAny) assert(turn.wrong || position.legal.length === 1, `${name}: nothing is said about wrong moves`);
  assert(turn.right, `${name}: nothing is said about a right move`);
  if (rest.length === 0) return;
  const first = isAny ? position.legal[0].move : turn.accept.find((move) => isLegal(position, move));
  const moved = await get(after(position.line, first));
  await checkPlay(turn.reply ? await get(after(moved.line, turn.reply)) : moved, rest, get, name);
}

/** The lists of cells, of each of which one is to be clicked, found without the page's own code. */
function targetsOf(task, position) {
  if (task.accept) return task.accept.map((name) => [cellNamed(position, name)]);
  if (task.of === "legal") return position.legal.map((move) => [move.to]);
  if (task.of.stepsFrom) return position.legal.filter((move) => nameOf(position, move.from) === task.of.stepsFrom).map((move) => [move.to]);
  const connected = (cell) => {
    const seen = new Set([cell]);
    const { side } = position.board;
    for (const at of seen) {
      const around = [at - side, at + side, ...(at % side > 0 ? [at - 1] : []), ...(at % side < side - 1 ? [at + 1] : [])];
      for (const next of around) if (next >= 0 && next < side * side && same(ownerAt(position, next) || {}, ownerAt(position, at))) seen.add(next);
    }
    return [...seen];
  };
  if (task.of.spaceOf) {
    const root = connected(cellNamed(position, task.of.spaceOf));
    return position.spaces.find((space) => root.includes(space.cell)).now.map((cell) => [cell]);
  }
  return position.spaces.filter((space) => position.players[space.player] === task.of.roots).map((space) => connected(space.cell));
}

async function checkCourse(course, get) {
  assert.equal(new Set(course.steps.map((step) => step.id)).size, course.steps.length);
  for (const step of course.steps) {
    const name = `${course.id}/${step.id}`;
    const { task } = step;
    const position = await get({ game: course.game, start: step.start, moves: [] });
    assert(step.title && step.text.length > 0 && step.text.join(" ").split(". ").length <= 4, `${name} has two or three sentences`);
    for (const mark of step.marks || []) assert(cellNamed(position, mark.cell) !== undefined, `${name}: ${mark.cell}`);
    assert(position.board.side >= 4 && position.board.side <= 9, name);
    if (task.kind === "play") await checkPlay(position, turnsOf(task), get, name);
    if (task.kind !== "points") continue;
    const targets = targetsOf(task, position);
    if (task.after.count) assert.equal(targets.length, task.after.count, name);
    if (task.after.names) assert.deepEqual(targets.map(([cell]) => ownerAt(position, cell).name), task.after.names, name);
    assert(targets.length > 0 && !targets.flat().includes(undefined), name);
  }
}

// What the page says, and what it has on the board.
const said = async (tab) => {
  const node = tab.locator(".said");
  return { kind: (await node.getAttribute("class")).split(" ")[1], text: await node.textContent() };
};
const saysAfter = async (tab, act, kinds, name) => {
  // The same may be said twice.
  await tab.evaluate(async () => (await import("/lesson.js")).lesson.set({ said: null }));
  await act();
  return until(async () => {
    const now = await said(tab);
    return kinds.includes(now.kind) ? now : null;
  }, `${name}: ${kinds}`);
};
const stateOf = (tab) => tab.evaluate(async () => {
  const { course, index, status, turn, found, shown } = (await import("/lesson.js")).lesson.get();
  return { course, index, status, turn, found, moves: shown ? shown.line.moves : [] };
});
const isOpen = (tab, course, index) => until(async () => {
  const state = await stateOf(tab);
  return state.course === course.id && state.index === index;
}, `step ${index} of ${course.id}`);

/** Clicks with the mouse, or moves the cursor of the board with the arrow keys and presses Enter. */
const byMouse = (tab) => (position, cell) => clickCell(tab, cell);
const byKeys = (tab) => async (position, cell) => {
  const { side } = position.board;
  const output = tab.locator(".board-box output");
  if (!(await output.textContent())) await tab.keyboard.press("ArrowUp");
  const at = async () => cellNamed(position, (await output.textContent()).split(",")[0]);
  let now = await until(async () => String(await at()), "the cursor").then(Number);
  while (now !== cell) {
    const [row, column] = [Math.floor(cell / side) - Math.floor(now / side), (cell % side) - (now % side)];
    await tab.keyboard.press(row > 0 ? "ArrowDown" : row < 0 ? "ArrowUp" : column > 0 ? "ArrowRight" : "ArrowLeft");
    const last = now;
    now = await until(async () => { const found = await at(); return found !== last ? String(found) : null; }, "the cursor to move").then(Number);
  }
  await tab.keyboard.press("Enter");
};

/** Makes a move: a point, or the piece and then its square. */
async function make(position, move, press, select) {
  const { from, to } = position.legal.find((each) => each.move === move);
  if (from !== null) await select(position, from);
  await press(position, to);
}

/** Solves the open step; with `everything` each wrong answer is tried first. */
async function solve(tab, course, step, get, press, everything) {
  const name = `${course.id}/${step.id}`;
  const { task } = step;
  const position = await get({ game: course.game, start: step.start, moves: [] });
  if (task.kind === "read") return;
  if (task.kind === "points") {
    const targets = targetsOf(task, position);
    for (const cell of everything ? cellsOf(position) : []) {
      if (targets.some((cells) => cells.includes(cell))) continue;
      await saysAfter(tab, () => press(position, cell), ["wrong", "illegal"], `${name} ${nameOf(position, cell)}`);
      assert.deepEqual((await stateOf(tab)).found, [], name);
    }
    for (const [i, cells] of targets.entries()) {
      await saysAfter(tab, () => press(position, cells[0]), [i + 1 < targets.length ? "part" : "right"], name);
      if (i === 0 && targets.length > 1) await saysAfter(tab, () => press(position, cells[0]), ["note"], name);
    }
  } else {
    let now = position;
    for (const [i, turn] of turnsOf(task).entries()) {
      now = await playTurn(tab, turn, now, get, press, everything, `${name} part ${i + 1}`);
      if (i + 1 < turnsOf(task).length) await until(async () => (await stateOf(tab)).turn === i + 1, `part ${i + 1} of ${name}`);
    }
  }
  await until(async () => (await stateOf(tab)).status === "done", `${name} to be done`);
  assert.equal((await said(tab)).kind, "right");
}

async function playTurn(tab, turn, position, get, press, everything, name) {
  const isRight = (move) => turn.accept === "legal" || turn.accept.includes(move);
  if (everything && position.legal[0].from === null) {
    const illegal = cellsOf(position).find((cell) => !position.legal.some((move) => move.to === cell));
    await saysAfter(tab, () => press(position, illegal), ["illegal"], name);
    assert.equal(await tab.locator(".board .refused").count(), 2, name);
  }
  const wrong = everything ? position.legal.filter(({ move }) => !isRight(move)) : [];
  for (const { move } of wrong) {
    await make(position, move, press, press);
    await until(async () => {
      const { status, moves } = await stateOf(tab);
      return status === "wrong" && moves[position.line.moves.length] === move;
    }, `${name}: ${move} to be refused`);
    assert.equal((await said(tab)).kind, "wrong");
    // Half of them are taken back by hand; the others are left to the next click.
    if (move.charCodeAt(move.length - 1) % 2 === 0) await tab.click("text=Try again");
  }
  const { move } = position.legal.find((each) => isRight(each.move));
  await make(position, move, press, press);
  const moved = await get(after(position.line, move));
  return turn.reply ? get(after(moved.line, turn.reply)) : moved;
}

/** Takes a course from its first step to its last. */
async function take(tab, course, get, press, next, everything) {
  for (const [index, step] of course.steps.entries()) {
    await isOpen(tab, course, index);
    assert.equal(await tab.textContent("h1"), step.title);
    await solve(tab, course, step, get, press, everything);
    if (index + 1 < course.steps.length) await next();
  }
  const ticks = await tab.locator(".steps .tick").allTextContents();
  assert(ticks.every((tick) => tick === "✓"), `${ticks}`);
}

const at = (course, id) => ({ lessons: { course: course.id, done: {}, at: { [course.id]: id } } });

export async function run(kit) {
  const get = positionsOf(kit.server);
  let courses;
  await kit.open({ name: "lessons", at: "/learn" }, async (tab) => {
    courses = await tab.evaluate(async () => (await import("/lessons/courses.js")).courses);
  });
  for (const course of courses) await checkCourse(course, get);
  const [tanbo, taratibu] = courses;
  assert(tanbo.about.includes("Mark Steere") && taratibu.about.includes("Glenn Overby"));

  // Both courses by clicks, with every wrong answer.
  for (const course of courses) {
    await kit.open({ name: `learn ${course.id}`, at: "/learn" }, async (tab) => {
      await tab.click(`.steps >> text="${course.title}"`);
      await take(tab, course, get, byMouse(tab), () => tab.click('.answer >> text="Next"'), true);
      await shot(tab, `learn-${course.id}-end`);
      await checkAxe(tab, `${course.id}, the end`);
      // A game against the first level.
      await tab.click("text=Play your first game");
      await tab.waitForSelector("main.part-play:not(:has(> .wait))");
      const game = await tab.evaluate(async () => {
        const { line, seats } = (await import("/game.js")).game.get();
        return { game: line.game, seats };
      });
      assert.equal(game.game, course.game);
      assert(game.seats[0] === "person" && game.seats[1] !== "person", `${game.seats}`);
    });
  }

  // By keyboard alone.
  await kit.open({ name: "learn by keyboard", at: "/learn" }, async (tab) => {
    await isOpen(tab, tanbo, 0);
    const onBoard = () => tab.evaluate(() => document.activeElement.classList.contains("board-box"));
    for (let i = 0; i < 30 && !(await onBoard()); i++) await tab.keyboard.press("Tab");
    await take(tab, tanbo, get, byKeys(tab), () => tab.keyboard.press("n"), false);
    assert(await tab.evaluate(() => document.activeElement !== document.body), "the focus is somewhere");
    await tab.keyboard.press("b");
    await isOpen(tab, tanbo, tanbo.steps.length - 2);
  });

  // Steps can be left, hints be asked for, and a reload keeps what was done.
  await kit.open({ name: "learn, left and taken again", at: "/learn" }, async (tab) => {
    await isOpen(tab, tanbo, 0);
    await solve(tab, tanbo, tanbo.steps[0], get, byMouse(tab), false);
    await tab.click('.answer >> text="Next"');
    await isOpen(tab, tanbo, 1);
    await tab.click("text=Show me");
    await until(async () => (await tab.locator(".board .marked.hint").count()) === tanbo.steps[1].task.after.count, "the answer");
    const points = (await get({ game: "tanbo", start: tanbo.steps[1].start, moves: [] })).legal.map(({ move }) => move);
    const { text } = await said(tab);
    assert(points.every((point) => text.includes(point)), text);
    await tab.click('.answer >> text="Skip"');
    await isOpen(tab, tanbo, 2);
    await tab.reload();
    await isOpen(tab, tanbo, 2);
    assert.deepEqual((await tab.locator(".steps .tick").allTextContents()).slice(0, 3), ["✓", "", ""]);
    await tab.click(`.steps >> text="${tanbo.steps[0].title}"`);
    await isOpen(tab, tanbo, 0);
    await solve(tab, tanbo, tanbo.steps[0], get, byMouse(tab), false);
    await tab.click("text=Do it again");
    await until(async () => (await stateOf(tab)).status === "asked", "the step to begin again");
  });

  // How it looks, and whether everybody can use it.
  const states = [
    [tanbo, "legal-points", async (tab, position) => saysAfter(tab, () => clickCell(tab, cellNamed(position, "C4")), ["illegal"], "C4")],
    [tanbo, "several-roots", async (tab, position) => saysAfter(tab, () => clickCell(tab, cellNamed(position, "D5")), ["right"], "D5")],
    [tanbo, "save", async (tab, position) => {
      await clickCell(tab, cellNamed(position, "E1"));
      await until(async () => (await stateOf(tab)).status === "wrong", "White's answer");
    }],
    [taratibu, "captures", (tab, position) => clickCell(tab, cellNamed(position, "62"))],
    [tanbo, "play", async () => {}],
  ];
  for (const look of [{}, { dark: true }, { phone: true }, { phone: true, dark: true }]) {
    const kind = `${look.phone ? "phone" : "desktop"}-${look.dark ? "dark" : "light"}`;
    for (const [course, id, act] of states) {
      const index = course.steps.findIndex((step) => step.id === id);
      await kit.open({ name: `learn ${id} ${kind}`, at: "/learn", kept: at(course, id), ...look }, async (tab) => {
        await isOpen(tab, course, index);
        await act(tab, await get({ game: course.game, start: course.steps[index].start, moves: [] }));
        await checkLayout(tab, `${id} ${kind}`);
        await checkAxe(tab, `${id} ${kind}`);
        await shot(tab, `learn-${id}-${kind}`, Boolean(look.phone));
      });
    }
  }
}
