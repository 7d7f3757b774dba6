/** @slow */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { expectRefused, expectRun, json, placeAtSimulator } from '../command-line.ts';

/** A ledger that was restored from a backup, and out folders of batches that were begun since. */

const { place } = placeAtSimulator();

it('plan and run refuse a batch whose results are there by this ledger, which does not have it on record', async () => {
  const manifest = 'id,text,voice\na,Hello,voice-1\n';
  await writeFile('lines.csv', manifest);
  const { value } = await json('profile');
  const owner = {
    batch: 'lines',
    manifest_digest: createHash('sha256').update(manifest).digest('hex'),
    api: value['api'],
    account: value['user_id'],
    ledger: place.ledger.id,
  };
  await mkdir('out/lines', { recursive: true });
  for (const file of ['summary.json', '.voxbatch-batch.json']) {
    await writeFile(`out/lines/${file}`, JSON.stringify(owner));
    const older =
      /"lines" is not in the ledger, but .*out\/lines has its files: the ledger is older[^]*--cache only[^]*another --name/;
    await expectRefused('run lines.csv --yes', older);
    await expectRun('plan lines.csv', 0, older);
    await expectRun('plan lines.csv --cache only', 0, { err: /^(?![^]*is older)/ });
    expect(await place.ledger.findBatch('lines')).toBeUndefined();
  }
});
