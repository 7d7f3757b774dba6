import type { RowSpec } from '../../contract/row-kinds.ts';
import { BATCH, settingsOf, tts, type Wanted } from './rows.ts';
import type { World } from './world.ts';

const TEXTS = ['One is here.', 'Two is a little longer than that.', 'Three ends it.'];
/** Row 1 is spoken in parts: rows 2, 3 and 4. */
export const PARTS = [2, 3, 4];

/** Opens a batch of one row in parts. */
export async function fillInParts(
  world: World,
  wanted: Wanted = {},
  name = BATCH,
  spoken: Partial<RowSpec> = {},
): Promise<void> {
  const ledger = await world.look();
  const { url: apiUrl } = world.simulator;
  const settings = settingsOf(wanted);
  await ledger.createBatch({ name, digest: 'd', apiUrl, account: 'u1', settings, columns: ['id'], source: 's' });
  const rows = TEXTS.map((text) => ({ spec: { ...tts(text), ...spoken }, quoted: 1 }));
  const row = { row: 1, id: 'r1', line: 2, spec: { ...tts(TEXTS.join(' ')), ...spoken }, input: [], quoted: 3 };
  await ledger.addRows(name, [{ ...row, parts: { first: 2, rows } }]);
  await ledger.openBatch(name, 1);
}
