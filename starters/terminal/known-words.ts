import { isSingle } from '../../contract/batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { listVoices, speakingApi } from '../../client/voices/find-voice.ts';
import { atSession } from '../connect/open-api.ts';
import { atLedger } from '../connect/settings.ts';
import type { Flags } from '../commands/flags.ts';
import { dialectFor } from '../voices/look.ts';
import type { RunContext } from './output.ts';
import { oneLine } from './table.ts';
import type { Known } from './usage-words.ts';

/** `voxbatch known-words WHAT`: names, one a line; for the scripts of `voxbatch completion`. Spends nothing. */
export async function knownWords(what: Known, _: Flags, { output }: RunContext): Promise<ExitName> {
  for (const word of await read(what)) output.data(oneLine(word));
  return 'complete';
}

async function read(what: Known): Promise<readonly string[]> {
  switch (what) {
    case 'batches':
      return atLedger(async (ledger) => {
        const batches = (await ledger.listBatches()).filter((batch) => !isSingle(batch));
        return batches.toSorted((a, b) => b.createdAt - a.createdAt).map(({ name }) => name);
      });
    case 'schedules':
      return atLedger((ledger) => ledger.knownSchedules());
    case 'voices':
      // Nobody may be asked while somebody types.
      return atSession({ yes: true }, async (session, { config }) => {
        const list = await listVoices(await speakingApi(session, dialectFor({}, config)), {});
        return list.type === 'unread' ? [] : list.voices.map(({ id }) => id);
      });
  }
}
