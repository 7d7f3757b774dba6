/**
 * The compiled command line, in a process that kills itself with SIGKILL at a fault point of its n-th paid request or download:
 * `DIE_AT=after-intent:3`. Without it, it is the command line as it is. `DIE_BY` names another signal: after SIGSTOP it may be
 * continued.
 */
import { main } from '../../dist/starters/main.js';

const [moment, nth] = (process.env.DIE_AT ?? '').split(':');
let left = Number(nth);

async function atFaultPoint(now) {
  if (now !== moment || left-- !== 1) return;
  const by = process.env.DIE_BY ?? 'SIGKILL';
  process.kill(process.pid, by);
  if (by === 'SIGKILL') await new Promise(() => undefined);
}

process.exitCode = await main(process.argv.slice(2), { atFaultPoint });
