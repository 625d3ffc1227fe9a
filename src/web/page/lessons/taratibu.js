// The course of Taratibu; see courses.js and tanbo.js.

const board = (rows, turn) => ({ text: `${rows.join("\n")}\n${turn}` });

export const taratibu = {
  id: "taratibu",
  game: "taratibu",
  title: "Taratibu",
  about: "By Glenn Overby II, 2005. Ten pieces, ten turns. Three minutes, and you can begin.",
  steps: [
    {
      id: "pieces",
      title: "Ten pieces, five orders",
      text: [
        "Each side has ten different pieces, shown as letters. Each belongs to two of five orders: aquatic, basic, human, quadruped and winged.",
        "Sphinx, Bird, Angel and Duck are the winged ones.",
      ],
      start: {},
      task: {
        kind: "points", ask: "Click White’s four winged pieces: S, B, A and D.",
        accept: ["11", "31", "41", "71"], after: { names: ["Sphinx", "Bird", "Angel", "Duck"] },
        miss: "White’s winged pieces are S, B, A and D in the bottom row.",
        right: "Every order has four pieces, and the two orders of a piece say how it steps.",
      },
    },
    {
      id: "one-square",
      title: "Steps of one square",
      text: [
        "Human pieces step one square straight, basic ones one square diagonally.",
        "The Man (M) is both, so it steps like a king in chess.",
      ],
      start: board(["dmfabes", "htc....", ".......", "M......", ".......", "....CTH", "SEBAF.D"], "turn 3, white to move"),
      marks: [{ cell: "14", kind: "ring" }],
      task: {
        kind: "points", of: { stepsFrom: "14" }, ask: "Click the five squares that the ringed Man can reach.",
        after: { count: 5 },
        right: "It could capture an enemy piece, but never step onto one of yours.",
      },
    },
    {
      id: "leaps",
      title: "Leaps of two squares",
      text: [
        "Aquatic pieces leap exactly two squares straight, winged ones two diagonally; quadrupeds move like a knight in chess. Nothing can block a leap.",
        "The Turtle (T) is aquatic and quadruped.",
      ],
      start: {},
      marks: [{ cell: "62", kind: "ring" }],
      task: {
        kind: "points", of: { stepsFrom: "62" }, ask: "Click the five squares that the ringed Turtle can reach.",
        after: { count: 5 },
        right: "It even leaps over the Captain to reach 42.",
      },
    },
    {
      id: "turns",
      title: "Turns grow longer",
      text: [
        "White begins with one step, Black answers with two, White makes three, and so on to Black’s ten.",
        "One piece may make several steps, or several pieces may share them.",
      ],
      start: board(["dmf.bes", "htc....", ".......", "...a...", ".......", "....CT.", "SEBAFMD"], "turn 3, white to move"),
      task: {
        kind: "play", ask: "You are White, and it is turn 3. Make any three steps: click a piece, then a square.",
        turns: [
          { accept: "legal", right: "One step made, two to go." },
          { accept: "legal", right: "One more." },
          { accept: "legal", right: "That was your turn. Now Black makes four steps.", after: { toMove: "black" } },
        ],
      },
    },
    {
      id: "captures",
      title: "A capture ends a piece’s turn",
      text: [
        "You capture by stepping onto an enemy piece. A piece that has captured may not step again in this turn.",
        "So several captures need several pieces.",
      ],
      start: board(["dmfa..s", "htc....", ".......", "....e..", "...b...", "....CTH", "SEBAFMD"], "turn 3, white to move, 2 steps left"),
      task: {
        kind: "play", ask: "You are White with two steps left. Capture the Elk on 54 and the Bird on 43.",
        turns: [
          { accept: ["6243", "5254"], after: { captured: 1 }, wrong: "You have only two steps for two captures, and only the Turtle reaches 43.",
            right: "The piece that captured has done its work. Now the other one." },
          { accept: ["6243", "5254"], after: { captured: 1 }, wrong: "The other piece is still to be captured.",
            right: "Two pieces, two captures. The Turtle could reach both, but may capture only once in a turn." },
        ],
      },
    },
    {
      id: "win",
      title: "How to win",
      text: [
        "Capture the enemy Man, and all enemy pieces of one order: aquatic, quadruped or winged.",
        "Here the Bird (b) is Black’s last winged piece.",
      ],
      start: board([".mf.be.", "h.c....", "..HE...", ".......", ".......", "....CT.", "..BAFMD"], "turn 5, white to move, 2 steps left"),
      task: {
        kind: "play", ask: "You are White with two steps left. Win.",
        turns: [
          { accept: ["3527", "4557"], after: { captured: 1 }, wrong: "You need both steps: one for the Man on 27, one for the Bird on 57.", right: "And now the other." },
          { accept: ["3527", "4557"], after: { captured: 1, winner: "white" }, wrong: "The last capture is still missing.",
            right: "The Man and every winged piece are gone: you have won." },
        ],
      },
    },
    {
      id: "draw",
      title: "Nobody has won",
      text: [
        "Black’s tenth turn is the last one. If nobody has won by then, the game is a draw.",
        "So it pays to plan: which order can you still wipe out in time?",
      ],
      start: board(["dm.a.e.", "h.c....", ".......", "...T...", "..s....", "....C.H", "SE.AFMD"], "turn 10, black to move, 1 step left"),
      task: {
        kind: "play", ask: "You are Black, with the last step of the game. Make it.",
        accept: "legal", after: { draw: true },
        right: "The game is drawn.",
      },
    },
    {
      id: "play",
      title: "You know Taratibu",
      text: [
        "Turns grow quickly, so think ahead: a piece that you expose now can be captured in the longer turn that follows.",
        "Begin with the first level.",
      ],
      start: {},
      task: { kind: "read", next: { label: "Play your first game", line: { game: "taratibu", start: {} }, seats: ["person", "first level"] } },
    },
  ],
};
