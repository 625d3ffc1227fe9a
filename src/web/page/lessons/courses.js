// The courses, as data. A new step is a new entry in the list of its course.
//
// A course is {id, game, title, about, steps}; `game` is the server's name of the game. A step is
//   id      a name that no other step of the course has; progress is kept by it
//   title, text    a heading, and two or three short sentences
//   start   the position, as the server reads it: {text: "a diagram"} or {size, setup, players}
//   marks   [{cell: "A3", kind: "ring"}], drawn on the board (optional)
//   figure  where the position is from (optional)
//   task    what to do
//
// A task has a `kind` and mostly an `ask`, the sentence that says what to do:
//   read    nothing; `next` {label, line, seats} offers a game
//   points  click all of some cells. Which ones is said by `of`, and then the server knows them: "legal", {spaceOf: "A3"},
//           {stepsFrom: "62"}, or {roots: "black"}, of which one stone each is enough; or else by `accept`, a list of cells.
//           `right` is said at the end, `miss` about a wrong cell, `other` about a legal point outside a root's space
//   play    make a move. `accept` lists the right ones, or is "legal" for any; `right` and `wrong` are said after a right
//           and a wrong one; `punish` answers a wrong move, `reply` a right one. `turns` is a list of such parts, in order
// `after` holds what the texts promise: {removed: {white: 2}}, {left: {red: 0}}, {winner}, {draw}, {over}, {captured},
// {toMove}, {count}, {names}, {safe}: the other side can remove nothing of yours, and {wins}: that side wins with best play.
// The page does not need it: scripts/check/web/learn.mjs asks the server whether it is true, and of no other move.
import { tanbo } from "./tanbo.js";
import { taratibu } from "./taratibu.js";

export const courses = [tanbo, taratibu];

/** The parts of a task that is played. */
export const turnsOf = (task) => task.turns || [task];
