// Drives a complete GTP session with the library of Sabaki (@sabaki/gtp): pipelined start, synchronisation, undo, a game
// by genmove, and analysis stopped by a command and by an empty line. scripts/check/clients.sh runs it.
//
// Usage: node scripts/check/clients/sabaki.mjs PROGRAM
//
// Needs `npm ci` in this folder. Exits with status 1 at the first wrong answer.

import assert from 'node:assert/strict'
import {readFileSync} from 'node:fs'

// Checked first, because it needs no packages.
for (const word of process.argv.slice(2)) {
  if (word === '--') break
  if (word === '-h' || word === '--help') {
    const lines = readFileSync(new URL(import.meta.url), 'utf8').split('\n')
    const header = lines.slice(0, lines.findIndex(line => !line.startsWith('//')))
    console.log(header.map(line => line.replace(/^\/\/ ?/, '')).join('\n'))
    process.exit()
  }
}

const {default: gtp} = await import('@sabaki/gtp')
const {Controller, ControllerStateTracker} = gtp
const program = process.argv[2]
const options = '--size 9 --threads 1 --iterations 50 --seed 1 --memory 16'
const controller = new Controller(program, ['gtp', ...options.split(' ')])
const tracker = new ControllerStateTracker(controller)
const sent = []
const noise = []
controller.on('command-sent', ({command}) => sent.push(command.name))
controller.on('stderr', ({content}) => noise.push(content))

const send = (line, subscriber) => {
  const [name, ...args] = line.split(' ')
  return controller.sendCommand({name, args}, subscriber)
}

const ask = async line => {
  const {error, content} = await send(line)
  assert.ok(!error, `the answer to \`${line}\` is an error: ${content}`)
  return content
}

const history = words => words.map((vertex, i) => ({name: 'play', args: [i % 2 ? 'W' : 'B', vertex]}))

async function start() {
  controller.start()
  // All at once and without ids, as Sabaki does.
  const [name, version, protocol, commands] = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(ask)
  )
  assert.equal(name, 'Tanada')
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.equal(protocol, '2')
  const names = commands.split('\n')
  for (const needed of ['boardsize', 'clear_board', 'komi', 'play', 'genmove', 'undo']) assert.ok(names.includes(needed))
  // Sabaki would use these commands, but expects other answers.
  for (const absent of ['set_free_handicap', 'place_free_handicap', 'fixed_handicap', 'analyze', 'genmove_analyze'])
    assert.ok(!names.includes(absent), absent)
}

async function sync() {
  const boardsize = [9, 9]
  await tracker.sync({komi: 7.5, boardsize, history: history(['B3', 'B7', 'B4', 'B6', 'C2', 'C8'])})
  assert.equal(tracker.state.history.length, 6)
  const board = await ask('gogui-rules_board')
  // The other variation is one undo and two moves away.
  sent.length = 0
  await tracker.sync({komi: 7.5, boardsize, history: history(['B3', 'B7', 'B4', 'B6', 'C2', 'G2', 'H7'])})
  assert.deepEqual(sent, ['undo', 'play', 'play'])
  await tracker.sync({komi: -0.5, boardsize, history: history(['B3', 'B7', 'B4', 'B6', 'C2', 'C8'])})
  assert.deepEqual(sent, ['undo', 'play', 'play', 'komi', 'undo', 'undo', 'play'])
  assert.equal(await ask('gogui-rules_board'), board)
  // Illegal moves are refused, and another size starts a new game.
  await assert.rejects(tracker.sync({boardsize, history: history(['B3', 'B3'])}))
  await tracker.sync({boardsize: [5, 5], history: []})
  assert.equal(await ask('gogui-rules_board_size'), '5')
  assert.ok((await send('play B pass')).error)
  assert.ok((await send('boardsize 3')).error)
}

