/**
 * A process of its own for `ledger-in-thread.test.ts`: uses a ledger in a thread, or begins the thread alone, and then has nothing to do any more. It must end by itself.
 * Usage: node idle-user.js ENTRY LEDGER close|leave|begin
 */
import { pathToFileURL } from 'node:url';
import { beginThread, openInThread } from '../../ledger/ledger-in-thread.ts';
import { sqlite } from '../../ledger/sqlite/driver.ts';

const [entry = '', place = '', then = ''] = process.argv.slice(2);
const thread = beginThread(pathToFileURL(entry), { place, mustExist: false }, sqlite);
if (then === 'begin') process.stdout.write('begun');
else {
  const ledger = await openInThread(thread, sqlite);
  process.stdout.write(`${(await ledger.listBatches()).length} batches`);
  if (then === 'close') await ledger.close();
}
