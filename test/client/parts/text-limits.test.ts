import { expect, it } from '@jest/globals';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { withTextLimits } from '../../../client/run/check-run.ts';
import { fitText } from '../../../inputs/text-limits.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { freshPlace } from '../../support/place.ts';

/** Longer than what is assumed where no limit is known, and shorter than the one of the configuration. */
const MARKED = `<speak>${'All is well here. '.repeat(180)}</speak>`;
const CHOICES = { ...chooseSettings({ split: 'sentences' }, { textLimit: 5_000 }), name: 'b' };

const place = freshPlace();

/** What is done with the text of a row, by the choices for its manifest. */
async function fit(): Promise<object> {
  const { manifest } = await withTextLimits(place.ledger, CHOICES, aBatch().apiUrl);
  return fitText({ kind: 'tts', text: MARKED, voice: 'v', extra: {} }, manifest);
}

it('the text of a batch is whole each time, whatever the limits are by then, once the batch is on record', async () => {
  expect(await fit()).toEqual({ parts: [] });
  const loading = await place.ledger.createBatch(aBatch('b'));
  expect(await fit()).toEqual({ parts: [] });
  await place.ledger.addRows(loading, [aRow(1)]);
  await place.ledger.openBatch(loading, 1);
  expect(await fit()).toEqual({ parts: [] });
});
