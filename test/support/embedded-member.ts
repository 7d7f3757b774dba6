/**
 * A process that joins the embedded server of a home, tells so on stdout as a line of JSON, and leaves on SIGTERM.
 * It begins each of its lines with the kind of it: `joined`, `say`, `left`.
 */
import { argv, env, stdout } from 'node:process';
import { joinServer } from '../../embedded/join-server.ts';

const home = argv[2];
if (home === undefined) throw new Error('expected the home as the first argument');
const tell = (kind: string, value: unknown): void => {
  stdout.write(`${kind} ${JSON.stringify(value)}\n`);
};
const began = performance.now();
const member = await joinServer({
  home,
  env,
  say: (line) => {
    tell('say', line);
  },
});
const staying = setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => {
  clearInterval(staying);
  void member.leave().then(() => {
    tell('left', null);
  });
});
// Last: whoever reads it may send the signal at once.
tell('joined', { ...member, ms: Math.round(performance.now() - began) });
