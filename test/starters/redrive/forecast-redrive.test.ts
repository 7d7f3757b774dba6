import { beforeEach, describe, expect, it } from '@jest/globals';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const { place } = placeForEach();
beforeEach(() => addSampleBatch(place));

const standing = async (): Promise<unknown> => [
  await place.ledger.findBatch('demo'),
  await place.ledger.counts('demo'),
  await place.ledger.money('demo'),
];

describe('redrive --dry-run', () => {
  it('shows rows and price without an API, and changes nothing', async () => {
    const before = await standing();
    const { code, stdout, stderr } = await run('redrive', 'demo', '--where', 'outcome=failed', '--dry-run');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Redrive of batch "demo", at a cost of .*\n {2}1 row to send, from speech on/),
    });
    expect(stderr).toContain('To do it, run the same command without --dry-run.');
    expect(await standing()).toEqual(before);
  });

  it('says what it would ask before a result is replaced', async () => {
    const { stdout } = await run('redrive', 'demo', '--rows', 'a', '--dry-run');
    expect(stdout).toMatch(/redrive asks for confirmation: Replace the results of 1 row .* \(--yes confirms\)/);
    const { value } = await json('redrive', 'demo', '--rows', 'a', '--dry-run', '--json');
    expect(value).toMatchObject({ batch: 'demo', rows: 1, paying: 1, replaced: 1, waits: 0, refusal: null });
  });

  it('says that a budget which is used up would refuse it', async () => {
    await place.ledger.tune('demo', { budget: 1 });
    const { code, stdout } = await run('redrive', 'demo', '--rows', 'a', '--dry-run');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/redrive refuses this \(exit code 3\):/),
    });
  });

  it('says that nothing matches', async () => {
    const { code, stdout } = await run('redrive', 'demo', '--where', 'class=JobFailed', '--dry-run');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('No row of batch "demo" matches.') });
  });

  it('fails as the redrive would on rows that need another word', async () => {
    const { code, stderr } = await run('redrive', 'demo', '--where', 'outcome=unknown', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('cannot be redriven this way') });
  });
});
