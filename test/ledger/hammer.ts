/**
 * A process of its own for `processes.test.ts`: tries to send every row, several at once, as if it were alone, and prints each
 * `go` it gets. Usage: node hammer.js LEDGER OWNER ROWS AT-ONCE
 */
import { once } from 'node:events';
import { openLedger } from '../../ledger/open-ledger.ts';

const [path = '', owner = '', rows = '0', atOnce = '1'] = process.argv.slice(2);

// Opened before the start signal, so that the first opening races, and then the intents do.
const ledger = await openLedger(path);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
let row = 0;
async function hammer(): Promise<void> {
  while (row < Number(rows)) {
    row += 1;
    await sendTwice(row);
  }
}

async function sendTwice(number: number): Promise<void> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const key = { batch: 'b', row: number, step: 'speech', take: 1, attempt } as const;
    const { type: answer } = await ledger.intend(key, { quoted: 1, owner, quotedRest: 0, maxSending: 1000 });
    if (answer !== 'go') continue;
    process.stdout.write(`${number}.${attempt}\n`);
    await ledger.settle(key, { verdict: 'not-accepted' }, { state: 'waiting' });
    await ledger.updateLimiter('goes', { type: 'learn', spans: [[100, 100]] });
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, hammer));
await ledger.close();
process.stdin.destroy();