async function echo() {
  // Sabaki sends the stones of a record's first node as moves.
  assert.ok((await send('play B A1')).error)
  await ask('tanada-param setup_echo true')
  const stones = [['B', 'A1'], ['B', 'E5'], ['W', 'A5'], ['W', 'E1']].map(args => ({name: 'play', args}))
  await tracker.sync({boardsize: [5, 5], history: [...stones, ...history(['A2', 'A4'])]})
  await tracker.sync({boardsize: [5, 5], history: [...stones, ...history(['A2', 'E2'])]})
  assert.equal(await ask('gogui-rules_board'), 'O . . . X\n. . . . .\n. . . . .\nX . . . O\nX . . . O')
  await ask('tanada-param setup_echo false')
}

async function game() {
  await tracker.sync({boardsize: [9, 9], history: []})
  let moves = 0
  for (;;) {
    const legal = (await ask('gogui-rules_legal_moves')).split(' ')
    if (legal[0] === '') break
    const colour = moves % 2 ? 'W' : 'B'
    // A command sent during the search must not interrupt it.
    const [move, protocol] = await Promise.all([ask(`genmove ${colour}`), ask('protocol_version')])
    assert.ok(legal.includes(move), `${move} is not among ${legal}`)
    assert.equal(protocol, '2')
    moves += 1
  }
  assert.equal(tracker.state.history.length, moves)
  const score = await ask('final_score')
  assert.match(score, /^[BW]\+$/)
  const [winner, loser] = score[0] === 'B' ? 'BW' : 'WB'
  assert.equal(await ask(`genmove ${loser}`), 'resign')
  assert.equal(await ask(`genmove ${winner}`), 'pass')
  return moves
}

/** Checks a line of an analysis; returns the number of its moves. */
function checkInfo(line) {
  const number = String.raw`(?:10000|\d{1,4})`
  const form = new RegExp(
    String.raw`^move [A-HJ]\d visits \d+ winrate ${number} prior ${number} lcb ${number} order (\d+) pv [A-HJ]\d(?: [A-HJ]\d)*$`
  )
  assert.ok(line.startsWith('info '), line)
  const blocks = line.slice('info '.length).split(' info ')
  blocks.forEach((block, i) => {
    const match = form.exec(block)
    assert.ok(match, `not a block of lz-analyze: ${block}`)
    assert.equal(Number(match[1]), i)
  })
  return blocks.length
}

/** Starts an analysis and stops it after three lines. */
async function analyse(stop) {
  const lines = []
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('lz-analyze printed fewer than three lines in 30 s')), 30_000)
    const answered = send('lz-analyze B 5', ({line}) => {
      if (line.trim() === '' || line.trim() === '=') return
      lines.push(line.trim())
      if (lines.length === 3) stop()
    })
    answered
      .then(({error, content}) => (error ? reject(new Error(content)) : resolve()))
      .catch(reject)
      .finally(() => clearTimeout(late))
  })
  assert.ok(lines.length >= 3)
  lines.forEach(checkInfo)
}

async function analysis() {
  if ((await ask('known_command lz-analyze')) !== 'true') return 'no analysis, because lz-analyze is missing'
  await tracker.sync({boardsize: [9, 9], history: history(['B3', 'B7'])})
  const board = await ask('gogui-rules_board')
  let protocol
  await analyse(() => (protocol = ask('protocol_version')))
  assert.equal(await protocol, '2')
  await analyse(() => controller.process.stdin.write('\n'))
  // The empty line itself has no answer.
  assert.equal(await ask('name'), 'Tanada')
  assert.equal(await ask('gogui-rules_board'), board)
  return 'analysis stopped by a command and by an empty line'
}

const late = setTimeout(() => {
  console.error('sabaki.mjs: the session did not end within 120 s')
  process.exit(1)
}, 120_000)
try {
  await start()
  await sync()
  await echo()
  const moves = await game()
  const analysed = await analysis()
  await controller.stop()
  assert.deepEqual(noise, [])
  console.log(`@sabaki/gtp: start, synchronisation, undo, a game of ${moves} moves by genmove; ${analysed}`)
} catch (error) {
  console.error(`sabaki.mjs: ${error.message}`)
  controller.process?.kill()
  process.exitCode = 1
} finally {
  clearTimeout(late)
}
