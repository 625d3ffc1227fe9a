// The course of Tanbo. courses.js says what a step holds. The server knows the rules: it gives the legal points, the
// removals and the results, and scripts/check/web/learn.mjs asks it whether everything that a step promises is true.
// The figures are those of Mark Steere's rules of 1995; the words are not.

const FIGURE_I = `to move: white
OOXX.XX..
.OOX..XXX
O.OXXX.X.
OOOOOXXXX
XXX..OOOO
..X.OOXO.
X.XXXXXO.
XXX.OOOOO
XOOOO.O.O`;

const FIGURE_K = `to move: white
OOXX..X..
.OOX..XXX
..OXXX.X.
OOOOOXXXX
XXX..OOOO
..X.OOXO.
X.XXXXXO.
XXX.OOOOO
XOOOO.O.O`;

const FIGURE_M = `to move: black
OOXX.XX..
.OOX..XXX
O.OXXX.X.
OOOOOXXXX
O..O..X..
OO.OOOXXX
O...OXX.X
O...O.X.X
O...OXXX.`;

export const tanbo = {
  id: "tanbo",
  game: "tanbo",
  title: "Tanbo",
  about: "Invented by Mark Steere in 1993. Five minutes, and you can play it.",
  steps: [
    {
      id: "roots",
      title: "Stones grow into roots",
      text: [
        "“Tanbo” is Japanese for rice field. In it, each player grows roots.",
        "A root is a group of stones of one colour that touch along the lines. Diagonals do not count.",
      ],
      start: { text: "X.OO.\nX..O.\n.X...\nOXX.X\nO...X" },
      task: {
        kind: "points", of: { roots: "black" }, ask: "Black has three roots here. Click one stone of each.",
        after: { count: 3 },
        miss: "Look for connected black stones.",
        right: "A4 and B3 meet only at a corner, so they belong to two different roots.",
      },
    },
    {
      id: "legal-points",
      title: "Where you may play",
      text: [
        "On your turn, place one stone. It must touch exactly one of your own stones.",
        "Stones of the other player do not matter.",
      ],
      start: { text: ".....\n.X...\n.XX.O\n.....\nO...." },
      task: {
        kind: "points", of: "legal", ask: "Find all six points where Black may play.",
        after: { count: 6 },
        right: "C4 is not among them: a stone there would touch two. So roots branch, but never join or form a ring.",
      },
    },
    {
      id: "root-space",
      title: "The space of a root",
      text: [
        "The points where you may extend a root are its root space.",
        "Each root has its own. A point beside two of your stones belongs to none.",
      ],
      start: { text: ".....\n...OO\nX....\nX.X..\n..XO." },
      marks: [{ cell: "A3", kind: "ring" }, { cell: "A2", kind: "ring" }],
      task: {
        kind: "points", of: { spaceOf: "A3" }, ask: "Click the root space of the ringed root: three points.",
        after: { count: 3 },
        other: "Black may play there, but it would extend the other root.",
        right: "B2 touches both roots, so Black may not play there at all.",
      },
    },
    {
      id: "bounded",
      title: "Bounded means gone",
      text: [
        "A root without root space is bounded. It cannot grow any more, and leaves the board at once.",
        "Usually this happens when somebody plays on its last point.",
      ],
      start: { text: ".....\n.....\n..XX.\n...XO\nO..XO" },
      task: {
        kind: "play", ask: "You are Black. Bound the white root on the right.",
        accept: ["E3"], after: { removed: { white: 2 } },
        wrong: "The white root can still grow at its last point.",
        right: "E3 was the last point of that root.",
      },
    },
    {
      id: "own-root",
      title: "Mind the root you extend",
      text: [
        "Your own stone can bound the root that it extends. Then you lose that root, new stone and all.",
        "You may not pass, so sometimes you have to.",
      ],
      start: { text: "XX.O.\n.XO..\nXXO..\nOOO..\n....X" },
      task: {
        kind: "play", ask: "Try it: which move costs Black a root?",
        accept: ["C5"], after: { removed: { black: 6 } },
        wrong: "That root can still grow.",
        right: "C5 was the last point of the root, and the new stone found no further one.",
      },
    },
    {
      id: "only-the-current-root",
      title: "Your own root goes alone",
      text: [
        "A move can bound several roots at once. If the root that you extended is one of them, it alone is removed.",
        "It leaves its points empty, so the others can grow again.",
      ],
      start: { text: FIGURE_I },
      figure: "Figures I and J of the rules of 1995",
      task: {
        kind: "play", ask: "You are White. One move bounds three roots, its own included. Find it.",
        accept: ["D5"], after: { removed: { white: 12 }, left: { black: 31 } },
        wrong: "That costs you your largest root. Find the move that leaves three roots without space.",
        right: "The black root on the left and the white one on the right were bounded too, but now they have space and stay.",
      },
    },
    {
      id: "several-roots",
      title: "Several roots at once",
      text: [
        "If the root that you extended can still grow, every other bounded root is removed, yours included.",
      ],
      start: { text: FIGURE_K },
      figure: "Figures K and L of the rules of 1995",
      task: {
        kind: "play", ask: "Nearly the same board, but now the root at the top left has a second point to grow at. Play the same move again.",
        accept: ["D5"], after: { removed: { black: 15, white: 19 } },
        wrong: "Find the move that leaves two other roots without space.",
        right: "The root at the top left can still grow at A7, so it stays, and the two bounded roots go.",
      },
    },
    {
      id: "the-end",
      title: "How a game ends",
      text: [
        "Whoever loses their last root loses the game. There are no draws, and no position ever repeats.",
        "Here each player has one root left, and Black has only one move.",
      ],
      start: { text: FIGURE_M },
      figure: "Figures M and N of the rules of 1995",
      task: {
        kind: "play", ask: "You are Black, and you may not pass. Play the only move.",
        accept: ["J9"], after: { removed: { black: 29 }, winner: "white" },
        right: "J9 was the last point of Black’s last root. White has won.",
      },
    },
    {
      id: "way-out",
      title: "Tactics: block the way out",
      text: [
        "White’s root has two points left. From one it can grow on; the other is a dead end.",
        "Take the first, and White must walk into the second.",
      ],
      start: { text: "OOO..\n..OO.\nX..OO\nX.XX.\nXXX.." },
      task: {
        kind: "play", ask: "You are Black. Win the game.",
        turns: [
          {
            accept: ["E2"], reply: "A4", after: { winner: "black" },
            wrong: "Now White has slipped out.", punish: "E2",
            right: "White’s only move was A4, a dead end, and it cost White the last root. You have won!",
          },
        ],
      },
    },
    {
      id: "save",
      title: "Tactics: keep your root alive",
      text: [
        "Watch for roots of yours with a single point left. If the other player can play there, it is time to act.",
        "Growing on through that point is often the best answer.",
      ],
      start: { text: "X....\nXO...\nXO..X\nXO..X\nXOOO." },
      task: {
        kind: "play", ask: "You are Black, and White threatens one of your roots. Save it.",
        accept: ["B5"], after: { safe: true },
        wrong: "That was the last point of your root.", punish: "B5",
        right: "The root grows out of the corner. White cannot bound it now.",
      },
    },
    {
      id: "count",
      title: "Tactics: count your moves",
      text: [
        "Nobody may pass, so near the end the player with more moves left wins.",
        "A5 and D3 are yours alone: White cannot play there. Keep them, and fight for the rest first.",
      ],
      start: { text: "..XXX\nXXXOO\n..X.O\n..OOO\n....O" },
      task: {
        kind: "play", ask: "You are Black. Keep White’s room small, and win.",
        turns: [
          { accept: ["A3"], reply: "B2", after: { wins: "black" }, wrong: "That move could wait. Now White gets the whole corner.",
            right: "Along the edge White cannot get past you. Go on!" },
          { accept: ["A2"], reply: "B1", after: { wins: "black" }, wrong: "That move could wait. Stay in front of White.",
            right: "One more!" },
          { accept: ["A1"], reply: "B3", after: { winner: "black" }, wrong: "That move could wait. Stay in front of White.",
            right: "White had to fill its last point, while you have two moves to spare. You have won!" },
        ],
      },
    },
    {
      id: "four-players",
      title: "Three and four players",
      text: [
        "Up to four can play: Black, White, Red and Green take turns. The rules are the same.",
        "Whoever has no stones left is out and is skipped. The last one on the board wins.",
      ],
      start: { text: "X....O\nX....O\nXX....\nX...G.\n.OO.G.\nRRO.G." },
      task: {
        kind: "play", ask: "You are Black. Put Red out of the game.",
        accept: ["A2"], after: { removed: { red: 2 }, left: { red: 0 }, over: false },
        wrong: "Red can still grow. Look at the corner.",
        right: "Red is out. Black, White and Green go on.",
      },
    },
    {
      id: "play",
      title: "You know Tanbo",
      text: [
        "This is the start on 9x9, a good board for first games. Keep your roots roomy, and crowd the others.",
        "Play against the first level: it makes many mistakes.",
      ],
      start: { size: 9, setup: "classic", players: 2 },
      figure: "Figure O of the rules of 1995",
      task: { kind: "read", next: { label: "Play your first game", line: { game: "tanbo", start: { size: 9, setup: "classic", players: 2 } }, seats: ["person", "first level"] } },
    },
  ],
};
